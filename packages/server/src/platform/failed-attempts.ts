import { ApiError } from './api-error.ts'
import { MINUTE_MS } from './clock.ts'
import { sha256 } from './crypto.ts'

/** Counts per key in fixed windows, together on all nodes; the engine is plugged in by the app. */
export type Counters = {
  hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  read(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  clear(key: string): Promise<void>
}

const WINDOW_MS = 10 * MINUTE_MS

export type FailedAttempts = ReturnType<typeof createFailedAttempts>

/** Guessing at one account is stopped by its own failures, so that a school behind one address is not (GEN-13). */
export function createFailedAttempts(counters: Counters, perAccountMax: number) {
  const count = (account: string) => counters.read(keyOf(account), WINDOW_MS)

  return {
    isTooMany: async (account: string) => (await count(account)).count >= perAccountMax,
    async refuseIfTooMany(account: string) {
      const { count: failures, resetsInMs } = await count(account)
      if (failures < perAccountMax) return
      throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / 1_000)) })
    },
    async failed(account: string) {
      await counters.hit(keyOf(account), WINDOW_MS)
    },
    succeeded: (account: string) => counters.clear(keyOf(account)),
  }
}

/** An account may be named by its email, which is nobody's business in a shared store. */
const keyOf = (account: string) => `failures:${sha256(account)}`
