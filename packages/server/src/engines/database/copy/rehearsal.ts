import { HOUR_MS } from '../../../platform/clock.ts'
import type { Database } from '../database.ts'
import { readFact } from '../installation.ts'
import { execute, findPending, migrate, type MigrateOptions } from '../migrate.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { columnList, quoted, readSchema } from './schema.ts'

export type Rehearsal = {
  /** In their order, with durations on the copy. */
  migrations: { name: string; ms: number; oldestVersion?: string }[]
  /** The oldest version that can run after them; undefined if every version can. */
  oldestVersion: string | undefined
}
export type RehearsalOptions = Pick<MigrateOptions, 'clock' | 'version' | 'migrations'>

const STATEMENT_TIMEOUT_MS = 12 * HOUR_MS
/** A schema beside that of the service, dropped at the end. One that was left by a killed command is dropped by the next. */
const SCHEMA = 'svc_upgrade_check'

/** Applies the pending migrations to this SQLite file, which is a copy, and measures them. */
export async function rehearseOnSqlite(path: string, options: RehearsalOptions): Promise<Rehearsal> {
  const db = openSqlite({ path })
  try {
    return await rehearse(db, options)
  } finally {
    await db.close()
  }
}

/**
 * Copies all rows to another schema of the same database, applies the pending migrations there, measures them and drops it. The
 * schema is created by the migrations that the database has, so names of indexes and constraints are the same.
 */
export async function rehearseOnPostgres(url: string, options: RehearsalOptions): Promise<Rehearsal> {
  const limits = { poolMax: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS }
  const live = await openPostgres({ url, ...limits })
  try {
    const { done, pending } = await findPending(live, options)
    if (pending.length === 0) return { migrations: [], oldestVersion: await readFact(live, 'oldestVersion') }
    await createSchema(live)
    const copy = await openPostgres({ url: withSchema(url), ...limits })
    try {
      await migrate(copy, { ...options, log: () => {}, migrations: done })
      await copyRows(copy, await currentSchema(live))
      return await rehearse(copy, options)
    } finally {
      await copy.close()
    }
  } finally {
    await execute(live, `drop schema if exists ${SCHEMA} cascade`).catch(() => {})
    await live.close()
  }
}

async function rehearse(db: Database, options: RehearsalOptions): Promise<Rehearsal> {
  const migrations: Rehearsal['migrations'] = []
  await migrate(db, {
    ...options,
    log: () => {},
    onMigrated: ({ name, oldestVersion }, ms) =>
      migrations.push({ name, ms, ...(oldestVersion !== undefined && { oldestVersion }) }),
  })
  return { migrations, oldestVersion: await readFact(db, 'oldestVersion') }
}

async function createSchema(live: Database): Promise<void> {
  try {
    await execute(live, `drop schema if exists ${SCHEMA} cascade`)
    await execute(live, `create schema ${SCHEMA}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The check needs a schema of its own in the database, and its user may not create one (${reason}). Run: grant create on database <name> to <user>`,
      { cause: error },
    )
  }
}

async function currentSchema(live: Database): Promise<string> {
  const [row] = await execute<{ name: string }>(live, 'select current_schema() as name')
  return row?.name ?? 'public'
}

async function copyRows(copy: Database, from: string): Promise<void> {
  await copy.transaction(async (transaction) => {
    for (const table of await readSchema(transaction)) {
      await execute(transaction, `delete from ${quoted(table.name)}`)
      await execute(
        transaction,
        `insert into ${quoted(table.name)} (${columnList(table)}) overriding system value
          select ${columnList(table)} from ${quoted(from)}.${quoted(table.name)}`,
      )
    }
  })
}

function withSchema(url: string): string {
  const separator = url.includes('?') ? '&' : '?'
  return `${url}${separator}options=${encodeURIComponent(`-c search_path=${SCHEMA}`)}`
}
