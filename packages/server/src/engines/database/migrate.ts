import { CompiledQuery } from 'kysely'

import { type Clock, monotonicMs, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { compareVersions } from '../../platform/versions.ts'
import { type Database, type Queries, statement, type Tables, type Transaction } from './database.ts'
import { installationId, readFact, writeFact } from './installation.ts'
import { type Migration, migrations as known } from './migrations/index.ts'

type Applied = Pick<Tables['migrations'], 'name' | 'checksum'>

/** How a database is migrated. */
export type MigrateOptions = {
  /** For the times of the migrations. */
  clock: Clock
  /** Gets one line per migration. */
  log: (line: string) => void
  /** The version of this program. Without it, a database that a newer version has migrated is always rejected. */
  version?: string
  /** Called after each migration, with its duration. */
  onMigrated?: (migration: Migration, ms: number) => void
  /** The migrations of this version by default; tests may set others. */
  migrations?: readonly Migration[]
  /** Called before a database with data is changed; returns the path of the copy. */
  backUp?: (firstPending: string) => Promise<string>
  /**
   * Called first, also if nothing is to be done, with the id of the installation, or with undefined for a new one. If it throws,
   * nothing is changed.
   */
  beforeMigration?: (installationId: string | undefined) => Promise<void>
}

/** The first migration of all databases from before 0.1.0. No later migration may have this name. */
const BEFORE_FIRST_RELEASE = '0001-the-house'

const TABLES_SQL = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
  postgres: `select tablename as name from pg_tables where schemaname = current_schema()`,
}

const MIGRATIONS_TABLE = `create table if not exists migrations (
    name text primary key,
    checksum text not null,
    "appliedAt" text not null
  )`

const recordMigration = statement((q, { name, checksum, appliedAt }: Tables['migrations']) =>
  q.insertInto('migrations').values({ name, checksum, appliedAt }),
)

/** Migrates the database to the schema of this version, or throws an error with one sentence and changes nothing. */
export async function migrate(db: Database, options: MigrateOptions): Promise<void> {
  const { clock, log, backUp, beforeMigration, onMigrated, migrations = known } = options
  const { isNew, pending } = await findPending(db, options)
  await beforeMigration?.(isNew ? undefined : await installationId(db))

  const [first] = pending
  if (!first) return
  if (!isNew && backUp) log(`The database was copied to ${await backUp(first.name)} before the migration.`)

  for (const migration of pending) {
    const begunAt = monotonicMs()
    await db.transaction((transaction) => apply(transaction, db.engine, migration, migrations, clock))
    onMigrated?.(migration, monotonicMs() - begunAt)
    if (!isNew) log(`The database was migrated to ${migration.name}.`)
  }
}

/** The migrations that the database lacks. Throws an error with one sentence if this version cannot use it. */
export async function findPending(
  db: Database,
  { version, migrations = known }: Pick<MigrateOptions, 'version' | 'migrations'>,
) {
  const applied = await readApplied(db, db.engine)
  requireKnown(applied, migrations)
  const [newer] = applied.slice(migrations.length)
  if (newer) await requireMayRun(db, newer, version)
  return {
    isNew: applied.length === 0,
    done: migrations.slice(0, applied.length),
    pending: migrations.slice(applied.length),
  }
}

async function apply(
  transaction: Transaction,
  engine: Database['engine'],
  migration: Migration,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  await transaction.lock('migrations')

  const applied = await readApplied(transaction, engine)
  requireKnown(applied, migrations)
  // Another node may have migrated it in the meantime.
  if (applied.some(({ name }) => name === migration.name)) return

  for (const sql of forEngine(engine, [MIGRATIONS_TABLE, ...migration.statements]))
    await execute(transaction, sql)
  await transaction.run(recordMigration, {
    name: migration.name,
    checksum: checksumOf(migration),
    appliedAt: timestamp(clock),
  })
  const { oldestVersion } = migration
  if (oldestVersion !== undefined) await writeFact(transaction, 'oldestVersion', oldestVersion)
}

/** The statements that create the schema of this version in an empty database. */
export const schemaStatements = (engine: Database['engine']): string[] =>
  forEngine(engine, [MIGRATIONS_TABLE, ...known.flatMap(({ statements }) => statements)])

/** A version that is older than the last migration may run, unless a migration has dropped or changed what it uses. */
async function requireMayRun(db: Database, newer: Applied, version: string | undefined): Promise<void> {
  if (version === undefined) {
    throw new Error(
      `This database was used by a newer version: it has the migration ${newer.name}. Start that version, or restore a backup made before it.`,
    )
  }
  const oldest = await readFact(db, 'oldestVersion')
  if (oldest === undefined || compareVersions(version, oldest) >= 0) return
  throw new Error(
    `This database was migrated by a newer version and needs version ${oldest} or newer; this is ${version}. Start version ${oldest} or newer, or restore a backup made before the upgrade.`,
  )
}

async function readApplied(queries: Queries, engine: Database['engine']): Promise<Applied[]> {
  const names = await tableNames(queries, engine)
  if (names.length === 0) return []
  if (names.includes('migrations')) {
    return queries.search((q) => q.selectFrom('migrations').select(['name', 'checksum']).orderBy('name'))
  }
  throw new Error(
    `This database contains tables of another program (${names.slice(0, 3).join(', ')}). Set DATABASE_URL or SVC_DATA_DIR to an empty one.`,
  )
}

function requireKnown(applied: readonly Applied[], migrations: readonly Migration[]) {
  if (applied.some(({ name }) => name === BEFORE_FIRST_RELEASE)) {
    throw new Error(
      'This database was created by a version before 0.1.0 and cannot be migrated; it was not changed. Start the version that created it to export or back up its data, or set DATABASE_URL or SVC_DATA_DIR to an empty one.',
    )
  }
  for (const [position, expected] of migrations.slice(0, applied.length).entries()) {
    const { name, checksum } = applied[position] as Applied
    if (expected.name !== name) {
      throw new Error(
        `This database is incompletely migrated: it has ${name} but lacks ${expected.name}. Restore a backup made before ${name}.`,
      )
    }
    if (checksumOf(expected) !== checksum) {
      throw new Error(
        `This database was migrated by another build: its migration ${name} differs from that of this program. Start that build, or restore a backup.`,
      )
    }
  }
}

/** What databases store of a migration that was applied. */
export const checksumOf = ({ statements }: Migration): string => sha256(statements.join(';\n'))

const IDENTITY = 'bigint generated always as identity primary key'

/**
 * Tables whose short rows SQLite stores in the primary key itself. Otherwise it finds a row in two steps, first in an index of the key and then in
 * the table. A database that was created before this has them the other way, which only takes longer.
 */
const STORED_BY_KEY = new Set(['players', 'players_days', 'sessions', 'sharing_days', 'sharing_visitors'])

/**
 * Migrations use the SQL that both engines accept, with four exceptions. Ids that the database gives are written as in PostgreSQL;
 * `autoincrement` never uses one again either. PostgreSQL columns get a byte-wise collation, as in SQLite. SQLite has no hash indexes, and
 * creates none; some of its tables are stored by their key.
 */
const forEngine = (engine: Database['engine'], statements: readonly string[]): string[] =>
  engine === 'sqlite'
    ? statements.filter((sql) => !HASH_INDEX.test(sql)).map(forSqlite)
    : statements.map((sql) => (isTable(sql) ? withCollation(sql) : sql))

const HASH_INDEX = /^\s*create index \w+ on \w+ using hash\b/i
const isTable = (sql: string) => /^\s*(create|alter) table/i.test(sql)
function forSqlite(sql: string): string {
  if (!isTable(sql)) return sql
  const [, created = ''] = /^\s*create table (\w+)/i.exec(sql) ?? []
  const table = sql.replace(IDENTITY, 'integer primary key autoincrement')
  return STORED_BY_KEY.has(created) ? `${table} without rowid` : table
}
const withCollation = (sql: string) =>
  sql.replace(/((?:^|[(,]|add column)\s*"?\w+"?\s+)text\b/gim, '$1text collate "C"')

/** Runs SQL that is not written with Kysely. */
export const execute = <Row>(
  queries: Queries,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> =>
  queries.search<Row>(() => ({
    compile: () => CompiledQuery.raw(sql, [...parameters]) as CompiledQuery<Row>,
  }))

/** The names of all tables. */
export const tableNames = async (queries: Queries, engine: Database['engine']): Promise<string[]> =>
  (await execute<{ name: string }>(queries, TABLES_SQL[engine])).map(({ name }) => name)
