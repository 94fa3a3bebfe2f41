import { type Clock, timestamp } from '../../platform/clock.ts'
import type { ActivityStore } from './activity-store.ts'

export type Activity = ReturnType<typeof createActivity>

/** Players seen between two writes; more than this many wait for the next day's first request. */
const WAITING_MAX = 100_000
const WRITTEN_AT_ONCE = 100

/** Who was here on which day: counted off the path of requests, once per player and day. */
export function createActivity(store: ActivityStore, clock: Clock) {
  let day = ''
  /** Seen today, whether written yet or not. */
  const seen = new Set<string>()
  const waiting = new Map<string, { environmentId: string; playerId: string }>()

  return {
    note(environmentId: string, playerId: string) {
      const today = timestamp(clock).slice(0, 10)
      if (today !== day) {
        day = today
        seen.clear()
      }
      const key = `${environmentId} ${playerId}`
      if (seen.has(key) || waiting.size >= WAITING_MAX) return
      if (seen.size < WAITING_MAX) seen.add(key)
      waiting.set(key, { environmentId, playerId })
    },

    async write() {
      const due = [...waiting.values()]
      const today = day
      waiting.clear()
      // A few at a time: all at once they would leave no place for anybody else's writes, nor for all of their own.
      while (due.length > 0)
        await Promise.all(
          due.splice(-WRITTEN_AT_ONCE).map((one) => store.seen(one.environmentId, one.playerId, today)),
        )
    },

    /** The players of each of the last `days` days, oldest first. */
    async daily(environmentId: string, days: number) {
      const dates = Array.from({ length: days }, (_, i) =>
        timestamp(clock, (i + 1 - days) * 86_400_000).slice(0, 10),
      )
      const counts = new Map(
        (await store.countByDay(environmentId, dates[0] ?? '')).map(({ day, players }) => [day, players]),
      )
      return dates.map((date) => ({ date, count: counts.get(date) ?? 0 }))
    },

    tidy: () => store.forgetBefore(timestamp(clock, -60 * 86_400_000).slice(0, 10)),
  }
}
