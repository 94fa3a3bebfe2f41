import type { GeneratedAlways } from 'kysely'

/** Boards, and the winners of closed ones. The entries of boards are columns of `stats`. */
export type LeaderboardsTables = {
  /** One row per stat and period, and another for each day, week and month. */
  leaderboards: {
    /** Given by the database, in ascending order; never used again. */
    id: GeneratedAlways<number>
    environmentId: string
    key: string
    period: 'daily' | 'weekly' | 'monthly' | 'allTime'
    /** `2026-11-15`, `2026-W46`, `2026-11`; empty for all time. */
    label: string
    direction: 'desc' | 'asc'
    /** The part of the config that decides which values are on the board; if it changes, a new board replaces this one. */
    signature: string
    startsAt: string | null
    endsAt: string | null
    createdAt: string
    /** Values from before this time do not count; null when all of them are deleted. */
    resetAt: string | null
    replacedAt: string | null
    closedAt: string | null
    /** When the winners were counted for the last time; null again before a report is stored on a closed board. */
    settledAt: string | null
    /** Number of entries at the last checkpoint; of a closed board: when it was closed. */
    count: number | null
    /**
     * The remaining work: `fill` adds existing values, `refill` those that nodes stored without knowing of the board, `clear` removes
     * all entries, `delete` deletes values from before a reset.
     */
    work: 'fill' | 'refill' | 'clear' | 'delete' | null
    /** The last player that the work has processed. */
    workAfter: string | null
    /** No node creates a checkpoint before this time. */
    checkpointDueAt: string | null
    checkpointAt: string | null
    /** When the leaderboard of a closed board was turned off. */
    retiredAt: string | null
    /** With `verifiedOnly`: values that were reached from this time on are approved. */
    verifiedFrom: string | null
    /** `[[value, tie], …]` of every 250th place; the last column, because SQLite has to read through it to reach a later one. */
    checkpoint: string | null
  }
  /** The first 100 of closed boards. */
  leaderboards_winners: {
    environmentId: string
    key: string
    label: string
    rank: number
    playerId: string
    value: number
    tie: number
  }
  /** Entries that have left a board for that of the next period before the winners were counted for the last time; gone a minute later. */
  leaderboards_left: {
    board: number
    environmentId: string
    playerId: string
    value: number
    tie: number
  }
}
