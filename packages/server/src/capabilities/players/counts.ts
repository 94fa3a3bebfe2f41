import { type Clock, DAY_MS, dayOf, HOUR_MS, timestamp } from '../../platform/clock.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { scanTtlMs } from '../../platform/memory/scan-ttl.ts'
import type { CountStore, PlayerNumbers } from './counts-store.ts'

export type PlayerCounts = ReturnType<typeof createPlayerCounts>

/** A day is counted when sign-ups and links that began on it have ended for sure, also if the clocks of two nodes differ. */
const LATE_MS = HOUR_MS
/** A node of an earlier version notes no changes: what it changed during an upgrade is found when its day is counted again. */
const COUNTED_AGAIN_AFTER_MS = 7 * DAY_MS
/** In an hour, so that the job ends soon. */
const COUNTED_AGAIN_MAX = 10_000
/** To count one. */
export const MICROS_PER_PLAYER = 0.1

/**
 * How many players an environment has, and how many of them are not guests. The players of a day are counted once, when it is over;
 * deleting or registering one later changes the numbers of its day, in the same transaction. So only the players of the current day are
 * counted again, and nothing is written when a player is created: sign-ins do not wait for a common row.
 */
export function createPlayerCounts(store: CountStore, clock: Clock) {
  /** Counts the days that have no numbers yet. */
  async function countMissing(environmentId: string, days: readonly string[]): Promise<void> {
    const counted = await store.countedDays(environmentId)
    const missing: (PlayerNumbers & { day: string })[] = []
    for (const day of days) if (!counted.has(day)) missing.push(await store.countDay(environmentId, day))
    await store.keep(environmentId, missing, timestamp(clock))
  }

  async function read(environmentId: string): Promise<PlayerNumbers & { counted: number }> {
    const lastOver = timestamp(clock, -(DAY_MS + LATE_MS)).slice(0, 10)
    const open = await store.countFrom(environmentId, nextDay(lastOver))
    const first = (await store.firstDay(environmentId)) ?? nextDay(lastOver)
    const days = daysFrom(first, lastOver)
    let over = await store.sum(environmentId, first, lastOver)
    if (over.days < days.length) {
      await countMissing(environmentId, days)
      over = await store.sum(environmentId, first, lastOver)
    }
    return {
      players: over.players + open.players,
      registered: over.registered + open.registered,
      counted: open.players,
    }
  }

  const cache = createCache({
    read,
    ttlMs: ({ counted }) => scanTtlMs(counted, MICROS_PER_PLAYER),
    entriesMax: 1_000,
  })

  return {
    read: async (environmentId: string): Promise<PlayerNumbers> => cache.get(environmentId),
    /** What a clock that was ahead has counted: the days were not over. */
    forgetFuture: () => store.forgetAfter(timestamp(clock)),
    /** In the background, so that no request waits for it. */
    async countAgain(stopping: AbortSignal): Promise<void> {
      const before = timestamp(clock, -COUNTED_AGAIN_AFTER_MS)
      for (const { environmentId, day } of await store.countedBefore(before, COUNTED_AGAIN_MAX)) {
        stopping.throwIfAborted()
        await store.keep(environmentId, [await store.countDay(environmentId, day)], timestamp(clock))
      }
    },
  }
}

const nextDay = (day: string) => dayOf(Date.parse(day) + DAY_MS)

/** Both included; none if the first is after the last. */
function daysFrom(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = nextDay(day)) days.push(day)
  return days
}
