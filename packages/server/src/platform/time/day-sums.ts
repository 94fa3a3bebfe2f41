import { type Clock, DAY_MS, HOUR_MS, timestamp } from '../clock.ts'
import { createCache } from '../memory/cache.ts'
import { scanTtlMs } from '../memory/scan-ttl.ts'

/** Where sums of days are read and kept. Both ends of a range are included. */
export type DaySumStore<Sum> = {
  /** The sums that were kept until `now`. */
  kept(environmentId: string, from: string, to: string, now: string): Promise<(Sum & { day: string })[]>
  /** Sums the rows. Days without a row are left out. */
  sum(environmentId: string, from: string, to: string): Promise<(Sum & { day: string })[]>
  /** Keeps sums, except of days that already have one. */
  keep(environmentId: string, sums: readonly (Sum & { day: string })[], keptAt: string): Promise<unknown>
  /** How many rows were read for a sum. */
  rowsIn(sum: Sum): number
}

/** Writes of a day that arrive later than this after its end are not counted. */
const LATE_MS = HOUR_MS
const MICROS_PER_ROW = 0.3

/**
 * Sums per UTC day. A day that is over is summed once, when it is read for the first time, and kept: nothing is written when a row is, so
 * that writers do not wait for each other. Only the rows of the current day are summed again; the sum of very many is cached. A sum that
 * was kept in the future is none: the clock was ahead, and the day was not over.
 */
export function createDaySums<Sum extends object>(store: DaySumStore<Sum>, none: Sum, clock: Clock) {
  /** The key is the environment, the first and the last day. */
  const summed = createCache({
    read: (key) => store.sum(...(key.split(' ') as [string, string, string])),
    ttlMs: (sums) =>
      scanTtlMs(
        sums.reduce((rows, sum) => rows + store.rowsIn(sum), 0),
        MICROS_PER_ROW,
      ),
    entriesMax: 1_000,
  })

  /** Returns one sum for each of the days, which are in order and without a gap. */
  return async (environmentId: string, days: readonly string[]): Promise<(Sum & { day: string })[]> => {
    const [from = '', to = ''] = [days[0], days.at(-1)]
    const lastOver = timestamp(clock, -(DAY_MS + LATE_MS)).slice(0, 10)
    const now = timestamp(clock)
    const kept = await store.kept(environmentId, from, to < lastOver ? to : lastOver, now)
    const known = new Map(kept.map((sum) => [sum.day, sum]))
    const missing = days.filter((day) => !known.has(day))
    const [first, last] = [missing[0], missing.at(-1)]
    if (first !== undefined && last !== undefined) {
      for (const sum of await summed.get(`${environmentId} ${first} ${last}`))
        if (!known.has(sum.day)) known.set(sum.day, sum)
      const over = missing.filter((day) => day <= lastOver)
      if (over.length > 0) await store.keep(environmentId, over.map(sumOf), now)
    }
    return days.map(sumOf)

    function sumOf(day: string) {
      return known.get(day) ?? { ...none, day }
    }
  }
}
