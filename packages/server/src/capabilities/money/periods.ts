import { type Clock, HOUR_MS, millisecondsOf } from '../../platform/clock.ts'

/** The UTC month of a time: 2026-11. */
export const periodAt = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

export const currentPeriod = (clock: Clock): string => periodAt(millisecondsOf(clock))

/** The UTC month that many months ago. */
export function monthsAgo(clock: Clock, count: number): string {
  const now = new Date(millisecondsOf(clock))
  return periodAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count))
}

/** Nodes may write the last usage of a month until then. Usage that is written later opens it again. */
const CLOSING_DELAY_MS = 2 * HOUR_MS

/** Whether nothing more is written to this month, so that it can be closed. */
export const isOver = (clock: Clock, period: string): boolean =>
  periodAt(millisecondsOf(clock) - CLOSING_DELAY_MS) > period

const RECENT_MONTHS = 3

/** Months that usually have usage that is not charged yet: the current one and those before it, newest first. */
export const recentPeriods = (clock: Clock): string[] =>
  Array.from({ length: RECENT_MONTHS }, (_, ago) => monthsAgo(clock, ago))
