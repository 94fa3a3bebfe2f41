// Databases: one SQLite file per id, in a Durable Object. Speaks D1's protocol to the code, and RPC to control.ts.
import { DurableObject } from 'cloudflare:workers'

import type { Context, Objects, ObjectState, Sql, SqlValue } from './runtime.ts'
import { withoutTrailingComments } from './sql-text.ts'

type Env = { DATABASE: Objects<Database>; IS_FULL: boolean }
type Columns = { changes: number; id: number; name: string }
/** of D1's protocol */
type Statement = { sql: string; params?: (SqlValue | number[])[] }
/** of a query of the service */
export type Parameter = string | number | boolean | null | { $base64: string }
export type Migration = { name: string; sql: string }

const rows = { read: 0, written: 0 }

const FULL = 'The storage of this environment is full.'

class ResultTooLarge extends Error {}

/** One database of the code. */
export class Database extends DurableObject<Env, Columns> {
  readonly sql: Sql<Columns>
  lastRowId = 0

  constructor(context: ObjectState<Columns>, env: Env) {
    super(context, env)
    this.sql = context.storage.sql
  }

  /** Several statements run one after the other; the parameters and the result are those of the last. */
  run(sql: string, params: readonly SqlValue[], check: (row: SqlValue[], count: number) => void = () => {}) {
    const statements = withoutTrailingComments(sql)
    if (statements === '' || statements === ';') throw new Error('No SQL statements detected.')
    const startedAt = performance.now()
    const sizeBefore = this.sql.databaseSize
    const cursor = this.sql.exec(statements, ...params)
    const columns = cursor.columnNames
    const found = []
    for (const row of cursor.raw()) {
      found.push(row)
      check(row, found.length)
    }
    const wrote = cursor.rowsWritten > 0
    let changes = 0
    if (wrote) {
      const last = this.sql.exec('SELECT changes() AS changes, last_insert_rowid() AS id').one()
      changes = last.changes
      this.lastRowId = last.id
    }
    rows.read += cursor.rowsRead
    rows.written += cursor.rowsWritten
    const sizeAfter = this.sql.databaseSize
    if (this.env.IS_FULL && sizeAfter > sizeBefore) throw new Error(FULL)
    return {
      columns,
      rows: found,
      meta: {
        served_by: 'svc',
        duration: performance.now() - startedAt,
        changes,
        last_row_id: this.lastRowId,
        changed_db: wrote || sizeAfter !== sizeBefore,
        size_after: sizeAfter,
        rows_read: cursor.rowsRead,
        rows_written: cursor.rowsWritten,
      },
    }
  }

  /** D1's protocol; a batch is one transaction. */
  async fetch(request: Request) {
    const { searchParams } = new URL(request.url)
    const asArrays = searchParams.get('resultsFormat') === 'ROWS_AND_COLUMNS'
    const body = await request.json()
    const statements = Array.isArray(body) ? body : [body]
    const answer = ({ sql, params = [] }: Statement) => {
      const { columns, rows: found, meta } = this.run(sql, params.map(fromWire))
      const values = found.map((row) => row.map(toWire))
      return {
        success: true,
        results: asArrays ? { columns, rows: values } : values.map((row) => objectOf(columns, row)),
        meta,
      }
    }
    // A single statement is already a transaction.
    const isOneStatement = !this.env.IS_FULL && statements.length === 1 && !statements[0].sql.includes(';')
    try {
      const answers = isOneStatement
        ? [answer(statements[0])]
        : this.ctx.storage.transactionSync(() => statements.map(answer))
      return Response.json(answers)
    } catch (error) {
      return Response.json({ success: false, error: String(error?.message ?? error) })
    }
  }

  query(
    sql: string,
    params: readonly Parameter[],
    { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
  ) {
    let bytes = 0
    const check = (row: SqlValue[], count: number): void => {
      for (const value of row) bytes += sizeOf(value)
      if (count > rowsMax || bytes > bytesMax) throw new ResultTooLarge()
    }
    try {
      const {
        columns,
        rows: found,
        meta,
      } = this.ctx.storage.transactionSync(() => this.run(sql, params.map(fromParameter), check))
      return {
        results: found.map((row) => objectOf(columns, row.map(toParameter))),
        meta: {
          rowsRead: meta.rows_read,
          rowsWritten: meta.rows_written,
          lastRowId: meta.rows_written > 0 ? meta.last_row_id : 0,
          durationMs: meta.duration,
        },
      }
    } catch (error) {
      if (error instanceof ResultTooLarge) return { tooLarge: true }
      return { error: String(error?.message ?? error) }
    }
  }

  /** `table` is a checked name. The names of applied migrations are in it. */
  migrate(migrations: readonly Migration[], table: string) {
    const result: { applied: string[]; failed: { name: string; error: string }[]; skipped: string[] } = {
      applied: [],
      failed: [],
      skipped: [],
    }
    let known: Set<string>
    try {
      this.sql.exec(
        `CREATE TABLE IF NOT EXISTS "${table}" (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`,
      )
      known = new Set([...this.sql.exec(`SELECT "${table}".name FROM "${table}"`)].map(({ name }) => name))
    } catch (error) {
      // The code uses a table of this name for something else.
      result.failed.push({ name: migrations[0]?.name ?? '', error: `${table}: ${error?.message ?? error}` })
      return result
    }
    for (const { name, sql } of migrations) {
      if (known.has(name)) {
        result.skipped.push(name)
        continue
      }
      try {
        this.ctx.storage.transactionSync(() => {
          this.run(sql, [])
          this.sql.exec(`INSERT INTO "${table}" (name) VALUES (?)`, name)
        })
        known.add(name)
        result.applied.push(name)
      } catch (error) {
        result.failed.push({ name, error: String(error?.message ?? error) })
        break
      }
    }
    return result
  }
}

export const databases = {
  fetch: (request: Request, env: Env, { props }: Context<{ id: string }>): Promise<Response> =>
    env.DATABASE.get(env.DATABASE.idFromName(props.id)).fetch(request),
}

/** Rows read and written since the process has started. */
export const countedRows = () => ({ rowsRead: rows.read, rowsWritten: rows.written })

const objectOf = (columns: readonly string[], row: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(row.map((value, index) => [columns[index], value]))

// D1 sends blobs as lists of numbers.
const fromWire = (value: SqlValue | number[]): SqlValue =>
  Array.isArray(value) ? new Uint8Array(value).buffer : value
const toWire = (value: SqlValue): unknown =>
  value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value

const fromParameter = (value: Parameter): SqlValue => {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value !== null && typeof value === 'object' ? Uint8Array.fromBase64(value.$base64).buffer : value
}
const toParameter = (value: SqlValue): unknown =>
  value instanceof ArrayBuffer ? { $base64: new Uint8Array(value).toBase64() } : value
const sizeOf = (value: SqlValue): number =>
  typeof value === 'string' ? value.length : value instanceof ArrayBuffer ? value.byteLength * 1.4 : 8
