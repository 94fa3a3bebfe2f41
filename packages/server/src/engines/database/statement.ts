import type { Compilable, CompiledQuery, Kysely } from 'kysely'

import type { Tables } from './tables.ts'

/** A value that both engines can store. */
export type Value = string | number | null
/** The values of one call, by name. */
export type Values = Record<string, Value>

/**
 * A query that is built once and kept prepared; only the values change from call to call.
 * Built per call, a SQLite read takes 54 to 121 µs of CPU; built once, 20. PostgreSQL would plan an unnamed one every time.
 *
 *     const findKey = statement((q, { hash }: { hash: string }) =>
 *       q.selectFrom('projects_keys').selectAll().where('hash', '=', hash))
 *
 *     db.first(findKey, { hash })
 */
export type Statement<V extends Values, Row> = {
  build: (queries: Kysely<Tables>, values: V) => Compilable<Row>
}

/** Declares a statement; see `Statement`. */
export const statement = <V extends Values, Row>(
  build: (queries: Kysely<Tables>, values: V) => Compilable<Row>,
): Statement<V, Row> => ({ build })

/** The named columns of `values`, for an insert whose columns are all values of the call. */
export const columns = <V extends Values, const Name extends keyof V>(
  values: V,
  names: readonly Name[],
): Pick<V, Name> => Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<V, Name>

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/** A compiled statement, as the engines cache it. */
export type Prepared = {
  sql: string
  /** False for a plain select, which may run on the read connection. */
  writes: boolean
  bind: (values: Values) => Value[]
}

/** Compiles a statement for an engine. */
export function prepare<V extends Values, Row>(
  queries: Kysely<Tables>,
  { build }: Statement<V, Row>,
): Prepared {
  const { sql, parameters, query }: CompiledQuery = build(queries, placeholders as V).compile()
  return {
    sql,
    writes: query.kind !== 'SelectQueryNode',
    bind: (values) =>
      parameters.map((parameter) => {
        if (!(parameter instanceof Placeholder)) return parameter as Value
        const value = values[parameter.name]
        if (value === undefined) throw new Error(`no value for ${parameter.name} in: ${sql}`)
        return value
      }),
  }
}
