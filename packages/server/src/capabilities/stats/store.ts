import { LEADERBOARD_PERIODS, type LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { LIMITS } from '@svc/contract/limits'
import type { PeriodValues } from '@svc/contract/stats'
import { sql } from 'kysely'

import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { AcceptedStat } from './integrity.ts'
import type { Periods } from './periods.ts'

export type { Transaction }

/** The boards of a report: one for each stat and period. */
export type Ranking = {
  /** In 1/1024 ms. */
  reachedAt: number
  /** Why the player is on no board; see the column `hidden`. */
  hidden: number | null
  isVerified: boolean
  /** Has at least the stats of the report that have a leaderboard. */
  of: ReadonlyMap<string, RankedStat>
}
export type RankedStat = {
  direction: 'desc' | 'asc'
  verifiedOnly: boolean
  /** Empty for periods that are off. */
  boards: Partial<Record<LeaderboardPeriod, number>>
  /** A row from before this time counts as absent. */
  resetAt: string | null
  /** The statement that the stat needs: a bit for each period that has a board, and one for a reset. */
  shape: number
}
const RESET = 1 << LEADERBOARD_PERIODS.length

export function rankedStat(stat: Omit<RankedStat, 'shape'>): RankedStat {
  const bits = LEADERBOARD_PERIODS.map((period, at) => (stat.boards[period] === undefined ? 0 : 1 << at))
  const periods = bits.reduce((all, bit) => all | bit)
  return { ...stat, shape: stat.resetAt === null ? periods : periods | RESET }
}

export type StatStore = ReturnType<typeof createStatStore>

/**
 * One row per stat contains all its values: the first report of a period overwrites the values of the previous one, so that no old
 * rows must be deleted. With a row per period, three stats took 80 µs on SQLite; this takes 35.
 */
export const createStatStore = (db: Pick<Database, 'all'>) => ({
  /** The stats of one player; no query of this file can reach another player's. */
  of: (environmentId: string, playerId: string) => ({
    list: () => db.all(list, { environmentId, playerId }),

    /**
     * One statement for all stats, so that concurrent reports are combined correctly. With a `ranking` it also puts the values on
     * their boards; without one it is the same statement as if there were no boards.
     */
    async combine(
      accepted: readonly AcceptedStat[],
      periods: Periods,
      updatedAt: string,
      ranking?: Ranking,
    ): Promise<[key: string, values: PeriodValues][]> {
      if (accepted.length === 0) return []
      const { zone, day, week, month } = periods
      // Rows are locked in this order, so that two reports of one player cannot deadlock.
      const sorted = accepted.toSorted((a, b) => (a.key < b.key ? -1 : 1))
      const report: Report = {
        environmentId,
        playerId,
        zone,
        day,
        week,
        month,
        updatedAt,
        keys: sorted.map(({ key }) => key),
        values: sorted.map(({ value }) => value),
        aggregations: sorted.map(({ aggregation }) => aggregation),
      }
      const rows = ranking
        ? await rankReport(db, report, ranking)
        : await db.all(combineOf(sorted.length), report)
      return rows.map(({ key, ...periodValues }) => [key, periodValues])
    },
  }),

  hasAny: async (transaction: Transaction, environmentId: string, playerId: string) =>
    (await transaction.all(list, { environmentId, playerId })).length > 0,
  removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeForPlayer, { environmentId, playerId }),
})

/** Without the rows of players who are hidden on a leaderboard and have no value of its stat. */
const list = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('stats')
    .select([
      'key',
      'allTime',
      'daily',
      'weekly',
      'monthly',
      'zone',
      'day',
      'week',
      'month',
      'aggregation',
      'updatedAt',
      'hidden',
    ])
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('updatedAt', '<>', sql.lit(''))
    .orderBy('key'),
)
const removeForPlayer = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('stats').where('environmentId', '=', environmentId).where('playerId', '=', playerId),
)

/** The values that all rows share, and lists with one value per row. */
type Report = PlayerKey &
  Periods & { updatedAt: string; keys: string[]; values: number[]; aggregations: string[] }

const combineOf = (count: number) => (combining[count] ??= combine(count))
const combining: (ReturnType<typeof combine> | undefined)[] = Array.from({
  length: LIMITS.statsPerSubmitMax + 1,
})

const combine = (count: number) =>
  statement((q, report: Report) =>
    q
      .insertInto('stats')
      .values(Array.from({ length: count }, (_, index) => rowOf(report, index)))
      .onConflict((conflict) =>
        conflict.columns(['environmentId', 'playerId', 'key']).doUpdateSet(combinedValues()),
      )
      .returning(['key', 'allTime', 'daily', 'weekly', 'monthly']),
  )

const combinedValues = () => ({
  // A row without a value: its player is hidden on a leaderboard, and has reported nothing.
  allTime: sql<number>`case when ${stored('updatedAt')} = '' then ${reported('allTime')} else ${combined('allTime')} end`,
  daily: inPeriod('day', combined('daily'), reported('daily')),
  weekly: inPeriod('week', combined('weekly'), reported('weekly')),
  monthly: inPeriod('month', combined('monthly'), reported('monthly')),
  day: inPeriod('day', stored('day'), reported('day')),
  week: inPeriod('week', stored('week'), reported('week')),
  month: inPeriod('month', stored('month'), reported('month')),
  zone: reported('zone'),
  aggregation: reported('aggregation'),
  updatedAt: reported('updatedAt'),
})

type Values = 'environmentId' | 'playerId' | 'key' | 'aggregation' | keyof Periods | keyof PeriodValues
type Reported = Pick<Tables['stats'], Values | 'updatedAt'>

function rowOf(report: Report, index: number): Reported {
  const value = report.values[index] as number
  return {
    environmentId: report.environmentId,
    playerId: report.playerId,
    key: report.keys[index] as string,
    aggregation: report.aggregations[index] as string,
    zone: report.zone,
    day: report.day,
    week: report.week,
    month: report.month,
    allTime: value,
    daily: value,
    weekly: value,
    monthly: value,
    updatedAt: report.updatedAt,
  }
}

type Column = keyof Tables['stats']
type Sql<T> = ReturnType<typeof sql<T>>

const stored = <C extends Column>(column: C) => sql<Tables['stats'][C]>`${sql.ref(`stats.${column}`)}`
const reported = <C extends Column>(column: C) => sql<Tables['stats'][C]>`${sql.ref(`excluded.${column}`)}`

/**
 * Another zone starts new periods. Within a zone, periods never go back: a report of a node whose clock is behind counts in the
 * current period.
 */
const inPeriod = <T>(period: 'day' | 'week' | 'month', before: Sql<T>, restarted: Sql<T>) =>
  sql<T>`case when ${stored('zone')} = ${reported('zone')} and ${stored(period)} >= ${reported(period)} then ${before} else ${restarted} end`

/** STA-06, in SQL that SQLite and PostgreSQL share. */
function combined(column: keyof PeriodValues) {
  const [before, value] = [stored(column), reported(column)]
  return sql<number>`case ${reported('aggregation')}
    when 'sum' then ${sumOf(before, value)}
    when 'max' then case when ${value} > ${before} then ${value} else ${before} end
    when 'min' then case when ${value} < ${before} then ${value} else ${before} end
    else ${value} end`
}

/** The maximum of a sum: above it PostgreSQL fails and SQLite returns Infinity. */
const LARGEST = sql.lit(1.79769e308)

const sumOf = (before: Sql<number>, value: Sql<number>) => sql<number>`case
    when ${before} >= 0 and ${value} > ${LARGEST} - ${before} then ${LARGEST}
    when ${before} < 0 and ${value} < -${LARGEST} - ${before} then -${LARGEST}
    else ${before} + ${value} end`

type RankedReport = Report & {
  hidden: number | null
  /** Of each stat. */
  ties: (number | null)[]
  resetAts: string[]
  /** Of the first stat in each period, then of the next stat. */
  boards: (number | null)[]
}

function rankReport(
  db: Pick<Database, 'all'>,
  report: Report,
  { reachedAt, hidden, isVerified, of }: Ranking,
) {
  const stats = report.keys.map((key) => of.get(key))
  const { periods, hasReset, ranked } = rankOf(stats)
  const ties: (number | null)[] = []
  const boards: (number | null)[] = []
  for (const stat of stats) {
    // A stat without a leaderboard keeps null, so that PostgreSQL updates it without its indexes.
    ties.push(stat ? (stat.direction === 'asc' ? reachedAt : -reachedAt) : null)
    const isShown = stat && hidden === null && (isVerified || !stat.verifiedOnly)
    for (const period of periods) boards.push(isShown ? (stat.boards[period] ?? null) : null)
  }
  const resetAts = hasReset ? stats.map((stat) => stat?.resetAt ?? '') : []
  return db.all(ranked, { ...report, hidden, ties, boards, resetAts })
}

type Rank = {
  /** Those of all stats of the report; only their columns are set. */
  periods: readonly LeaderboardPeriod[]
  hasReset: boolean
  ranked: ReturnType<typeof rank>
}
/** By shape, and by the number of stats. */
const ranking = new Map<number, (Rank | undefined)[]>()

function rankOf(stats: readonly (RankedStat | undefined)[]): Rank {
  let shape = 0
  for (const stat of stats) if (stat) shape |= stat.shape
  const known = ranking.get(shape) ?? []
  ranking.set(shape, known)
  return (known[stats.length] ??= buildRank(shape, stats.length))
}

function buildRank(shape: number, count: number): Rank {
  const periods = LEADERBOARD_PERIODS.filter((_, at) => (shape & (1 << at)) !== 0)
  const hasReset = (shape & RESET) !== 0
  return { periods, hasReset, ranked: rank(count, periods, hasReset) }
}

/** Like `combine`, and also sets the boards of these periods. */
const rank = (count: number, periods: readonly LeaderboardPeriod[], hasReset: boolean) =>
  statement((q, report: RankedReport) => {
    const indexes = Array.from({ length: count }, (_, index) => index)
    const isAbsent =
      hasReset &&
      sql<boolean>`${stored('updatedAt')} <= case ${reported('key')} ${sql.join(
        indexes.map((index) => sql`when ${report.keys[index]} then ${report.resetAts[index]}`),
        sql` `,
      )} end`
    const unlessAbsent = <T>(column: Column, set: Sql<T>): Sql<T> =>
      isAbsent ? sql<T>`case when ${isAbsent} then ${reported(column)} else ${set} end` : set

    const set: Record<string, Sql<unknown>> = { ...combinedValues(), hidden: HIDDEN }
    for (const period of periods) {
      set[`${period}Board`] = boardOf(period)
      set[`${period}Ranked`] = rankedOf(period)
      set[`${period}Tie`] = tieOf(period)
    }
    // A player that a developer has hidden stays hidden after a reset.
    for (const column of Object.keys(set) as Column[])
      if (column !== 'hidden' && !column.endsWith('Board'))
        set[column] = unlessAbsent(column, set[column] as Sql<unknown>)

    return q
      .insertInto('stats')
      .values(indexes.map((index) => ({ ...rowOf(report, index), ...boardsOf(report, index, periods) })))
      .onConflict((conflict) =>
        conflict.columns(['environmentId', 'playerId', 'key']).doUpdateSet(set as object),
      )
      .returning(['key', 'allTime', 'daily', 'weekly', 'monthly'])
  })

const boardsOf = (report: RankedReport, index: number, periods: readonly LeaderboardPeriod[]) => ({
  ...Object.fromEntries(
    periods.flatMap((period, at) => [
      [`${period}Board`, report.boards[index * periods.length + at]],
      [`${period}Ranked`, report.values[index]],
      [`${period}Tie`, report.ties[index]],
    ]),
  ),
  hidden: report.hidden,
})

const LABELS = { daily: 'day', weekly: 'week', monthly: 'month' } as const
const HIDDEN_BY_DEVELOPER = sql.lit(1)

/** An accepted report ends every reason except that of a developer. */
const HIDDEN = sql<
  number | null
>`case when ${stored('hidden')} = ${HIDDEN_BY_DEVELOPER} then ${HIDDEN_BY_DEVELOPER} else ${reported('hidden')} end`

/** A report of a node whose clock is behind counts in the current period: the value stays on its board. */
function boardOf(period: LeaderboardPeriod): Sql<number | null> {
  const shown = sql<
    number | null
  >`case when ${stored('hidden')} = ${HIDDEN_BY_DEVELOPER} then null else ${reported(`${period}Board`)} end`
  if (period === 'allTime') return shown
  const label = LABELS[period]
  return sql`case when ${stored('zone')} = ${reported('zone')} and ${stored(label)} > ${reported(label)} then ${stored(`${period}Board`)} else ${shown} end`
}

/** The stored value, if its stat has a leaderboard. */
const rankedOf = (period: LeaderboardPeriod) =>
  sql<
    number | null
  >`case when ${reported(`${period}Tie`)} is null then null else ${combinedValues()[period]} end`

/** An equal value keeps the time at which it was reached. The sign depends on the order of the board. */
function tieOf(period: LeaderboardPeriod): Sql<number | null> {
  const [before, now] = [stored(`${period}Tie`), reported(`${period}Tie`)]
  const kept = sql<
    number | null
  >`case when ${combined(period)} = ${stored(period)} and ${before} is not null and ${stored('updatedAt')} <> '' then case when ${now} < 0 then -abs(${before}) else abs(${before}) end else ${now} end`
  return period === 'allTime' ? kept : inPeriod(LABELS[period], kept, now)
}
