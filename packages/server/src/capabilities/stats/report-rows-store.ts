import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import type { PeriodValues } from '@svc/contract/stats'
import { type Kysely, sql } from 'kysely'

import type { Tables } from '../../engines/database/database.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Periods } from '../../platform/time/periods.ts'

/** The values that all rows share, and lists with one value per row. */
export type Report = PlayerKey &
  Periods & {
    updatedAt: string
    keys: string[]
    values: number[]
    aggregations: string[]
    /** Null: the report has no Idempotency-Key. */
    reportId: string | null
  }

/** Inserts the rows of a report, or changes those that exist as `set` says, unless they have counted this report already. */
export const upsert = (q: Kysely<Tables>, rows: readonly object[], set: object, hasId: boolean) =>
  q
    .insertInto('stats')
    .values(rows as Reported[])
    .onConflict((conflict) => {
      const update = conflict.columns(['environmentId', 'playerId', 'key'])
      return hasId ? update.doUpdateSet({ ...set, reports: REPORTS }).where(IS_NEW) : update.doUpdateSet(set)
    })
    .returning(['key', 'allTime', 'daily', 'weekly', 'monthly'])

/**
 * A stat keeps the ids of its last reports that had a key, the newest first, so a report that is sent again finds its own id. No other row
 * is written, nothing must be removed later, and a crash cannot separate a report from its id. 48 bits are enough among 16.
 */
const REPORT_ID_LENGTH = 8
const REPORT_IDS_MAX = 16
export const reportIdOf = (idempotencyKey: string) =>
  Buffer.from(sha256(idempotencyKey), 'hex').toString('base64url').slice(0, REPORT_ID_LENGTH)
const STORED_REPORTS = sql<string>`coalesce(${sql.ref('stats.reports')}, '')`
const REPORTS = sql<string>`substr(${sql.ref('excluded.reports')} || ${STORED_REPORTS}, 1, ${sql.lit(REPORT_ID_LENGTH * REPORT_IDS_MAX)})`
const IS_NEW = sql<boolean>`replace(${STORED_REPORTS}, ${sql.ref('excluded.reports')}, '') = ${STORED_REPORTS}`

/** The columns of a row after a report. */
export const combinedValues = () => ({
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

/** The row of one stat of the report, as if it were the first one. */
export function rowOf(report: Report, index: number, hasId: boolean): Reported {
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

export type Column = keyof Tables['stats']
export type Sql<T> = ReturnType<typeof sql<T>>

/** A column of the row that exists. */
export const stored = <C extends Column>(column: C) => sql<Tables['stats'][C]>`${sql.ref(`stats.${column}`)}`
/** A column of the report. */
export const reported = <C extends Column>(column: C) =>
  sql<Tables['stats'][C]>`${sql.ref(`excluded.${column}`)}`

/**
 * Another zone starts new periods. Within a zone, periods never go back: a report of a node whose clock is behind counts in the
 * current period.
 */
export const inPeriod = <T>(period: Label, before: Sql<T>, restarted: Sql<T>) =>
  sql<T>`case when ${isInPeriod(period)} then ${before} else ${restarted} end`
export const isInPeriod = (period: Label) =>
  sql<boolean>`${stored('zone')} = ${reported('zone')} and ${stored(period)} >= ${reported(period)}`
type Label = 'day' | 'week' | 'month'

/** STA-06, in SQL that SQLite and PostgreSQL share. */
export function combined(column: keyof PeriodValues | `${LeaderboardPeriod}Ranked`) {
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
