import type { Background } from '../../platform/background.ts'
import { type Clock, DAY_MS, MINUTE_MS, millisecondsOf, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { createDaySums } from '../../platform/time/day-sums.ts'
import type { ActivityStore } from './activity-store.ts'

export type Activity = ReturnType<typeof createActivity>

type ActivityDeps = { clock: Clock; background: Pick<Background, 'run'> }
/** `isNewDay` is false if this day is already written. */
type Seen = { environmentId: string; playerId: string; at: string; isNewDay: boolean }

/** The precision of `lastSeenAt`: more frequent activity is not written. */
const APART_MS = 5 * MINUTE_MS
/** Other nodes see the activity of this one after this time at the latest. */
const WRITE_WITHIN_MS = 5 * SECOND_MS
/** The maximum of players that wait to be written, and of players whose last activity is cached. */
const PLAYERS_MAX = 100_000
/** More would delay other writes. */
const WRITTEN_TOGETHER = 100
/** A time of the same minute is not replaced: a new player has one from its creation. */
const NEWER_BY_MS = MINUTE_MS

/**
 * The days on which players were active, and the time of their last activity: noted in memory, written soon after, outside of
 * requests.
 */
export function createActivity(store: ActivityStore, { clock, background }: ActivityDeps) {
  /** When a player was last noted. */
  const notedMs = new Map<string, number>()
  const waiting = new Map<string, Seen>()
  let timer: NodeJS.Timeout | undefined
  const sums = createDaySums({ ...store.sums, rowsIn: ({ players }) => players }, { players: 0 }, clock)

  function writeSoon() {
    timer ??= setTimeout(() => background.run(() => write()), WRITE_WITHIN_MS).unref()
  }

  /** Writes the waiting entries of one environment, or of all. Entries that cannot be written stay waiting. */
  async function write(environmentId?: string) {
    if (environmentId === undefined) {
      clearTimeout(timer)
      timer = undefined
      if (notedMs.size >= PLAYERS_MAX) evictRecorded()
    }
    const due = [...waiting].filter(([, seen]) => [undefined, seen.environmentId].includes(environmentId))
    try {
      for (const group of Map.groupBy(due, ([, seen]) => momentOf(seen)).values())
        while (group.length > 0) {
          const some = group.splice(-WRITTEN_TOGETHER)
          await writeTogether(some.map(([, seen]) => seen))
          for (const [key] of some) waiting.delete(key)
        }
    } finally {
      if (waiting.size > 0) writeSoon()
    }
  }

  /** For players of the same moment: all get the time of the first. */
  async function writeTogether(group: readonly Seen[]) {
    const [first] = group
    if (!first) return
    const { environmentId, at } = first
    const before = timestamp({ now: () => new Date(at) }, -NEWER_BY_MS)
    await store.addDay(environmentId, at.slice(0, 10), idsOf(group.filter(({ isNewDay }) => isNewDay)))
    await store.setLastSeen(environmentId, { at, before }, idsOf(group))
  }

  function evictRecorded() {
    const nowMs = millisecondsOf(clock)
    for (const [key, atMs] of notedMs) if (nowMs - atMs >= APART_MS) notedMs.delete(key)
  }

  return {
    note(environmentId: string, playerId: string) {
      const key = `${environmentId} ${playerId}`
      const nowMs = millisecondsOf(clock)
      const lastMs = notedMs.get(key)
      const isNewDay = lastMs === undefined || dayNumber(lastMs) !== dayNumber(nowMs)
      if (!isNewDay && nowMs - lastMs < APART_MS) return
      if (waiting.size >= PLAYERS_MAX) return

      if (lastMs !== undefined || notedMs.size < PLAYERS_MAX) notedMs.set(key, nowMs)
      // The key contains the day, so that both days are written around midnight.
      waiting.set(`${dayNumber(nowMs)} ${key}`, { environmentId, playerId, at: timestamp(clock), isNewDay })
      writeSoon()
    },

    write,

    /**
     * The number of active players of each of the last `days` days, oldest first, including those that this node has not written
     * yet.
     */
    async daily(environmentId: string, days: number) {
      await write(environmentId)
      const dates = Array.from({ length: days }, (_, i) =>
        timestamp(clock, (i + 1 - days) * DAY_MS).slice(0, 10),
      )
      return (await sums(environmentId, dates)).map(({ day, players }) => ({ date: day, count: players }))
    },

    /** Sums that a clock that was ahead has kept. */
    forgetFutureSums: () => store.forgetSumsAfter(timestamp(clock)),
    purgeExpired: (stopping?: AbortSignal) =>
      store.deleteBefore(timestamp(clock, -60 * DAY_MS).slice(0, 10), stopping),
  }
}

/** Days are UTC. */
const dayNumber = (ms: number) => Math.floor(ms / DAY_MS)

/** The environment and the ten seconds in which a player was active. */
const momentOf = ({ environmentId, at }: Seen) => `${environmentId} ${at.slice(0, -6)}`

const idsOf = (group: readonly Seen[]) => group.map(({ playerId }) => playerId).toSorted()
