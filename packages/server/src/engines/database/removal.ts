import { type Kysely, type RawBuilder, sql } from 'kysely'

import type { Database } from './database.ts'
import { anyTable, type Column } from './row-statements.ts'
import { type Statement, statement, type Value } from './statement.ts'
import type { Tables } from './tables/index.ts'

/**
 * How many rows a step removes at most. Each is a statement of its own, because PostgreSQL takes a limit that is a value for a tenth of the
 * table, and then may read all of it.
 */
export const STEP_ROWS = [20, 100, 500, 2_000] as const

type Row = Record<string, Value>
type Old = { owner: Value; limit: Value }
type From = Old & { from: Value[] }

/** Rows of a table that are removed when they are old (`remove-old.ts`). */
export type Removal = Readonly<{
  table: string
  /** Columns of an index, the first of which has the age. */
  order: readonly string[]
  /** What one is in a column of numbers. */
  unitMs: number
  /** The oldest row that is older than the limit. */
  oldest: Statement<Old, Row>
  nextOwner: Statement<{ after: string }, { owner: string }> | undefined
  /** Removes the oldest rows, at most as many as the size of this index has, and returns their `order`. */
  steps: Readonly<Record<Database['engine'], readonly Statement<From, Row>[]>>
}>

type Options<T extends keyof Tables> = {
  /** The column that begins the index, such as `environmentId`: the rows of each of its values are removed on their own. */
  per?: Column<T>
  /** Only rows of which this is true, as a partial index says it. */
  when?: RawBuilder<boolean>
  /** The primary key of a table that SQLite stores by its key, so that a row has no other name. */
  key?: readonly Column<T>[]
  /** The default is a millisecond. */
  unitMs?: number
}

/**
 * The rows whose age is before a limit. `order` are columns of an index, in its order; the first has the age. With more of them, a step does
 * not pass the entries again that earlier steps have removed, if many rows have the same age.
 *
 *     const oldDays = removalBefore('players_days', ['day', 'playerId'], { per: 'environmentId' })
 *
 *     await removeOld(db, oldDays, '2026-09-21', stopping)
 */
export const removalBefore = <T extends keyof Tables>(
  table: T,
  order: readonly Column<T>[],
  options?: Options<T>,
): Removal => removal(table, order, '<', options)

/** Like `removalBefore`, including the rows whose age is the limit. */
export const removalUpTo = <T extends keyof Tables>(
  table: T,
  order: readonly Column<T>[],
  options?: Options<T>,
): Removal => removal(table, order, '<=', options)

function removal<T extends keyof Tables>(
  table: T,
  order: readonly Column<T>[],
  operator: '<' | '<=',
  { per, when, key, unitMs = 1 }: Options<T> = {},
): Removal {
  const [age = ''] = order
  const names = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

  const old = (q: Kysely<Tables>, { owner, limit }: Old) => {
    let rows = anyTable(q).selectFrom<string>(table).where(age, operator, limit)
    if (per) rows = rows.where(per as string, '=', owner)
    if (when) rows = rows.where(when)
    return order.reduce((ordered, column) => ordered.orderBy(column), rows)
  }
  const oldFrom = (q: Kysely<Tables>, values: From, rows: number) =>
    old(q, values)
      .where(sql<boolean>`(${names(order)}) >= (${sql.join(order.map((_, at) => values.from[at]))})`)
      .limit(sql.lit(rows))
  const removeWhere = (q: Kysely<Tables>, found: RawBuilder<boolean>) =>
    anyTable(q).deleteFrom<string>(table).where(found).returning(order).$castTo<Row>()
  const rowKey = names(key ?? ['rowid'])

  return {
    table,
    order,
    unitMs,
    oldest: statement((q, values: Old) => old(q, values).select(order).limit(sql.lit(1)).$castTo<Row>()),
    nextOwner:
      per &&
      statement((q, { after }: { after: string }) =>
        anyTable(q)
          .selectFrom<string>(table)
          .select(`${per} as owner`)
          .where(per as string, '>', after)
          .orderBy(per)
          .limit(sql.lit(1))
          .$castTo<{ owner: string }>(),
      ),
    steps: {
      sqlite: STEP_ROWS.map((rows) =>
        statement((q, values: From) =>
          removeWhere(q, sql`(${rowKey}) in ${oldFrom(q, values, rows).select(sql`${rowKey}`.as('key'))}`),
        ),
      ),
      // A row that somebody writes is left for the next time: nobody waits for a step, and no step for anybody.
      postgres: STEP_ROWS.map((rows) =>
        statement((q, values: From) => {
          const found = oldFrom(q, values, rows).select('ctid').forUpdate().skipLocked()
          return removeWhere(q, sql`ctid = any(array${found})`)
        }),
      ),
    },
  }
}
