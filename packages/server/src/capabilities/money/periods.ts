import { type Clock, HOUR_MS, millisecondsOf } from '../../platform/clock.ts'

/** The UTC month of a time: 2026-11. */
export const periodAt = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

export const currentPeriod = (clock: Clock): string => periodAt(millisecondsOf(clock))

/** The UTC month that many months ago. */
export function monthsAgo(clock: Clock, count: number): string {
  const now = new Date(millisecondsOf(clock))
  return periodAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count))
}

/** Nodes may write the last usage of a month until then; it is never written to a closed month. */
const CLOSING_DELAY_MS = 2 * HOUR_MS

/** Months that may have usage that is not charged yet: the current one and those before it, newest first. */
export function openPeriods(clock: Clock, monthsMax = 3): { period: string; isOver: boolean }[] {
  const nowMs = millisecondsOf(clock)
  const now = new Date(nowMs)
  return Array.from({ length: monthsMax }, (_, ago) => {
    const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)
    const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago + 1)
    return { period: periodAt(startMs), isOver: nowMs >= endMs + CLOSING_DELAY_MS }
  })
}
