import type { Endpoint } from '@svc/contract/common/endpoint'

import { isSvcError, SvcError } from '../http/errors.ts'
import { type CallOptions, createHttp, fill, search } from '../http/http.ts'
import { type Fetch, isInBrowser, thisPlatform } from '../http/platform.ts'
import { type RetryPolicy, standardRetry } from '../http/retry.ts'
import {
  DEVELOPER_CALLS,
  type DeveloperCalls,
  SECRET_KEY_CALLS,
  type SecretKeyCalls,
} from './developer-calls.ts'
import { type EventHandlers, readEvents } from './follow-events.ts'

export type { DeveloperCalls, SecretKeyCalls } from './developer-calls.ts'
export type { InEnvironment } from './environment.ts'
export { isSvcError, SvcError, type SvcErrorCode } from '../http/errors.ts'
export type { EventHandlers } from './follow-events.ts'
export type { FailedCall, RetryPolicy } from '../http/retry.ts'

/** Options that both clients share. */
export type ClientOptions = {
  /** The URL of the service. */
  url: string
  /** How long a response may take, without the time to send a large body (default: 15,000). */
  timeoutMs?: number
  /** Decides which failed calls are repeated (default: two short retries of calls that are safe to repeat). */
  retry?: RetryPolicy
  /** Used instead of the global `fetch`. */
  fetch?: Fetch
}

/** Options for `createDeveloperClient`. */
export type DeveloperOptions = ClientOptions & {
  /** Returns the current session token (kds_…), or undefined if no developer is signed in. Called before every request. */
  token(): string | undefined
  /**
   * Called when the service rejects the token with `unauthorized`. Resolve with true once `token()` returns a new one: the call
   * is then repeated once.
   */
  renewToken?(): Promise<boolean>
}

/** Options for `createSecretKeyClient`. */
export type SecretKeyOptions = ClientOptions & {
  /** The secret key (sk_…) of one environment. */
  secretKey: string
}

/** Options for a single call. */
export type RequestOptions = Pick<CallOptions, 'idempotencyKey' | 'bytes' | 'json' | 'parse'> & {
  /** Ends the call with the error code `aborted`. */
  signal?: AbortSignal
  timeoutMs?: number
}

/** The client from `createDeveloperClient`. */
export type DeveloperClient = ReturnType<typeof createDeveloperClient>

/** The client from `createSecretKeyClient`. */
export type SecretKeyClient = ReturnType<typeof createSecretKeyClient>

/**
 * Creates a client that calls the service as a developer, in a browser or in Node: projects, keys, config, players, deployments.
 * Sign-in calls need no token.
 *
 * @example
 * import { createDeveloperClient } from '@svc/sdk/developer'
 *
 * const url = 'http://localhost:8787'
 * const developer = createDeveloperClient({ url, token: () => token })
 * const { projects } = await developer.call('listProjects', {})
 */
export function createDeveloperClient({ token, renewToken, ...options }: DeveloperOptions) {
  const send = createSender(options)

  return {
    /**
     * Calls an endpoint by its name. The [API reference](endpoints.md) lists its request and its errors.
     *
     * @param request `params`, `query` and `body` of the endpoint.
     *
     * @example
     * const body = { name: 'Star Duel' }
     * const { project } = await developer.call('createProject', { body })
     * console.log(project.name) // → Star Duel
     */
    call: async <Name extends keyof DeveloperCalls>(
      name: Name,
      request: DeveloperCalls[Name]['request'],
      requestOptions: RequestOptions = {},
    ): Promise<DeveloperCalls[Name]['response']> => {
      const attempt = () => {
        const bearer = token()
        const headers = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }
        return send(DEVELOPER_CALLS[name], request, headers, requestOptions)
      }
      try {
        return (await attempt()) as DeveloperCalls[Name]['response']
      } catch (error) {
        if (!isSvcError(error, 'unauthorized') || !(await renewToken?.())) throw error
        return (await attempt()) as DeveloperCalls[Name]['response']
      }
    },

    /**
     * Reports what changes in an environment. Resolves when the stream ends: when the service restarts or the session has ended. It is
     * not opened again automatically.
     *
     * @throws `aborted` `signal` ended the stream.
     *
     * @example
     * const stop = new AbortController()
     * developer
     *   .followEvents({ projectId, env: 'development' }, { onHint: console.log }, stop.signal)
     *   .catch((error) => console.log(error.code)) // → aborted
     */
    followEvents: (
      params: DeveloperCalls['followEvents']['request']['params'],
      handlers: EventHandlers,
      signal: AbortSignal,
    ): Promise<void> =>
      readEvents((silence) => {
        const address = addressOf(options.url, 'followEvents', { params })
        const headers = { Authorization: `Bearer ${token()}`, Accept: 'text/event-stream' }
        return fetchSafely(
          options.fetch ?? thisPlatform().fetch,
          address,
          { headers, signal: silence },
          signal,
        )
      }, handlers).catch((error: unknown) => {
        throw signal.aborted ? new SvcError('aborted') : error
      }),
  }
}

/**
 * Returns the URL of a call whose response is not JSON, such as an image, for `src` or `href` in a page.
 *
 * @example
 * import { addressOf } from '@svc/sdk/developer'
 *
 * const params = { label: 'star-duel' }
 * const image = addressOf('https://api.example.com', 'readDefaultCard', { params })
 * console.log(image) // → https://api.example.com/v1/share/images/star-duel/card.png
 */
export function addressOf<Name extends keyof DeveloperCalls>(
  url: string,
  name: Name,
  request: DeveloperCalls[Name]['request'],
): string {
  const [, path = ''] = DEVELOPER_CALLS[name].split(' ')
  const { params, query } = request as { params?: Record<string, unknown>; query?: Record<string, unknown> }
  return `${url}${fill(path, params)}${search(query)}`
}

/**
 * Creates a client that calls the service with the secret key of an environment, without `projectId` and `env`.
 *
 * @throws `secret_key_refused` The code runs in a browser.
 *
 * @example
 * import { createSecretKeyClient } from '@svc/sdk/developer'
 *
 * const { SVC_URL: url, SVC_DEVELOPMENT_SECRET_KEY: secretKey } = process.env
 * const environment = createSecretKeyClient({ url, secretKey })
 * const { version } = await environment.call('readConfig', {})
 */
export function createSecretKeyClient({ secretKey, ...options }: SecretKeyOptions) {
  if (isInBrowser()) throw new SvcError('secret_key_refused')
  const send = createSender(options)

  return {
    /**
     * Calls an endpoint by its name. The [API reference](endpoints.md) lists its request and its errors.
     *
     * @param request `params`, `query` and `body` of the endpoint.
     *
     * @example
     * const { players } = await environment.call('searchPlayers', { query: { limit: 10 } })
     * console.log(players.length) // → …
     */
    call: async <Name extends keyof SecretKeyCalls>(
      name: Name,
      request: SecretKeyCalls[Name]['request'],
      requestOptions: RequestOptions = {},
    ): Promise<SecretKeyCalls[Name]['response']> =>
      (await send(
        SECRET_KEY_CALLS[name],
        request,
        { 'X-Svc-Key': secretKey },
        requestOptions,
      )) as SecretKeyCalls[Name]['response'],
  }
}

const RESPONSES_MAX = 10

/** Keeps the last responses with an ETag: while nothing has changed, the same call again gets a 304 without a body. */
function createResponseCache() {
  const kept = new Map<string, { etag: string; text: string }>()

  return {
    withEtag(address: string, init: RequestInit = {}): RequestInit {
      const etag = (init.method ?? 'GET') === 'GET' ? kept.get(address)?.etag : undefined
      if (etag === undefined) return init
      const headers = new Headers(init.headers)
      headers.set('If-None-Match', etag)
      return { ...init, headers }
    },

    async keep(address: string, response: Response): Promise<Response> {
      const known = kept.get(address)
      if (response.status === 304 && known) return new Response(known.text, { headers: response.headers })
      const etag = response.headers.get('ETag')
      if (!response.ok || etag === null) return response
      const text = await response.text()
      kept.delete(address)
      kept.set(address, { etag, text })
      for (const oldest of [...kept.keys()].slice(0, -RESPONSES_MAX)) kept.delete(oldest)
      return new Response(text, { headers: response.headers })
    },
  }
}

function createSender({ url, timeoutMs, retry, fetch }: ClientOptions) {
  const platform = { ...thisPlatform(), ...(fetch && { fetch }) }
  const policy = retry ?? standardRetry(platform.random)
  const responses = createResponseCache()

  return async (
    route: Endpoint['route'],
    request: object,
    headers: Record<string, string>,
    { signal, timeoutMs: ownTimeoutMs = timeoutMs, ...options }: RequestOptions,
  ): Promise<unknown> => {
    let requestId: string | null = null
    const call = createHttp({
      url,
      headers,
      platform: {
        ...platform,
        async fetch(address, init) {
          const response = await fetchSafely(
            platform.fetch,
            address,
            responses.withEtag(address, init),
            signal,
          )
          requestId = response.headers.get('X-Request-Id')
          return responses.keep(address, response)
        },
      },
      ...(ownTimeoutMs !== undefined && { timeoutMs: ownTimeoutMs }),
      retry: (error, failed) => policy(causeOf(error), failed),
    })
    try {
      return await call<Endpoint>(route, request, options)
    } catch (error) {
      throw isSvcError(error) ? forDevelopers(causeOf(error), requestId) : error
    }
  }
}

/** Keeps the message of the service: hints of the SDK are for pages of players, and stay in `hint`. */
function forDevelopers(error: SvcError, requestId: string | null): SvcError {
  if (error.hint !== undefined) error.message = error.message.replace(` — ${error.hint}`, '')
  if (requestId !== null) error.requestId = requestId
  return error
}

/** Never follows a redirect, which would send the token or the key to another server. */
async function fetchSafely(
  fetch: Fetch,
  address: string,
  init: RequestInit = {},
  signal?: AbortSignal,
): Promise<Response> {
  if (signal?.aborted) throw new SvcError('aborted')
  const signals = [init.signal, signal].filter((one) => one instanceof AbortSignal)
  const response = await fetch(address, {
    ...init,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.any(signals),
  }).catch((error: unknown) => {
    throw signal?.aborted ? new SvcError('aborted') : error
  })
  // Browsers hide the status and the URL of a redirect.
  const isRedirect =
    response.type === 'opaqueredirect' ||
    (response.status >= 300 && response.status < 400 && response.status !== 304)
  if (!isRedirect) return response
  const location = response.headers.get('location')
  throw new SvcError('unexpected_answer', {
    message: `the service redirects${location === null ? '' : ` to ${location}`}`,
    status: response.status,
    details: { location },
  })
}

/** What `fetchSafely` threw, without the `network_error` around it. */
const causeOf = (error: SvcError): SvcError => (isSvcError(error.cause) ? error.cause : error)
