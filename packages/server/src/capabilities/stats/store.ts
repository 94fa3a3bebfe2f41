import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
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
  /** The periods of all stats of the report; only their columns are set. */
  periods: readonly LeaderboardPeriod[]
  /** In 1/1024 ms. */
  reachedAt: number
  /** Why the player is on no board; see the column `hidden`. */
  hidden: number | null
  of: ReadonlyMap<string, RankedStat>
}
export type RankedStat = {
  direction: 'desc' | 'asc'
  boards: Partial<Record<LeaderboardPeriod, number | null>>
  /** A row from before this time counts as absent. */
  resetAt: string | null
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
        ? await db.all(rankOf(sorted.length, ranking), rankedReport(report, ranking))
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
  allTime: combined('allTime'),
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

type RankedReport = Report & { hidden: number | null; resetAts: string[] } & {
  [P in LeaderboardPeriod as `${P}Board` | `${P}Tie`]?: (number | null)[]
}

function rankedReport(report: Report, { periods, reachedAt, hidden, of }: Ranking): RankedReport {
  const stats = report.keys.map((key) => of.get(key))
  const ranked: RankedReport = { ...report, hidden, resetAts: stats.map((stat) => stat?.resetAt ?? '') }
  // A stat without a leaderboard keeps null, so that PostgreSQL updates it without its indexes.
  const ties = stats.map((stat) => (stat ? (stat.direction === 'asc' ? reachedAt : -reachedAt) : null))
  for (const period of periods) {
    ranked[`${period}Board`] = stats.map((stat) => (hidden === null ? (stat?.boards[period] ?? null) : null))
    ranked[`${period}Tie`] = ties
  }
  return ranked
}

const ranking = new Map<string, ReturnType<typeof rank>>()

function rankOf(count: number, { periods, of }: Ranking) {
  const hasReset = of.values().some(({ resetAt }) => resetAt !== null)
  const name = `${count} ${periods.join()} ${hasReset}`
  const built = ranking.get(name) ?? rank(count, periods, hasReset)
  ranking.set(name, built)
  return built
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
    periods.flatMap((period) => [
      [`${period}Board`, report[`${period}Board`]?.[index]],
      [`${period}Ranked`, report.values[index]],
      [`${period}Tie`, report[`${period}Tie`]?.[index]],
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
  >`case when ${combined(period)} = ${stored(period)} and ${before} is not null then case when ${now} < 0 then -abs(${before}) else abs(${before}) end else ${now} end`
  return period === 'allTime' ? kept : inPeriod(LABELS[period], kept, now)
}
