import { isSvcError, type SvcError } from './errors.ts'
import { pause, type Platform } from './platform.ts'

/** A call that has failed: whether it is safe to send it again, and how often it was repeated already. */
export type FailedCall = { route: string; mayRepeat: boolean; retries: number }

/** Returns how many milliseconds to wait before the call is repeated, or undefined if its error goes to the caller. */
export type RetryPolicy = (error: SvcError, failed: FailedCall) => number | undefined

/** The `name` of the `cause` of a call that has timed out, as that of `AbortSignal.timeout`. */
export const TIMED_OUT = 'TimeoutError'
const RETRY_AFTER_MS = 350
const RETRIES_MAX = 2
/** For a longer wait the caller gets the error and decides; the time is in `details.retryAfterSeconds`. */
const RETRY_AFTER_SECONDS_MAX = 3
/** The waits add up to 11 to 16 seconds: a service that restarts is back. */
const PLAYER_RETRIES_MAX = 5

/** Calls `attempt`, and again after each failure for which the policy has a wait. */
export async function repeated<T>(
  attempt: (retries: number) => Promise<T>,
  retry: RetryPolicy,
  call: Pick<FailedCall, 'route' | 'mayRepeat'>,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries)
    } catch (error) {
      const waitMs = isSvcError(error) ? retry(error, { ...call, retries }) : undefined
      if (waitMs === undefined) throw error
      await pause(waitMs)
    }
  }
}

/** Retries with jitter, if the service is unavailable for a moment or asks for a short wait. */
export const standardRetry =
  (random: Platform['random'], retriesMax = RETRIES_MAX): RetryPolicy =>
  ({ code, status, details, cause }, { mayRepeat, retries }) => {
    const seconds = Number(details['retryAfterSeconds'] ?? 0)
    // A call that was rate-limited, or did not arrive whole, was not performed: it is safe to repeat whatever it does.
    const isTransient =
      code === 'rate_limited'
        ? seconds > 0
        : code === 'request_timeout' ||
          (mayRepeat && (/^network_error$|_in_use$/.test(code) || [502, 503, 504].includes(status)))
    // Each of them has taken its time already.
    const max = (cause as Error | undefined)?.name === TIMED_OUT ? RETRIES_MAX : retriesMax
    if (!isTransient || retries >= max || seconds > RETRY_AFTER_SECONDS_MAX) return undefined
    return seconds * 1_000 + RETRY_AFTER_MS * 2 ** retries * (1 + random() / 2)
  }

/** For a player's page, which outlives a restart of the service. */
export const playerRetry = (random: Platform['random']): RetryPolicy =>
  standardRetry(random, PLAYER_RETRIES_MAX)
