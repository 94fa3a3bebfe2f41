import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'

import {
  type Compilable,
  DummyDriver,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

import { ApiError } from '../../../platform/api-error.ts'
import { nameOf, type Prepared, prepare, type Statement, type Value, type Values } from '../statement.ts'
import type { Tables } from '../tables/index.ts'

/** A value that a statement uses several times is bound once: a report of three stats binds 16 values, not 39. */
class Compiler extends SqliteQueryCompiler {
  #places = new Map<string, number>()

  override compileQuery(...query: Parameters<SqliteQueryCompiler['compileQuery']>) {
    this.#places.clear()
    return super.compileQuery(...query)
  }

  protected override appendValue(parameter: unknown) {
    const name = nameOf(parameter)
    const place = name && this.#places.get(name)
    if (place) return this.append(`?${place}`)
    super.appendValue(parameter)
    if (name) this.#places.set(name, this.numParameters)
  }

  /** The plus hides the value from the planner: SQLite would prepare the statement again for each call, which takes 20 to 80 µs. */
  protected override visitLimit({ limit }: LimitNode) {
    this.append('limit +')
    this.visitNode(limit)
  }
}

/** Kysely only builds the SQL; the connection runs it. */
const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
})

/** As much as SQLite allows. */
const MAPPED_BYTES = 2 ** 31

const plans = new WeakMap<object, Prepared>()

/** The statement for SQLite, compiled at its first use. */
export function planOf<V extends Values, Row>(statement: Statement<V, Row>): Prepared {
  const known = plans.get(statement)
  if (known) return known
  const plan = prepare(compiler, statement)
  plans.set(statement, plan)
  return plan
}

export type Search<Row> = (queries: Kysely<Tables>) => Compilable<Row>
export type Connection = ReturnType<typeof openConnection>

type Row = Record<string, SQLOutputValue>
type Ready = { native: StatementSync; names: string[] }

/** One connection with its prepared statements. Everything here is synchronous and never waits for a lock. */
export function openConnection(path: string, { readOnly }: { readOnly: boolean }) {
  const native = new DatabaseSync(path, { readOnly, timeout: 0, enableForeignKeyConstraints: true })
  // Case-sensitive, as `like` is on PostgreSQL.
  native.exec('pragma cache_size = -16000; pragma case_sensitive_like = on')
  // Pages that are not in SQLite's cache are read from memory of the kernel without a copy: with a million entries, those around a player
  // on a leaderboard take a quarter less CPU. Only on Linux: SQLite's documents name problems of other systems.
  if (readOnly && process.platform === 'linux') native.exec(`pragma mmap_size = ${MAPPED_BYTES}`)
  const prepared = new WeakMap<Prepared, Ready>()
  const controls = new Map<string, StatementSync>()

  function compile(sql: string): Ready {
    const statement = native.prepare(sql)
    statement.setReturnArrays(true)
    return { native: statement, names: statement.columns().map(({ name }) => name) }
  }

  function ready(plan: Prepared): Ready {
    const known = prepared.get(plan)
    if (known) return known
    const made = compile(plan.sql)
    prepared.set(plan, made)
    return made
  }

  return {
    native,

    /** Runs `begin`, `commit` and similar statements. */
    control(sql: string): void {
      const statement = controls.get(sql) ?? native.prepare(sql)
      controls.set(sql, statement)
      statement.run()
    },

    first(plan: Prepared, values: Values): Row | undefined {
      const statement = ready(plan)
      const cells = statement.native.get(...plan.bind(values))
      return cells && toRow(statement.names, cells)
    },

    all(plan: Prepared, values: Values): Row[] {
      const statement = ready(plan)
      return statement.native.all(...plan.bind(values)).map((cells) => toRow(statement.names, cells))
    },

    run(plan: Prepared, values: Values): number {
      return Number(ready(plan).native.run(...plan.bind(values)).changes)
    },

    search<Row>(build: Search<Row>): Row[] {
      const { sql, parameters } = build(compiler).compile()
      const statement = compile(sql)
      const rows = statement.native.all(...(parameters as Value[]))
      return rows.map((cells) => toRow(statement.names, cells)) as Row[]
    },
  }
}

/** Rows are fetched as arrays: Node's row objects have no prototype and take a third more time to create. */
function toRow(names: string[], cells: unknown): Row {
  const row: Row = {}
  for (let column = 0; column < names.length; column++) {
    row[names[column] as string] = (cells as SQLOutputValue[])[column] as SQLOutputValue
  }
  return row
}

// https://www.sqlite.org/rescode.html: problems of the machine or the file, not of the statement.
const PERM = 3
const BUSY = 5
const LOCKED = 6
const NOMEM = 7
const READONLY = 8
const INTERRUPT = 9
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const PROTOCOL = 15
const NOTADB = 26
const UNAVAILABLE = new Set([
  PERM,
  BUSY,
  LOCKED,
  NOMEM,
  READONLY,
  INTERRUPT,
  IOERR,
  CORRUPT,
  FULL,
  CANTOPEN,
  PROTOCOL,
  NOTADB,
])

const extendedCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : -1
/** The low byte of SQLite's extended result code; 255 for any other error. */
const resultCode = (error: unknown): number => extendedCode(error) & 0xff

export const isBusy = (error: unknown): boolean => resultCode(error) === BUSY
/** SQLITE_IOERR_FSYNC: the data may be lost although it was written. */
export const isSyncError = (error: unknown): boolean => extendedCode(error) === (IOERR | (4 << 8))

const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'

export const unavailable = (cause: unknown): ApiError =>
  cause instanceof ApiError && cause.code === 'service_unavailable'
    ? cause
    : new ApiError('service_unavailable', undefined, { cause })

/** Maps errors of the disk or the file to `service_unavailable`; returns all others unchanged. */
export const toApiError = (error: unknown): unknown =>
  UNAVAILABLE.has(resultCode(error)) || isClosed(error) ? unavailable(error) : error
