import { sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'

export type { Transaction }

export type UsageRow = Tables['money_usage']
export type PeriodRow = Tables['money_periods']
export type UsageStore = ReturnType<typeof createUsageStore>

export const createUsageStore = (db: Database) => ({
  ...usage(db),
  in: usage,
  /** Adds the quantities to the stored ones; all of them or none. */
  add: (rows: readonly UsageRow[]) =>
    db.transaction(async (transaction) => {
      for (const row of rows) await transaction.run(addUsage, row)
    }),
  /** Developers with usage of a month that is not closed, in the order of their ids. */
  listOpen: async (period: string, afterId: string, limit: number) =>
    (await db.all(listOpen, { period, afterId, limit })).map(({ developerId }) => developerId),
  /** Charges of a month in the order they were booked; the reference ends with all that was due by then. */
  charges: (developerId: string, period: string) =>
    db.all(listCharges, { developerId, description: `Usage of ${period}` }),
  /** Charged months in the order of developers and months. */
  listPeriods: (developerId: string) => db.all(listPeriods, { developerId }),
})

const usage = (queries: Queries) => ({
  list: (developerId: string, period: string) => queries.all(listUsage, { developerId, period }),
  period: (developerId: string, period: string) => queries.first(findPeriod, { developerId, period }),
  insertPeriod: (row: PeriodRow) => queries.run(insertPeriod, row),
  setCharged: (developerId: string, period: string, chargedCents: number, closedAt: string | null) =>
    queries.run(setCharged, { developerId, period, chargedCents, closedAt }),
})

/** More than one for each hour of a month. */
const CHARGES_MAX = 5_000
const usageColumns = ['developerId', 'environment', 'component', 'period', 'quantity', 'updatedAt'] as const
const periodColumns = ['developerId', 'period', 'chargedCents', 'closedAt', 'prices'] as const
type Month = { developerId: string; period: string }

const addUsage = statement((q, row: UsageRow) =>
  q
    .insertInto('money_usage')
    .values(columns(row, usageColumns))
    .onConflict((conflict) =>
      conflict.columns(['developerId', 'period', 'environment', 'component']).doUpdateSet((eb) => ({
        quantity: eb('money_usage.quantity', '+', row.quantity),
        updatedAt: row.updatedAt,
      })),
    ),
)
const listCharges = statement(
  (q, { developerId, description }: { developerId: string; description: string }) =>
    q
      .selectFrom('money_transactions')
      .select(['at', 'reference'])
      .where('developerId', '=', developerId)
      .where('type', '=', sql.lit('usage'))
      .where('description', '=', description)
      .orderBy('sequence')
      .limit(CHARGES_MAX),
)
const listUsage = statement((q, { developerId, period }: Month) =>
  q
    .selectFrom('money_usage')
    .select(['component', 'quantity', 'updatedAt'])
    .where('developerId', '=', developerId)
    .where('period', '=', period),
)
const listOpen = statement(
  (q, { period, afterId, limit }: { period: string; afterId: string; limit: number }) =>
    q
      .selectFrom('money_usage as used')
      .leftJoin('money_periods as month', (join) =>
        join.onRef('month.developerId', '=', 'used.developerId').onRef('month.period', '=', 'used.period'),
      )
      .select('used.developerId')
      .distinct()
      .where('used.period', '=', period)
      .where('month.closedAt', 'is', null)
      .where('used.developerId', '>', afterId)
      .orderBy('used.developerId')
      .limit(limit),
)
const findPeriod = statement((q, { developerId, period }: Month) =>
  q
    .selectFrom('money_periods')
    .select(periodColumns)
    .where('developerId', '=', developerId)
    .where('period', '=', period),
)
const insertPeriod = statement((q, row: PeriodRow) =>
  q.insertInto('money_periods').values(columns(row, periodColumns)),
)
const setCharged = statement(
  (q, { developerId, period, chargedCents, closedAt }: Omit<PeriodRow, 'prices'>) =>
    q
      .updateTable('money_periods')
      .set({ chargedCents, closedAt })
      .where('developerId', '=', developerId)
      .where('period', '=', period),
)
const listPeriods = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('money_periods')
    .select(['period', 'chargedCents'])
    .where('developerId', '=', developerId)
    .orderBy('period'),
)
