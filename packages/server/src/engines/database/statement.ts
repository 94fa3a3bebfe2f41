import { channel } from 'node:diagnostics_channel'

import type { Compilable, CompiledQuery, Kysely } from 'kysely'

import type { Tables } from './tables/index.ts'

/** A value that both engines can store. */
export type Value = string | number | null
/** The values of one call, by name. A statement names each value of a list: `ids[0]`, `ids[1]`. */
export type Values = Record<string, Value | readonly Value[]>

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

/** Gets every statement when it is declared: a test looks at all of them. */
export const declaredStatements = channel('svc.statements')

/** Declares a statement; see `Statement`. */
export function statement<V extends Values, Row>(
  build: (queries: Kysely<Tables>, values: V) => Compilable<Row>,
): Statement<V, Row> {
  const declared = { build }
  if (declaredStatements.hasSubscribers) declaredStatements.publish(declared)
  return declared
}

/** The named columns of `values`, for an insert whose columns are all values of the call. */
export const columns = <V extends Values, const Name extends keyof V>(
  values: V,
  names: readonly Name[],
): Pick<V, Name> => Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<V, Name>

class Placeholder {
  readonly name: string
  /** The place in a list. */
  readonly at: number | undefined
  constructor(name: string, at?: number) {
    this.name = name
    this.at = at
  }
}

/** Stands for a value, and for each value of a list. */
const placeholderOf = (name: string) =>
  new Proxy(new Placeholder(name), {
    get: (placeholder, property) =>
      /^\d+$/.test(String(property))
        ? new Placeholder(name, Number(property))
        : Reflect.get(placeholder, property),
  })
const placeholders = new Proxy(
  {},
  {
    get: (_, name) => placeholderOf(String(name)),
    // `{ ...values }` would be `{}`, and an insert or an update would lose its columns.
    ownKeys() {
      throw new Error(
        'a statement does not know which values it will get: name them with columns(values, [...]) instead of a spread',
      )
    },
  },
)

/** The name of a parameter that is a value of the call, with its place in a list; undefined for a constant. */
export function nameOf(parameter: unknown): string | undefined {
  if (!(parameter instanceof Placeholder)) return undefined
  const { name, at } = parameter
  return at === undefined ? name : `${name}[${at}]`
}

/** A compiled statement, as the engines cache it. */
export type Prepared = {
  sql: string
  /** False for a plain select, which may run on the read connection. */
  writes: boolean
  bind: (values: Values) => Value[]
}

/** The SQL of a statement, whose parameters stand for the values of calls. */
export const compile = <V extends Values, Row>(
  queries: Kysely<Tables>,
  { build }: Statement<V, Row>,
): CompiledQuery => build(queries, placeholders as V).compile()

/** Compiles a statement for an engine. */
export function prepare<V extends Values, Row>(
  queries: Kysely<Tables>,
  statement: Statement<V, Row>,
): Prepared {
  const { sql, parameters, query } = compile(queries, statement)
  // Plain objects: reading a property of a proxy takes longer than binding it.
  const sources = parameters.map((parameter) =>
    parameter instanceof Placeholder ? new Placeholder(parameter.name, parameter.at) : (parameter as Value),
  )
  return {
    sql,
    writes: query.kind !== 'SelectQueryNode',
    bind: (values) =>
      sources.map((source) => {
        if (!(source instanceof Placeholder)) return source
        const named = values[source.name]
        const value = source.at === undefined ? named : (named as readonly Value[] | undefined)?.[source.at]
        if (value === undefined) throw new Error(`no value for ${nameOf(source)} in: ${sql}`)
        return value as Value
      }),
  }
}
