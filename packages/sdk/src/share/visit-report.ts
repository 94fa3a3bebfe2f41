import type { SvcError } from '../http/errors.ts'
import { pause } from '../http/platform.ts'

type ReportDeps = {
  random(): number
  /** Aborted when the client is closed. */
  signal: AbortSignal
  wait?: (ms: number) => Promise<void>
}

/** Visitors who came together, and were refused together, come back one by one. */
const AGAIN_SECONDS = { min: 5, max: 30 }
const RETRY_AFTER_SECONDS_MAX = 300

/**
 * Reports a visit, and once more, later, if the service refused it (429, 502 to 504) or did not answer. A visit counts once, so the second
 * report is safe as long as it is sent as the same player.
 */
export async function reportOnceMore<T>(
  send: () => Promise<T>,
  { random, signal, wait = pause }: ReportDeps,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!isRefused(error as SvcError)) throw error
    const { min, max } = AGAIN_SECONDS
    const asked = Number((error as SvcError).details['retryAfterSeconds'] ?? 0)
    const seconds = Math.min(asked, RETRY_AFTER_SECONDS_MAX) + min + random() * (max - min)
    await wait(seconds * 1_000)
    if (signal.aborted) throw error
    return send()
  }
}

const isRefused = ({ code, status }: SvcError): boolean =>
  code === 'network_error' || [429, 502, 503, 504].includes(status)
