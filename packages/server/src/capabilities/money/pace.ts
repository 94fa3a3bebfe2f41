import { type Clock, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'

type Spending = {
  developerId: string
  costMicroUsd: number
  openMicroUsd: number
  leftMicroUsd: number
}

const EARLY_LOOK_MS = 5 * SECOND_MS
const DEVELOPERS_MAX = 10_000

/**
 * Usage is written and charged once a minute. If the balance of a developer may not last until the minute after the next one, it is
 * looked at every five seconds instead, so that a busy function does not run up a debt of several minutes.
 */
export function createPace(clock: Clock) {
  const seen = new Map<string, { atMs: number; costMicroUsd: number }>()
  let dueAtMs: number | undefined

  /** Micro-USD per millisecond since the last check; before the first one, all that is not charged counts as used within a minute. */
  function rateOf({ developerId, costMicroUsd, openMicroUsd }: Spending, nowMs: number): number {
    const last = seen.get(developerId)
    // The cost begins at 0 with each month.
    if (!last || last.costMicroUsd > costMicroUsd || last.atMs >= nowMs) return openMicroUsd / MINUTE_MS
    return (costMicroUsd - last.costMicroUsd) / (nowMs - last.atMs)
  }

  return {
    /** Call for each developer whose usage was written. `leftMicroUsd` is what is left of the balance. */
    note(spending: Spending): void {
      const { developerId, costMicroUsd, leftMicroUsd } = spending
      const nowMs = clock.elapsedMs()
      const isClose = leftMicroUsd > 0 && leftMicroUsd < rateOf(spending, nowMs) * 2 * MINUTE_MS
      setBounded(seen, developerId, { atMs: nowMs, costMicroUsd }, DEVELOPERS_MAX)
      if (isClose) dueAtMs = nowMs + EARLY_LOOK_MS
    },

    /** True once, when it is time to check earlier than at the next minute. */
    takeDue(): boolean {
      if (dueAtMs === undefined || clock.elapsedMs() < dueAtMs) return false
      dueAtMs = undefined
      return true
    },
  }
}
