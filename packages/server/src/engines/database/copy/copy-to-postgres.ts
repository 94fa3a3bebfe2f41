import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { ApiError } from '../../../platform/api-error.ts'
import { HOUR_MS } from '../../../platform/clock.ts'
import type { Database, Queries } from '../database.ts'
import { installationId, readFact, removeFact, writeFact } from '../installation.ts'
import { execute, schemaStatements, tableNames } from '../migrate.ts'
import { type DatabaseOptions, openDatabase } from '../open.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { addRow, digestInPostgres, emptyDigest, isSameDigest } from './digest.ts'
import { readSchema, type Table } from './schema.ts'
import { continueIdentities, insertBatch, readBatches } from './table-rows.ts'

export type CopyProgress = { table: string; rows: number; ofRows: number }
export type CopyResult = {
  tables: number
  rows: number
  /** The target contained the complete copy already: the command was ended between its commit and the mark. */
  wasComplete: boolean
}
export type CopyOptions = Pick<DatabaseOptions, 'dataDir' | 'clock' | 'version' | 'log'> & {
  /** `postgres://…` */
  to: string
  onProgress?: (progress: CopyProgress) => void
}

/** One statement, and half of the whole copy, may take this long. */
const STATEMENT_TIMEOUT_MS = 12 * HOUR_MS

/**
 * Copies the SQLite database in the data folder to an empty PostgreSQL database, in one transaction, and compares every table before
 * the commit. Then the SQLite file is marked, and no service starts on it. Killed before the commit, the target stays empty; killed
 * after it, another call recognizes the complete copy. Throws an error with one sentence, and then the source is unchanged.
 */
export async function copyToPostgres(options: CopyOptions): Promise<CopyResult> {
  const { dataDir, to, onProgress = () => {}, ...rest } = options
  const path = requireFile(dataDir)
  // Holds the lock of the file, so no service runs on it; and migrates it, so both schemas are those of this version.
  await using source = disposable(await openDatabase({ dataDir, ...rest }))
  await using target = disposable(
    await openPostgres({ url: to, poolMax: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  )
  using sqlite = new DatabaseSync(path, { readOnly: true })
  const id = await installationId(source.db)
  const place = placeOf(to)
  let current = 'migrations'

  const result = await target.db
    .transaction(async (transaction) => {
      // A service that starts on the target meanwhile waits for this lock before it migrates.
      await transaction.lock('migrations')
      await requireUtf8(transaction, place)
      const isEmpty = (await tableNames(transaction, 'postgres')).length === 0
      if (!isEmpty) await requireSameInstallation(transaction, id, place)
      for (const sql of isEmpty ? schemaStatements('postgres') : []) await execute(transaction, sql)

      const tables = await readSchema(transaction)
      requireSameTables(sqlite, tables)
      let rows = 0
      for (const table of tables) {
        current = table.name
        const copied = await copyTable(sqlite, transaction, table, { isSending: isEmpty, onProgress })
        rows += copied.rows
        if (isSameDigest(copied, await digestInPostgres(transaction, table))) continue
        throw new Error(isEmpty ? differs(table, place) : changedSince(place))
      }
      return { tables: tables.length, rows, wasComplete: !isEmpty }
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError) throw connectionLost(error, place)
      if (!(error instanceof pg.DatabaseError)) throw error
      throw new Error(`The table ${current} could not be copied: ${error.message}. Nothing was written.`, {
        cause: error,
      })
    })
  await writeFact(source.db, 'copiedTo', place)
  return result
}

/** Lets a service start on the SQLite file again. Returns what it was copied to, or undefined if it was not. */
export async function undoCopy(dataDir: string): Promise<string | undefined> {
  await using source = disposable(openSqlite({ path: requireFile(dataDir) }))
  if (!(await tableNames(source.db, 'sqlite')).includes('installation')) return undefined
  const copiedTo = await readFact(source.db, 'copiedTo')
  await removeFact(source.db, 'copiedTo')
  return copiedTo
}

/** Reads the whole table; the next batch is read while PostgreSQL inserts one. */
async function copyTable(
  sqlite: DatabaseSync,
  transaction: Queries,
  table: Table,
  { isSending, onProgress }: { isSending: boolean; onProgress: (progress: CopyProgress) => void },
) {
  const digest = emptyDigest()
  const ofRows = Number(sqlite.prepare(`select count(*) as rows from "${table.name}"`).get()?.['rows'])
  let sent: Promise<void> | undefined
  for (const batch of readBatches(sqlite, table)) {
    for (const cells of batch) addRow(digest, table.columns, cells)
    await sent
    sent = isSending ? insertBatch(transaction, table, batch) : undefined
    // The error is thrown by the `await` of the next round.
    sent?.catch(() => {})
    onProgress({ table: table.name, rows: digest.rows, ofRows })
  }
  await sent
  if (isSending) await continueIdentities(sqlite, transaction, table)
  return digest
}

function requireFile(dataDir: string): string {
  const path = join(dataDir, 'svc.sqlite')
  if (!existsSync(path)) throw new Error(`There is no database in ${dataDir}. Check SVC_DATA_DIR.`)
  return path
}

async function requireUtf8(transaction: Queries, place: string): Promise<void> {
  const [row] = await execute<{ encoding: string }>(
    transaction,
    `select current_setting('server_encoding') as encoding`,
  )
  if (row?.encoding === 'UTF8') return
  throw new Error(
    `The database ${place} has the encoding ${row?.encoding}. Create it again with: create database … encoding 'UTF8' template template0`,
  )
}

async function requireSameInstallation(transaction: Queries, id: string, place: string): Promise<void> {
  const names = await tableNames(transaction, 'postgres')
  const isOurs = names.includes('installation') && names.includes('migrations')
  const [row] = isOurs
    ? await execute<{ value: string }>(transaction, `select value from installation where name = 'id'`)
    : []
  if (row?.value === id) return
  throw new Error(
    `The database ${place} is not empty: it has the tables ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and others' : ''}. Create a new database for the copy. Nothing was written.`,
  )
}

function requireSameTables(sqlite: DatabaseSync, tables: readonly Table[]): void {
  const inSqlite = sqlite
    .prepare(
      `select t.name as "table", c.name as name from sqlite_schema t join pragma_table_info(t.name) c
        where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'`,
    )
    .all()
    .map(({ table, name }) => `${String(table)}.${String(name)}`)
  const inPostgres = tables.flatMap((table) => table.columns.map(({ name }) => `${table.name}.${name}`))
  const different = [...new Set(inSqlite).symmetricDifference(new Set(inPostgres))]
  if (different.length === 0) return
  throw new Error(
    `The schemas of the two databases differ, for example in ${different[0]}. Nothing was written; start the version of the service that used the database last, and copy with that one.`,
  )
}

const differs = ({ name }: Table, place: string) =>
  `The table ${name} in ${place} differs from the one in SQLite after the copy. Nothing was written; run the command again.`

const changedSince = (place: string) =>
  `The database ${place} already contains this installation, but not the same data. If the service has run on it since the copy, set DATABASE_URL to it. To copy again, create a new database. Nothing was written.`

function connectionLost(error: ApiError, place: string): Error {
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return new Error(
    `PostgreSQL stopped answering during the copy to ${place}: ${reason}. Run the command again: it copies to an empty database, and recognizes a copy that is complete.`,
    { cause: error },
  )
}

/** Host and name of the database, without user and password. */
function placeOf(url: string): string {
  const [, place = 'of --to'] = /^\w+:\/\/(?:.*@)?([^?#]*)/.exec(url) ?? []
  return place
}

const disposable = (db: Database) => ({ db, [Symbol.asyncDispose]: () => db.close() })
