import { ApiError } from '../api-error.ts'

/** Whether a call was admitted; if not, when the next one will be. */
export type Admission = { isAdmitted: boolean; retryInMs: number }

/** The part of the counters that admits at most `max` calls within any period of `windowMs`, counted on all nodes together. */
export type SlidingCounters = {
  admit(key: string, windowMs: number, max: number): Promise<Admission>
}

/** Throws `rate_limited` with the seconds to wait, when the limit is reached. */
export function requireAdmitted({ isAdmitted, retryInMs }: Admission): void {
  if (isAdmitted) return
  throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1_000)) })
}
