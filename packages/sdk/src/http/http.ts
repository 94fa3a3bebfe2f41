import type { Endpoint, RequestOf, ResponseOf } from '@svc/contract/common/endpoint'

import { parseJson } from '../session/storage.ts'
import { isSvcError, refusal, SvcError } from './errors.ts'
import { resolveLocalhostNames } from './localhost.ts'
import { pause, type Platform } from './platform.ts'

/** What a single call adds to its request. */
export type CallOptions = {
  headers?: Record<string, string>
  /** The service performs a repeated call with the same key only once. */
  idempotencyKey?: string
  /** The body of an endpoint that takes a file. */
  bytes?: Uint8Array | Blob
  /** The body as JSON text, sent unchanged instead of `body`: numbers stay as they are written. */
  json?: string
  /** Reads the text of the response instead of `JSON.parse`, for example because its numbers are longer than those of JavaScript. */
  parse?: (text: string) => unknown
}

/** Types come from the contract, so a wrong method, path or field does not compile; nothing is imported at run time. */
export type Call = <E extends Endpoint>(
  route: E['route'],
  request: RequestOf<E>,
  options?: CallOptions,
) => Promise<ResponseOf<E>>

/** The JSON body that an endpoint takes. */
export type BodyOf<E extends Endpoint> = RequestOf<E> extends { body: infer Given } ? Given : never
/** The query parameters that an endpoint takes. */
export type QueryOf<E extends Endpoint> = RequestOf<E> extends { query: infer Given } ? Given : never

/** A call that has failed: whether it is safe to send it again, and how often it was repeated already. */
export type FailedCall = { route: string; mayRepeat: boolean; retries: number }

/** Returns how many milliseconds to wait before the call is repeated, or undefined if its error goes to the caller. */
export type RetryPolicy = (error: SvcError, failed: FailedCall) => number | undefined

/** What `createHttp` takes. */
export type HttpOptions = {
  url: string
  headers: Record<string, string>
  platform: Pick<Platform, 'fetch' | 'random'>
  timeoutMs?: number
  retry?: RetryPolicy
}

/** The parts of a request, without their types. */
export type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

const RETRIES_MAX = 2
const RETRY_AFTER_MS = 300
/** For a longer wait the caller gets the error and decides; the time is in `details.retryAfterSeconds`. */
const RETRY_AFTER_SECONDS_MAX = 3

/**
 * Sends HTTP requests to the service at `url` and returns their JSON. Rejects with `SvcError`: the error of the service,
 * `network_error` without a response, `unexpected_answer` if the response is not from the service.
 */
export function createHttp({
  url,
  headers,
  platform,
  timeoutMs = 15_000,
  retry = standardRetry(platform.random),
}: HttpOptions): Call {
  const base = url.replace(/\/+$/, '').replace(/\/v1$/, '')
  resolveLocalhostNames(base)

  async function once(address: string, request: RequestInit, read = JSON.parse): Promise<unknown> {
    let response: Response
    let text: string
    try {
      response = await platform.fetch(address, { ...request, signal: AbortSignal.timeout(timeoutMs) })
      text = await response.text()
    } catch (error) {
      const message = `no response from ${base}: ${String((error as Error).cause ?? error)}`
      throw new SvcError('network_error', { message, cause: error })
    }
    const body = parseJson(text, response.ok ? read : undefined) as { error?: unknown } | undefined
    // Every response of the service has an id. Without one, a proxy or the sign-in page of a network answered.
    if (response.ok && body !== undefined && response.headers.has('X-Request-Id')) return body
    throw refusal(body?.error, response.status, retryAfter(response))
  }

  return async (
    route,
    { params, query, body }: Parts,
    { headers: more, idempotencyKey, bytes, json, parse } = {},
  ) => {
    const [method = 'GET', path = ''] = route.split(' ')
    const type = bytes ? 'application/octet-stream' : body !== undefined && 'application/json'
    const request: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(type && { 'Content-Type': type }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...more,
      },
      ...(type && { body: (bytes as BodyInit | undefined) ?? json ?? JSON.stringify(body) }),
    }
    // A path like `/.svc/session` belongs to the host of the page.
    const address = (path[1] === '.' ? '' : base) + fill(path, params) + search(query)
    const mayRepeat = method === 'GET' || idempotencyKey !== undefined

    for (let retries = 0; ; retries++) {
      try {
        return (await once(address, request, parse)) as never
      } catch (error) {
        const waitMs = isSvcError(error) ? retry(error, { route, mayRepeat, retries }) : undefined
        if (waitMs === undefined) throw error
        await pause(waitMs)
      }
    }
  }
}

/** Two retries with jitter, if the service is unavailable for a moment or asks for a short wait. */
export const standardRetry =
  (random: Platform['random']): RetryPolicy =>
  ({ code, status, details }, { mayRepeat, retries }) => {
    const seconds = Number(details['retryAfterSeconds'] ?? 0)
    // A rate-limited call was not performed, so it is safe to repeat whatever it does.
    const isTransient =
      code === 'rate_limited'
        ? seconds > 0
        : mayRepeat && (code === 'network_error' || [502, 503, 504].includes(status))
    if (!isTransient || retries === RETRIES_MAX || seconds > RETRY_AFTER_SECONDS_MAX) return undefined
    return seconds * 1_000 + RETRY_AFTER_MS * 2 ** retries * (0.5 + random() / 2)
  }

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return seconds >= 0 ? seconds : undefined
}

/** The path with its parameters in place. */
export function fill(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name])
    // URL parsers remove such segments, so the request would go to another endpoint.
    if (value === '' || value === '.' || value === '..')
      throw new SvcError('invalid_request', { message: `${name} cannot be '${value}'` })
    return encodeURIComponent(value)
  })
}

/** The query as text, with its question mark; empty without parameters. */
export function search(query: Record<string, unknown> = {}): string {
  // JSON leaves out the members that are undefined.
  const text = new URLSearchParams(JSON.parse(JSON.stringify(query))).toString()
  return text && `?${text}`
}
