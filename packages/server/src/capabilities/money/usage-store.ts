import { sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { insertRow, selectBy, updateBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type UsageRow = Tables['money_usage']
type DayRow = Tables['money_usage_days']
export type PeriodRow = Tables['money_periods']
type Month = Pick<PeriodRow, 'developerId' | 'period'>
export type UsageStore = ReturnType<typeof createUsageStore>

/** The use of each project, and the periods that were charged. */
export const createUsageStore = (db: Database) => ({
  ...usage(db),
  in: usage,
  /**
   * Adds the quantities to those of the month and of the day; all of them or none. Rows are written in the order of their keys: nodes
   * that write the same ones at the same time do not end in a deadlock, which would take PostgreSQL a second to notice. A month that a
   * clock that was ahead has closed is open again.
   */
  add: (rows: readonly UsageRow[]) =>
    db.transaction(async (transaction) => {
      for (const row of inOrder(rows, (row) => `${row.developerId} ${row.environment} ${row.component}`))
        await transaction.run(addUsage, row)
      for (const day of daysIn(rows)) await transaction.run(addDay, day)
      for (const month of monthsIn(rows)) await transaction.run(reopenPeriod, month)
    }),
  /** The days of a month, oldest first. */
  days: (developerId: string, period: string) =>
    db.all(listDays, { developerId, from: `${period}-01`, to: `${period}-31` }),
  removeDays: (before: string, stopping?: AbortSignal) => removeOld(db, oldDays, before, stopping),
  /** Developers with usage of a month that is not closed, in the order of their ids. */
  listOpen: async (period: string, afterId: string, limit: number) =>
    (await db.all(listOpen, { period, afterId, limit })).map(({ developerId }) => developerId),
  /** The first month between these two that has usage. */
  nextPeriod: async (after: string, before: string) =>
    (await db.first(findNextPeriod, { after, before }))?.period,
  /** Months of a developer that are not closed. */
  openPeriods: async (developerId: string) =>
    (await db.all(listOpenPeriods, { developerId })).map(({ period }) => period),
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
  setCharged: (month: PeriodRow) => queries.run(setCharged, month),
})

/** The sum of each developer, day and component. */
function daysIn(rows: readonly UsageRow[]): DayRow[] {
  const days = new Map<string, DayRow>()
  for (const { developerId, component, quantity, updatedAt } of rows) {
    const date = updatedAt.slice(0, 10)
    const key = dayKey({ developerId, date, component })
    days.set(key, {
      developerId,
      date,
      component,
      quantity: quantity + (days.get(key)?.quantity ?? 0),
    })
  }
  return inOrder([...days.values()], dayKey)
}

const monthsIn = (rows: readonly UsageRow[]): Month[] => {
  const months = rows.map(({ developerId, period }) => ({ developerId, period }))
  return [...new Map(inOrder(months, monthKey).map((month) => [monthKey(month), month])).values()]
}

const monthKey = ({ developerId, period }: Month) => `${developerId} ${period}`

const dayKey = ({ developerId, date, component }: Omit<DayRow, 'quantity'>) =>
  `${developerId} ${date} ${component}`

const inOrder = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] =>
  rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** More than one for each hour of a month. */
const CHARGES_MAX = 5_000
const usageColumns = ['developerId', 'environment', 'component', 'period', 'quantity', 'updatedAt'] as const
const periodColumns = ['developerId', 'period', 'chargedCents', 'closedAt', 'prices'] as const

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
const addDay = statement((q, row: DayRow) =>
  q
    .insertInto('money_usage_days')
    .values(columns(row, ['developerId', 'date', 'component', 'quantity']))
    .onConflict((conflict) =>
      conflict.columns(['developerId', 'date', 'component']).doUpdateSet((eb) => ({
        quantity: eb('money_usage_days.quantity', '+', row.quantity),
      })),
    ),
)
const listDays = statement(
  (q, { developerId, from, to }: { developerId: string; from: string; to: string }) =>
    q
      .selectFrom('money_usage_days')
      .select(['date', 'component', 'quantity'])
      .where('developerId', '=', developerId)
      .where('date', '>=', from)
      .where('date', '<=', to)
      .orderBy('date'),
)
const oldDays = removalBefore('money_usage_days', ['date', 'component'], { per: 'developerId' })
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
const listUsage = selectBy('money_usage', ['component', 'quantity', 'updatedAt'], ['developerId', 'period'])
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
const findNextPeriod = statement((q, { after, before }: { after: string; before: string }) =>
  q
    .selectFrom('money_usage')
    .select('period')
    .where('period', '>', after)
    .where('period', '<', before)
    .orderBy('period')
    .limit(1),
)
const listOpenPeriods = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('money_usage as used')
    .leftJoin('money_periods as month', (join) =>
      join.onRef('month.developerId', '=', 'used.developerId').onRef('month.period', '=', 'used.period'),
    )
    .select('used.period')
    .distinct()
    .where('used.developerId', '=', developerId)
    .where('month.closedAt', 'is', null)
    .orderBy('used.period'),
)
const findPeriod = selectBy('money_periods', periodColumns, ['developerId', 'period'])
const insertPeriod = insertRow('money_periods', periodColumns)
const setCharged = updateBy(
  'money_periods',
  ['chargedCents', 'closedAt', 'prices'],
  ['developerId', 'period'],
)
const reopenPeriod = statement((q, { developerId, period }: Month) =>
  q
    .updateTable('money_periods')
    .set({ closedAt: sql.lit(null) })
    .where((e) => e.and({ developerId, period }))
    .where('closedAt', 'is not', null),
)
const listPeriods = selectBy(
  'money_periods',
  ['period', 'chargedCents', 'closedAt', 'prices'],
  ['developerId'],
  ['period'],
)
