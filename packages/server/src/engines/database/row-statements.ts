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
 * A statement that reads some columns of the rows that have these values, ordered by the columns `order`.
 *
 *     const findIdentity = selectBy('players_identities', ['subject', 'linkedAt'], ['environmentId', 'playerId', 'provider'])
 *
 *     queries.first(findIdentity, { environmentId, playerId, provider })
 */
export const selectBy = <T extends keyof Tables, S extends Column<T>, C extends Column<T>>(
  table: T,
  names: readonly S[],
  by: readonly C[],
  order: readonly Column<T>[] = [],
): Statement<Only<T, C>, Pick<Tables[T], S>> =>
  statement((q, values: Only<T, C>) =>
    order
      .reduce(
        (rows, column) => rows.orderBy(column),
        anyTable(q)
          .selectFrom<string>(table)
          .select([...names])
          .where((e) => e.and(columns(values, by))),
      )
      .$castTo<Pick<Tables[T], S>>(),
  )

/** A statement that counts the rows that have these values. */
export const countBy = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  by: readonly C[],
): Statement<Only<T, C>, { count: number }> =>
  statement((q, values: Only<T, C>) =>
    anyTable(q)
      .selectFrom<string>(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .where((e) => e.and(columns(values, by))),
  )

type Page<After extends string> = Record<After, Value> & { limit: number }

/** A statement that reads the next `limit` rows with a larger value in `column` than `after`, in ascending order. */
export const pageAfter = <T extends keyof Tables, S extends Column<T>, C extends Column<T> = never>(
  table: T,
  names: readonly S[],
  by: readonly C[],
  column: Column<T>,
): Statement<Only<T, C> & Page<'after'>, Pick<Tables[T], S>> =>
  statement((q, values: Only<T, C> & Page<'after'>) =>
    anyTable(q)
      .selectFrom<string>(table)
      .select([...names])
      .where((e) => e.and(columns(values, by)))
      .where(column as string, '>', values.after)
      .orderBy(column)
      .limit(values.limit)
      .$castTo<Pick<Tables[T], S>>(),
  )

/** Like `pageAfter` in descending order: rows with a smaller value in `column` than `before`. */
export const pageBefore = <T extends keyof Tables, S extends Column<T>, C extends Column<T> = never>(
  table: T,
  names: readonly S[],
  by: readonly C[],
  column: Column<T>,
): Statement<Only<T, C> & Page<'before'>, Pick<Tables[T], S>> =>
  statement((q, values: Only<T, C> & Page<'before'>) =>
    anyTable(q)
      .selectFrom<string>(table)
      .select([...names])
      .where((e) => e.and(columns(values, by)))
      .where(column as string, '<', values.before)
      .orderBy(column, 'desc')
      .limit(values.limit)
      .$castTo<Pick<Tables[T], S>>(),
  )

/** A statement that sets the columns `names` of the rows that have the values `by`. */
export const updateBy = <T extends keyof Tables, S extends Column<T>, C extends Column<T>>(
  table: T,
  names: readonly S[],
  by: readonly C[],
): Statement<Only<T, S | C>, unknown> =>
  statement((q, values: Only<T, S | C>) =>
    anyTable(q)
      .updateTable<string>(table)
      .set(columns(values, names))
      .where((e) => e.and(columns(values, by))),
  )

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

/** A statement that deletes the rows of a table and returns these columns of them: only one of several callers gets a row. */
export const takeBy = <T extends keyof Tables, S extends Column<T>, C extends Column<T>>(
  table: T,
  names: readonly S[],
  by: readonly C[],
): Statement<Only<T, C>, Pick<Tables[T], S>> =>
  statement((q, values: Only<T, C>) =>
    anyTable(q)
      .deleteFrom<string>(table)
      .where((e) => e.and(columns(values, by)))
      .returning([...names])
      .$castTo<Pick<Tables[T], S>>(),
  )

/** A statement that inserts a row; the columns that are not named get their default. */
export const insertRow = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  names: readonly C[],
): Statement<Only<T, C>, unknown> =>
  statement((q, row: Only<T, C>) => anyTable(q).insertInto<string>(table).values(columns(row, names)))

/** A statement that inserts a row unless there is one with the same `key`. */
export const insertNew = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  names: readonly C[],
  key: readonly Column<T>[],
): Statement<Only<T, C>, unknown> =>
  statement((q, row: Only<T, C>) =>
    anyTable(q)
      .insertInto<string>(table)
      .values(columns(row, names))
      .onConflict((conflict) => conflict.columns([...key]).doNothing()),
  )

/**
 * A statement that inserts a row, or sets the columns `updated` of the row with the same `key`: all except the key unless it is
 * given.
 */
export const upsertRow = <T extends keyof Tables, C extends Column<T>>(
  table: T,
  names: readonly C[],
  key: readonly C[],
  updated: readonly C[] = names.filter((name) => !key.includes(name)),
): Statement<Only<T, C>, unknown> =>
  statement((q, row: Only<T, C>) =>
    anyTable(q)
      .insertInto<string>(table)
      .values(columns(row, names))
      .onConflict((conflict) => conflict.columns([...key]).doUpdateSet(columns(row, updated))),
  )
