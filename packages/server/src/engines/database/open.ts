import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

import { type Clock, MINUTE_MS } from '../../platform/clock.ts'
import type { Database } from './database.ts'
import { readFact } from './installation.ts'
import { migrate, type MigrateOptions, tableNames } from './migrate.ts'
import { copySqlite } from './sqlite/copy.ts'
import { openSqlite, type SqliteOptions } from './sqlite/sqlite.ts'

/** How the database is opened. */
export type DatabaseOptions = Pick<
  MigrateOptions,
  'log' | 'version' | 'migrations' | 'beforeMigration' | 'onMigrated'
> & {
  /** `postgres://…`; without it, one SQLite file in the data folder. */
  url?: string | undefined
  /** Folder of the SQLite file and of its copies before migrations. */
  dataDir: string
  clock: Clock
  /** PostgreSQL connections for transactions. */
  poolMax?: number
  /** Opens all connections now, not when they are needed. */
  isEager?: boolean
  /** False behind a pooler that gives each transaction another session of PostgreSQL. */
  prepare?: boolean
  sqlite?: Omit<SqliteOptions, 'path'>
}

const MIGRATION_TIMEOUT_MS = 10 * MINUTE_MS

/** Opens and migrates the database. Throws an error with one sentence that says what to do. */
export async function openDatabase({
  url,
  dataDir,
  poolMax,
  isEager = false,
  prepare = true,
  sqlite,
  ...options
}: DatabaseOptions): Promise<Database> {
  if (url) {
    const { openPostgres } = await import('./postgres/postgres.ts')
    const migration = { url, prepare, poolMax: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS }
    await (await migrated(await openPostgres(migration), options)).close()
    return openPostgres({ url, prepare, isEager, log: options.log, ...(poolMax && { poolMax }) })
  }

  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'svc.sqlite')
  const backUp = (firstPending: string) =>
    backUpFile(path, dataDir, options.version ?? firstPending, options.clock)
  return migrated(openSqlite({ path, ...sqlite }), { ...options, backUp })
}

async function migrated(db: Database, options: MigrateOptions): Promise<Database> {
  try {
    if (db.engine === 'sqlite') await requireNotCopied(db)
    await migrate(db, options)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

/** After `svc-server copy` the data is in PostgreSQL; a service that started here would serve an old state. */
async function requireNotCopied(db: Database): Promise<void> {
  if (!(await tableNames(db, db.engine)).includes('installation')) return
  const copiedTo = await readFact(db, 'copiedTo')
  if (copiedTo === undefined) return
  throw new Error(
    `The data of this SQLite database was copied to PostgreSQL (${copiedTo}): set DATABASE_URL to that database. To use SQLite again, without what was written to PostgreSQL since then, run: svc-server copy --undo`,
  )
}

async function backUpFile(path: string, dataDir: string, before: string, clock: Clock): Promise<string> {
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const at = clock.now().toISOString().replaceAll(':', '-')
  const copy = join(folder, `before-${before}-${at}.sqlite`)

  // SQLite would create it readable for every account.
  closeSync(openSync(copy, 'wx', 0o600))
  await copySqlite(path, copy)
  return copy
}
