import { LEADERBOARD_PERIODS, type LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { sql } from 'kysely'

import { type Database, type Queries, statement } from '../../engines/database/database.ts'
import { HIDDEN_BY, type RankedStat, type Ranking, RESET, VERIFIED } from '../../platform/ports/ranking.ts'
import {
  type Column,
  combined,
  combinedValues,
  inPeriod,
  isInPeriod,
  type Report,
  reported,
  rowOf,
  type Sql,
  stored,
  upsert,
} from './report-rows-store.ts'

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

/** Stores a report, and puts its values on their boards. What it takes off a board is kept until the winners are counted. */
export function storeRanked(
  db: Pick<Database, 'all' | 'pipelined'>,
  report: Report,
  ranking: Ranking<Queries>,
) {
  const { keep } = ranking
  if (!keep) return rankReport(db, report, ranking)
  return db.pipelined(async (queries) => {
    const sent = [keep(queries, report.playerId), rankReport(queries, report, ranking)] as const
    return (await Promise.all(sent))[1]
  })
}

function rankReport(
  db: Pick<Database, 'all'>,
  report: Report,
  { reachedAt, hidden, isVerified, of }: Omit<Ranking, 'keep'>,
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
    const rows = indexes.map((index) => ({
      ...rowOf(report, index, hasId),
      ...boardsOf(report, index, periods),
    }))
    return upsert(q, rows, set, hasId)
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
