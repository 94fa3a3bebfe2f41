import { LEADERBOARD_PERIODS, type LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import type { Awaitable } from '../memory/awaitable.ts'
import type { Periods } from '../time/periods.ts'

/**
 * Why a player is on no board; see the column `hidden`. The next accepted report ends every reason but the first; until then no work on
 * boards adds the value. `wait`: a developer has shown the player again.
 */
export const HIDDEN_BY = { developer: 1, ban: 2, choice: 3, wait: 4 } as const

/** The boards of a report: one for each stat and period. Leaderboards choose them; stats store them with the values. */
export type Ranking<Queries = unknown> = {
  /** In 1/1024 ms. */
  reachedAt: number
  /** Why the player is on no board; see `HIDDEN_BY`. */
  hidden: number | null
  isVerified: boolean
  /** Has at least the stats of the report that have a leaderboard. */
  of: ReadonlyMap<string, RankedStat>
  /** Call it when the values are committed, before the response: boards of periods that are over count their winners again. */
  stored?: (() => Promise<void>) | undefined
  /**
   * If set, call it in the transaction that stores the values, and before them: a period has ended, and its winners are not counted yet. It
   * keeps what the player had in that period; the values of the next one take it off its board.
   */
  keep?: ((queries: Queries, playerId: string) => Promise<unknown>) | undefined
}

/** The boards of one stat. */
export type RankedStat = {
  direction: 'desc' | 'asc'
  /** With `verifiedOnly`: approved values were reached from this time on, in 1/1024 ms. Null: all values count. */
  verifiedFrom: number | null
  /** Empty for periods that are off. */
  boards: Partial<Record<LeaderboardPeriod, number>>
  /** A row from before this time counts as absent. */
  resetAt: string | null
  /** The statement that the stat needs: a bit for each period that has a board, `RESET` and `VERIFIED`. */
  shape: number
}

/** The bit of a shape with a reset. */
export const RESET = 1 << LEADERBOARD_PERIODS.length
/** The bit of a shape with `verifiedOnly`. */
export const VERIFIED = RESET << 1

/** Adds the shape. */
export function rankedStat(stat: Omit<RankedStat, 'shape'>): RankedStat {
  const bits = LEADERBOARD_PERIODS.map((period, at) => (stat.boards[period] === undefined ? 0 : 1 << at))
  const periods = bits.reduce((all, bit) => all | bit)
  const others = (stat.resetAt === null ? 0 : RESET) | (stat.verifiedFrom === null ? 0 : VERIFIED)
  return { ...stat, shape: periods | others }
}

/** What stats need of leaderboards. */
export type Rankings<Config, Queries> = {
  /** The boards for the values of a report; undefined if none of its stats has a leaderboard. */
  rankingOf(
    environmentId: string,
    config: Config,
    accepted: readonly { key: string }[],
    periods: Periods,
    reporter: Reporter,
  ): Awaitable<Ranking<Queries> | undefined>
  /** The time of the last reset of a stat: older values count as absent. Undefined if there was none. */
  resetAt(environmentId: string, config: Config): Awaitable<(key: string) => string | undefined>
}

/** The player of a report, and whether the values are verified. */
export type Reporter = Pick<Ranking, 'hidden' | 'isVerified'>
