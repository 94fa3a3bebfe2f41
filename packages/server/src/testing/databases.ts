import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import pg from 'pg'

import type { Database } from '../engines/database/database.ts'
import { type DatabaseOptions, openDatabase } from '../engines/database/open.ts'
import { createStoppedClock } from '../platform/clock.ts'
import { randomText, systemRandom } from '../platform/random.ts'

export type TestVariable = 'TEST_POSTGRES_URL' | 'TEST_REDIS_URL'
export type TestDatabase = {
  db: Database
  url: string | undefined
  dataDir: string
  close: () => Promise<void>
}

export function testVariable(name: TestVariable): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run it through npm test`)
  return value
}

/** False if the databases of tests are behind a pooler in transaction mode (`test/engines/pooler.ts`). */
export const testPrepares = (): boolean => process.env['TEST_POOLER_MODE'] !== 'transaction'

/** An empty data folder, in memory if the test runner found enough space. */
export const newDataDir = (): Promise<string> =>
  mkdtemp(join(process.env['TEST_DATA_FOLDER'] ?? tmpdir(), 'svc-test-'))

/** Copies the migrated SQLite file of the test runner, which saves the time of the migrations. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const template = process.env['TEST_SQLITE_TEMPLATE']
  if (template) await copyFile(template, join(dataDir, 'svc.sqlite'))
}

/** A new, migrated database, deleted by `close`. */
export async function openTestDatabase(
  engine: Database['engine'],
  sqlite: NonNullable<DatabaseOptions['sqlite']> = {},
): Promise<TestDatabase> {
  const dataDir = await newDataDir()
  const postgres = engine === 'postgres' ? await newPostgresDatabase() : undefined
  if (engine === 'sqlite') await copySqliteTemplate(dataDir)
  const db = await openDatabase({
    url: postgres?.url,
    prepare: testPrepares(),
    dataDir,
    clock: createStoppedClock(),
    log: () => {},
    sqlite,
  })

  return {
    db,
    url: postgres?.url,
    dataDir,
    async close() {
      await db.close()
      await postgres?.remove()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type NewDatabase = { migrated?: boolean }

/** A database in the PostgreSQL server that all tests share; a copy of the migrated template, or an empty one on request. */
export async function newPostgresDatabase({ migrated = true }: NewDatabase = {}): Promise<{
  url: string
  remove: () => Promise<void>
}> {
  const name = `t_${randomText(systemRandom, 16).toLowerCase()}`
  const url = new URL(testVariable('TEST_POSTGRES_URL'))
  url.pathname = `/${name}`
  const template = (migrated && process.env['TEST_POSTGRES_TEMPLATE']) || 'template0'
  // Copied as files: half the CPU time of the default, which writes every page to the log.
  await asAdmin(`create database ${name} template ${template} strategy file_copy`)
  url.port = process.env['TEST_POOLER_PORT'] ?? url.port
  return { url: url.href, remove: () => asAdmin(`drop database if exists ${name} with (force)`) }
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: testVariable('TEST_POSTGRES_URL') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
