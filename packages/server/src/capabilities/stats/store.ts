import { LIMITS } from '@svc/contract/common/limits'
import type { PeriodValues } from '@svc/contract/stats'
import { sql } from 'kysely'

import { type Database, type Queries, statement, type Transaction } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Ranking } from '../../platform/ports/ranking.ts'
import type { Periods } from '../../platform/time/periods.ts'
import type { AcceptedStat } from './integrity.ts'
import { storeRanked } from './ranked-report-store.ts'
import { combinedValues, type Report, reportIdOf, rowOf, upsert } from './report-rows-store.ts'

export type { Queries, Transaction }

export type StatStore = ReturnType<typeof createStatStore>

/**
 * One row per stat contains all its values: the first report of a period overwrites the values of the previous one, so that no old
 * rows must be deleted. With a row per period, three stats took 80 µs on SQLite; this takes 35.
 */
export const createStatStore = (db: Pick<Database, 'all' | 'pipelined'>) => ({
  in: (transaction: Transaction) =>
    createStatStore({ all: transaction.all, pipelined: (work) => work(transaction) }),
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
      ranking?: Ranking<Queries>,
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
        ? await storeRanked(db, report, ranking)
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
const combineOf = (count: number, hasId: boolean) =>
  (combining[hasId ? 1 : 0][count] ??= combine(count, hasId))
const perCount = () =>
  Array.from<ReturnType<typeof combine> | undefined>({ length: LIMITS.statsPerSubmitMax + 1 })
const combining = [perCount(), perCount()] as const

const combine = (count: number, hasId: boolean) =>
  statement((q, report: Report) => {
    const rows = Array.from({ length: count }, (_, index) => rowOf(report, index, hasId))
    return upsert(q, rows, combinedValues(), hasId)
  })
