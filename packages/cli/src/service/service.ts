import {
  createDeveloperClient,
  createSecretKeyClient,
  type DeveloperCalls,
  type RequestOptions,
  type RetryPolicy,
  type SecretKeyCalls,
} from '@svc/sdk/developer'

import { toFailure } from './service-failures.ts'

/** Calls an endpoint that a developer session may call; rejects with a Failure. */
export type CallAsDeveloper = <Name extends keyof DeveloperCalls>(
  name: Name,
  request: DeveloperCalls[Name]['request'],
  options?: RequestOptions,
) => Promise<DeveloperCalls[Name]['response']>

/** Calls an endpoint that a secret key may call; rejects with a Failure. */
export type CallWithKey = <Name extends keyof SecretKeyCalls>(
  name: Name,
  request: SecretKeyCalls[Name]['request'],
  options?: RequestOptions,
) => Promise<SecretKeyCalls[Name]['response']>

type Token = { token(): string | undefined; renewToken?(): Promise<boolean> }

export type Service = ReturnType<typeof createService>

const TIMEOUT_MS = 30_000
/** 50 MB over a slow connection. */
export const UPLOAD_TIMEOUT_MS = 10 * 60_000
/** Together about 8 s: enough for a restart of the service. */
const RETRIES_MAX = 5
const RETRY_AFTER_MS = 250
const RETRY_AFTER_MAX_MS = 60_000

/** The service at one URL, with the retries and the messages of a command line. */
export function createService(url: string) {
  // A service that has never answered gets no retries: most likely it is not running, or the URL is wrong.
  let hasAnswered = false
  const options = {
    url,
    timeoutMs: TIMEOUT_MS,
    retry: ((error, failed) => (hasAnswered ? waitMs(error, failed) : undefined)) satisfies RetryPolicy,
    async fetch(address: string, init?: RequestInit) {
      const response = await fetch(address, init)
      hasAnswered = true
      return response
    },
  }
  const failing =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      call(...args).catch((error: unknown) => {
        throw toFailure(url, error)
      })

  return {
    asDeveloper: (session: Token): CallAsDeveloper =>
      failing(createDeveloperClient({ ...options, ...session }).call) as CallAsDeveloper,
    withKey: (secretKey: string): CallWithKey =>
      failing(createSecretKeyClient({ ...options, secretKey }).call) as CallWithKey,
  }
}

/** POST endpoints that may be repeated: the result is the same, and a deployment that was created twice is never finished. */
const REPEATABLE = /^PUT |\/deployments(?:\/:ref\/(?:finalize|activate))?$/

const waitMs: RetryPolicy = ({ code, status, details }, { route, mayRepeat, retries }) => {
  if (retries === RETRIES_MAX || !(mayRepeat || REPEATABLE.test(route))) return undefined
  if (code === 'rate_limited') {
    const ms = Number(details['retryAfterSeconds'] ?? 1) * 1_000
    return ms <= RETRY_AFTER_MAX_MS ? ms : undefined
  }
  const isRedirect = status >= 300 && status < 400
  const isTransient = code === 'network_error' || code === 'unexpected_answer' || status >= 500
  return isTransient && !isRedirect ? RETRY_AFTER_MS * 2 ** retries : undefined
}
