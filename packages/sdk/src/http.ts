import type { Endpoint, RequestOf, ResponseOf } from '@svc/contract/endpoint'

import { isSvcError, refusal, SvcError } from './errors.ts'
import { resolveLocalhostNames } from './localhost.ts'
import { pause, type Platform } from './platform.ts'

export type CallOptions = {
  headers?: Record<string, string>
  idempotencyKey?: string
  /** Where an endpoint takes a file. */
  bytes?: Uint8Array
}

/** Types come from the contract, so a wrong method, path or field does not compile; nothing is imported at run time. */
export type Call = <E extends Endpoint>(
  route: E['route'],
  request: RequestOf<E>,
  options?: CallOptions,
) => Promise<ResponseOf<E>>

export type BodyOf<E extends Endpoint> = RequestOf<E> extends { body: infer Given } ? Given : never
export type QueryOf<E extends Endpoint> = RequestOf<E> extends { query: infer Given } ? Given : never

export type HttpNeeds = {
  url: string
  headers: Record<string, string>
  platform: Pick<Platform, 'fetch' | 'random'>
  timeoutMs?: number
}

export type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

const RETRIES_MAX = 2
const RETRY_AFTER_MS = 300
/** Longer than that nobody should wait without knowing it: `details.retryAfterSeconds` tells the caller. */
const RETRY_AFTER_SECONDS_MAX = 3

export function createHttp({ url, headers, platform, timeoutMs = 15_000 }: HttpNeeds): Call {
  const base = url.replace(/\/+$/, '').replace(/\/v1$/, '')
  resolveLocalhostNames(base)

  async function once(address: string, request: RequestInit): Promise<unknown> {
    let response: Response
    let text: string
    try {
      response = await platform.fetch(address, { ...request, signal: AbortSignal.timeout(timeoutMs) })
      text = await response.text()
    } catch (error) {
      throw new SvcError('network_error', {
        message: `no answer of ${base}: ${String((error as Error).cause ?? error)}`,
      })
    }
    const body = parse(text)
    if (!response.ok)
      throw refusal((body as { error?: unknown } | undefined)?.error, response.status, retryAfter(response))
    if (body === undefined) throw refusal(undefined, response.status)
    return body
  }

  return async (route, { params, query, body }: Parts, { headers: more, idempotencyKey, bytes } = {}) => {
    const [method = 'GET', path = ''] = route.split(' ')
    const type = bytes ? 'application/octet-stream' : body === undefined ? undefined : 'application/json'
    const request: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(type && { 'Content-Type': type }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...more,
      },
      ...(type && { body: (bytes as BodyInit | undefined) ?? JSON.stringify(body) }),
    }
    const address = base + fill(path, params) + search(query)
    const mayRepeat = method === 'GET' || idempotencyKey !== undefined

    for (let retries = 0; ; retries++) {
      try {
        return (await once(address, request)) as never
      } catch (error) {
        const waitMs = waitBefore(error, mayRepeat)
        if (waitMs === undefined || retries === RETRIES_MAX) throw error
        await pause(waitMs + RETRY_AFTER_MS * 2 ** retries * (0.5 + platform.random() / 2))
      }
    }
  }
}

/** Undefined: trying again is of no use, or could do the same thing twice. */
function waitBefore(error: unknown, mayRepeat: boolean): number | undefined {
  if (!isSvcError(error)) return undefined
  const { code, status, details } = error
  const seconds = Number(details['retryAfterSeconds'] ?? 0)
  if (seconds > RETRY_AFTER_SECONDS_MAX) return undefined
  // What came too often was not done, and whoever limits says when.
  if (code === 'rate_limited') return seconds > 0 ? seconds * 1_000 : undefined
  const isAway = code === 'network_error' || [502, 503, 504].includes(status)
  return mayRepeat && isAway ? seconds * 1_000 : undefined
}

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

function fill(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name])
    // A URL with such a segment is another URL before it is even sent.
    if (value === '' || value === '.' || value === '..')
      throw new SvcError('invalid_request', { message: `${name} cannot be '${value}'` })
    return encodeURIComponent(value)
  })
}

function search(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
