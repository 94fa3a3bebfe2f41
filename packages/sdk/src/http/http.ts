import type { Endpoint, RequestOf, ResponseOf } from '@svc/contract/common/endpoint'

import { parseJson } from '../session/storage.ts'
import { refusal, SvcError } from './errors.ts'
import { resolveLocalhostNames } from './localhost.ts'
import { isHidden, type Platform } from './platform.ts'
import { repeated, type RetryPolicy, standardRetry, TIMED_OUT } from './retry.ts'

/** What a single call adds to its request. */
export type CallOptions = {
  headers?: Record<string, string>
  /** The service performs a repeated call with the same key only once. */
  idempotencyKey?: string
  /** A repeated call has no second effect, for another reason than its method or key. */
  mayRepeat?: boolean
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

/** What `createHttp` takes. */
export type HttpOptions = {
  url: string
  headers: Record<string, string>
  platform: Pick<Platform, 'fetch' | 'random' | 'page'>
  /** How long the service may take to respond, and then between two parts of a response. */
  timeoutMs?: number
  retry?: RetryPolicy
}

/** The parts of a request, without their types. */
export type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** A slow mobile connection, 50 kbit/s. A save of 1 MiB takes 3 minutes there. */
const UPLOAD_MS_PER_BYTE = 8 / 50
/** Browsers allow 64 KiB for all requests together that outlive their page. */
const KEEPALIVE_BYTES_MAX = 60_000

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

  let keepaliveBytes = 0

  async function once(address: string, request: RequestInit, size: number, read = JSON.parse) {
    const late = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => late.abort(new DOMException('The time is up.', TIMED_OUT)), ms)
    }
    const keptBytes = request.keepalive ? size : 0
    keepaliveBytes += keptBytes
    wait(timeoutMs + size * UPLOAD_MS_PER_BYTE)
    let response: Response
    let text: string
    try {
      response = await platform.fetch(address, { ...request, signal: late.signal })
      text = await textOf(response, () => wait(timeoutMs))
    } catch (error) {
      const message = `no response from ${base}: ${String((error as Error).cause ?? error)}`
      throw new SvcError('network_error', { message, cause: error })
    } finally {
      clearTimeout(timer)
      keepaliveBytes -= keptBytes
    }
    const body = parseJson(text, response.ok ? read : undefined) as { error?: unknown } | undefined
    // Every response of the service has an id. Without one, a proxy or the sign-in page of a network answered.
    if (response.ok && body !== undefined && response.headers.has('X-Request-Id')) return body
    throw refusal(body?.error, response.status, retryAfter(response))
  }

  return async (
    route,
    { params, query, body }: Parts,
    { headers: more, idempotencyKey, mayRepeat, bytes, json, parse } = {},
  ) => {
    const [method = 'GET', path = ''] = route.split(' ')
    const type = bytes ? 'application/octet-stream' : body !== undefined && 'application/json'
    const text = bytes || !type ? '' : (json ?? JSON.stringify(body))
    const size = new Blob([text]).size
    const request: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(type && { 'Content-Type': type }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...more,
      },
      ...(type && { body: (bytes as BodyInit | undefined) ?? text }),
    }
    // A path like `/.svc/session` belongs to the host of the page.
    const address = (path[1] === '.' ? '' : base) + fill(path, params) + search(query)
    const isWrite = method !== 'GET'
    // A browser that refuses it gets the request without it the next time.
    const keepalive = (retries: number) =>
      isWrite && !retries && isHidden(platform.page) && keepaliveBytes + size <= KEEPALIVE_BYTES_MAX

    return repeated(
      (retries) => once(address, { ...request, keepalive: keepalive(retries) }, size, parse) as never,
      retry,
      { route, mayRepeat: !isWrite || mayRepeat || idempotencyKey !== undefined },
    )
  }
}

/** Reads the body; calls `received` for every part. Some replacements of `fetch` have no streams. */
async function textOf(response: Response, received: () => void): Promise<string> {
  received()
  const reader = response.body?.getReader()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  for (let text = ''; ;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done) return text
    received()
  }
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
