import { LIMITS } from '@svc/contract/common/limits'
import { LEADERBOARD_PERIODS, type LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import type { PeriodValues } from '@svc/contract/stats'
import { sql } from 'kysely'

import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { PlayerKey } from '../../platform/player.ts'
import { HIDDEN_BY, type RankedStat, type Ranking, RESET, VERIFIED } from '../../platform/ports/ranking.ts'
import type { Periods } from '../../platform/time/periods.ts'
import type { AcceptedStat } from './integrity.ts'

export type { Transaction }

export type StatStore = ReturnType<typeof createStatStore>

/**
 * One row per stat contains all its values: the first report of a period overwrites the values of the previous one, so that no old
 * rows must be deleted. With a row per period, three stats took 80 µs on SQLite; this takes 35.
 */
export const createStatStore = (db: Pick<Database, 'all'>) => ({
  in: (transaction: Transaction) => createStatStore(transaction),
  /** The stats of one player; no query of this file can reach another player's. */
  of: (environmentId: string, playerId: string) => ({
    list: () => db.all(list, { environmentId, playerId }),

    /**
     * One statement for all stats, so that concurrent reports are combined correctly. With a `ranking` it also puts the values on
     * their boards; without one it is the same statement as if there were no boards. A stat that has counted a report with this key
     * stays as it is, and is left out of the result (STA-18).
     */
    async combine(
      accepted: readonly AcceptedStat[],
      periods: Periods,
      updatedAt: string,
      ranking?: Ranking,
      idempotencyKey?: string,
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
        reportId: idempotencyKey === undefined ? null : reportIdOf(idempotencyKey),
      }
      const rows = ranking
        ? await rankReport(db, report, ranking)
        : await db.all(combineOf(sorted.length, report.reportId !== null), report)
      return rows.map(({ key, ...periodValues }) => [key, periodValues])
    },
  }),

  /** Rows without a value are included: their `updatedAt` is empty. */
  valuesAmong: (environmentId: string, key: string, playerIds: readonly string[]) =>
    listValuesAmong(db, { environmentId, key }, playerIds),

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
    .where((e) => e.and({ environmentId, playerId }))
    .where('updatedAt', '<>', sql.lit(''))
    .orderBy('key'),
)
const listValuesAmong = listStatement(
  (q, { environmentId, key }: { environmentId: string; key: string }, playerIds) =>
    q
      .selectFrom('stats')
      .select(['playerId', 'allTime', 'updatedAt'])
      .where((e) => e.and({ environmentId, key }))
      .where('playerId', 'in', playerIds),
)
const removeForPlayer = deleteBy('stats', ['environmentId', 'playerId'])

/** The values that all rows share, and lists with one value per row. */
type Report = PlayerKey &
  Periods & {
    updatedAt: string
    keys: string[]
    values: number[]
    aggregations: string[]
    /** Null: the report has no Idempotency-Key. */
    reportId: string | null
  }

const combineOf = (count: number, hasId: boolean) =>
  (combining[hasId ? 1 : 0][count] ??= combine(count, hasId))
const perCount = () =>
  Array.from<ReturnType<typeof combine> | undefined>({ length: LIMITS.statsPerSubmitMax + 1 })
const combining = [perCount(), perCount()] as const

const combine = (count: number, hasId: boolean) =>
  statement((q, report: Report) =>
    q
      .insertInto('stats')
      .values(Array.from({ length: count }, (_, index) => rowOf(report, index, hasId)))
      .onConflict((conflict) => {
        const update = conflict.columns(['environmentId', 'playerId', 'key'])
        return hasId
          ? update.doUpdateSet({ ...combinedValues(), reports: REPORTS }).where(IS_NEW)
          : update.doUpdateSet(combinedValues())
      })
      .returning(['key', 'allTime', 'daily', 'weekly', 'monthly']),
  )

/**
 * A stat keeps the ids of its last reports that had a key, the newest first, so a report that is sent again finds its own id. No other row
 * is written, nothing must be removed later, and a crash cannot separate a report from its id. 48 bits are enough among 16.
 */
const REPORT_ID_LENGTH = 8
const REPORT_IDS_MAX = 16
const reportIdOf = (idempotencyKey: string) =>
  Buffer.from(sha256(idempotencyKey), 'hex').toString('base64url').slice(0, REPORT_ID_LENGTH)
const STORED_REPORTS = sql<string>`coalesce(${sql.ref('stats.reports')}, '')`
const REPORTS = sql<string>`substr(${sql.ref('excluded.reports')} || ${STORED_REPORTS}, 1, ${sql.lit(REPORT_ID_LENGTH * REPORT_IDS_MAX)})`
const IS_NEW = sql<boolean>`replace(${STORED_REPORTS}, ${sql.ref('excluded.reports')}, '') = ${STORED_REPORTS}`

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
type Reported = Pick<Tables['stats'], Values | 'updatedAt'> & Partial<Pick<Tables['stats'], 'reports'>>

function rowOf(report: Report, index: number, hasId: boolean): Reported {
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
    ...(hasId && { reports: report.reportId }),
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
const inPeriod = <T>(period: Label, before: Sql<T>, restarted: Sql<T>) =>
  sql<T>`case when ${isInPeriod(period)} then ${before} else ${restarted} end`
const isInPeriod = (period: Label) =>
  sql<boolean>`${stored('zone')} = ${reported('zone')} and ${stored(period)} >= ${reported(period)}`
type Label = 'day' | 'week' | 'month'

/** STA-06, in SQL that SQLite and PostgreSQL share. */
function combined(column: keyof PeriodValues | `${LeaderboardPeriod}Ranked`) {
  const [before, value] = [stored(column) as Sql<number>, reported(column) as Sql<number>]
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
  /** One per stat: null if it has no leaderboard, or a leaderboard of approved values and this one is not approved. */
  ranked: (number | null)[]
  ties: (number | null)[]
  resetAts: string[]
  verifiedFroms: (number | null)[]
  /** The boards of the first stat in each period, then those of the next stat. */
  boards: (number | null)[]
}

function rankReport(
  db: Pick<Database, 'all'>,
  report: Report,
  { reachedAt, hidden, isVerified, of }: Ranking,
) {
  const stats = report.keys.map((key) => of.get(key))
  const { periods, shape, statement } = rankOf(stats, report.reportId !== null)
  const ranked: (number | null)[] = []
  const ties: (number | null)[] = []
  const boards: (number | null)[] = []
  for (const [index, stat] of stats.entries()) {
    // A stat without a leaderboard keeps null, so that PostgreSQL updates it without its indexes.
    const counts = stat && (stat.verifiedFrom === null || isVerified)
    ranked.push(counts ? (report.values[index] as number) : null)
    ties.push(counts ? tieFor(stat, reachedAt) : null)
    for (const period of periods)
      boards.push(counts && hidden === null ? (stat.boards[period] ?? null) : null)
  }
  const resetAts = shape & RESET ? stats.map((stat) => stat?.resetAt ?? '') : []
  const verifiedFroms = shape & VERIFIED ? stats.map((stat) => stat?.verifiedFrom ?? null) : []
  return db.all(statement, { ...report, hidden, ranked, ties, boards, resetAts, verifiedFroms })
}

function tieFor({ direction, verifiedFrom }: RankedStat, reachedAt: number): number {
  const at = Math.max(reachedAt, verifiedFrom ?? 0)
  return direction === 'asc' ? at : -at
}

/** Beside the bits of the stats: the report has an id. */
const HAS_ID = VERIFIED << 1

type Rank = {
  /** Those of all stats of the report; only their columns are set. */
  periods: readonly LeaderboardPeriod[]
  shape: number
  statement: ReturnType<typeof rank>
}
/** By shape, and by the number of stats. */
const ranking = new Map<number, (Rank | undefined)[]>()

function rankOf(stats: readonly (RankedStat | undefined)[], hasId: boolean): Rank {
  let shape = hasId ? HAS_ID : 0
  for (const stat of stats) if (stat) shape |= stat.shape
  const known = ranking.get(shape) ?? []
  ranking.set(shape, known)
  return (known[stats.length] ??= buildRank(shape, stats.length))
}

function buildRank(shape: number, count: number): Rank {
  const periods = LEADERBOARD_PERIODS.filter((_, at) => (shape & (1 << at)) !== 0)
  return { periods, shape, statement: rank(count, periods, shape) }
}

/** Like `combine`, and also sets the boards of these periods. */
const rank = (count: number, periods: readonly LeaderboardPeriod[], shape: number) =>
  statement((q, report: RankedReport) => {
    const indexes = Array.from({ length: count }, (_, index) => index)
    const ofStat = (valueOf: (index: number) => Sql<unknown>) =>
      sql`case ${reported('key')} ${sql.join(
        indexes.map((index) => sql`when ${report.keys[index]} then ${valueOf(index)}`),
        sql` `,
      )} end`
    const isAbsent =
      (shape & RESET) !== 0 &&
      sql<boolean>`${stored('updatedAt')} <= ${ofStat((index) => sql`${report.resetAts[index]}`)}`
    const verifiedFrom =
      (shape & VERIFIED) !== 0 &&
      (ofStat((index) => sql`cast(${report.verifiedFroms[index]} as bigint)`) as Sql<number | null>)
    const unlessAbsent = <T>(column: Column, set: Sql<T>): Sql<T> =>
      isAbsent ? sql<T>`case when ${isAbsent} then ${reported(column)} else ${set} end` : set

    const set: Record<string, Sql<unknown>> = { ...combinedValues(), hidden: HIDDEN }
    for (const period of periods) {
      const columns = { Board: boardOf(period), Ranked: rankedOf(period), Tie: tieOf(period) }
      const { Board, Ranked, Tie } = verifiedFrom
        ? approvedOnly(period, columns, verifiedFrom, isAbsent)
        : columns
      set[`${period}Board`] = Board
      set[`${period}Ranked`] = Ranked
      set[`${period}Tie`] = Tie
    }
    // A player that a developer has hidden stays hidden after a reset.
    for (const column of Object.keys(set) as Column[])
      if (column !== 'hidden' && !column.endsWith('Board'))
        set[column] = unlessAbsent(column, set[column] as Sql<unknown>)
    const hasId = (shape & HAS_ID) !== 0

    return q
      .insertInto('stats')
      .values(
        indexes.map((index) => ({ ...rowOf(report, index, hasId), ...boardsOf(report, index, periods) })),
      )
      .onConflict((conflict) => {
        const update = conflict.columns(['environmentId', 'playerId', 'key'])
        return hasId
          ? update.doUpdateSet({ ...set, reports: REPORTS } as object).where(IS_NEW)
          : update.doUpdateSet(set as object)
      })
      .returning(['key', 'allTime', 'daily', 'weekly', 'monthly'])
  })

const boardsOf = (report: RankedReport, index: number, periods: readonly LeaderboardPeriod[]) => ({
  ...Object.fromEntries(
    periods.flatMap((period, at) => [
      [`${period}Board`, report.boards[index * periods.length + at]],
      [`${period}Ranked`, report.ranked[index]],
      [`${period}Tie`, report.ties[index]],
    ]),
  ),
  hidden: report.hidden,
})

const LABELS = { daily: 'day', weekly: 'week', monthly: 'month' } as const
const HIDDEN_BY_DEVELOPER = sql.lit(HIDDEN_BY.developer)

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
  const now = reported(`${period}Tie`)
  const kept = sql<
    number | null
  >`case when ${combined(period)} = ${stored(period)} and ${stored(`${period}Tie`)} is not null and ${stored('updatedAt')} <> '' then ${storedTie(period)} else ${now} end`
  return period === 'allTime' ? kept : inPeriod(LABELS[period], kept, now)
}

/** The stored tie, with the sign of the reported one. */
const storedTie = (period: LeaderboardPeriod) =>
  sql<number>`case when ${reported(`${period}Tie`)} < 0 then -abs(${stored(`${period}Tie`)}) else abs(${stored(`${period}Tie`)}) end`

type Columns = { Board: Sql<number | null>; Ranked: Sql<number | null>; Tie: Sql<number | null> }

/**
 * With `verifiedOnly`, `…Ranked` combines the approved values alone (LDB-13): a report that is not approved keeps it and its board.
 * Without, `verifiedFrom` is null, and the columns are those of every value.
 */
function approvedOnly(
  period: LeaderboardPeriod,
  ofEvery: Columns,
  verifiedFrom: Sql<number | null>,
  isAbsent: Sql<boolean> | false,
): Columns {
  const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
  const conditions = [
    sql`${stored('updatedAt')} <> '' and abs(${stored(tie)}) >= ${verifiedFrom}`,
    ...(period === 'allTime' ? [] : [isInPeriod(LABELS[period])]),
    ...(isAbsent ? [sql`not (${isAbsent})`] : []),
  ]
  const hasApproved = sql<boolean>`(${sql.join(conditions, sql` and `)})`
  const choose = (every: Sql<unknown>, approved: Sql<unknown>, notApproved: Sql<unknown>) =>
    sql<number | null>`case
      when ${verifiedFrom} is null then ${every}
      when ${reported(tie)} is not null then ${approved}
      when ${hasApproved} then ${notApproved} end`
  return {
    Board: choose(ofEvery.Board, ofEvery.Board, stored(board)),
    Ranked: choose(
      ofEvery.Ranked,
      sql`case when ${hasApproved} then ${combined(ranked)} else ${reported(ranked)} end`,
      stored(ranked),
    ),
    Tie: choose(
      ofEvery.Tie,
      sql`case when ${hasApproved} and ${combined(ranked)} = ${stored(ranked)} then ${storedTie(period)} else ${reported(tie)} end`,
      stored(tie),
    ),
  }
}
