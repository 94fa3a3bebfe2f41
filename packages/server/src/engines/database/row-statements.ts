import type { Kysely } from 'kysely'

import { columns, type Statement, statement, type Value } from './statement.ts'
import type { Tables } from './tables/index.ts'

/** For queries whose table is a parameter: the compiler cannot check their columns. */
export const anyTable = (queries: Kysely<Tables>) =>
  queries as unknown as Kysely<Record<string, Record<string, Value>>>

export type Column<T extends keyof Tables> = keyof Tables[T] & string
/** Some columns of a row. */
export type Only<T extends keyof Tables, C extends Column<T>> = Pick<Tables[T], C> & Record<string, Value>

/**
 * A statement that deletes the rows of a table that have these values.
 *
 *     const removeIdentity = deleteBy('developers_identities', ['developerId', 'provider'])
 *
 *     transaction.run(removeIdentity, { developerId, provider })
 */
export const deleteBy = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  by: readonly C[],
): Statement<Only<T, C>, unknown> =>
  statement((q, values: Only<T, C>) =>
    anyTable(q)
      .deleteFrom<string>(table)
      .where((e) => e.and(columns(values, by))),
  )

/** A statement that inserts a row; the columns that are not named get their default. */
export const insertRow = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  names: readonly C[],
): Statement<Only<T, C>, unknown> =>
  statement((q, row: Only<T, C>) => anyTable(q).insertInto<string>(table).values(columns(row, names)))
