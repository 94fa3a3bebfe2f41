import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import pg from 'pg'

import { openDatabase } from '../../src/engines/database/open.ts'
import { createStoppedClock } from '../../src/platform/clock.ts'
import { newDataDir, newPostgresDatabase } from '../../src/testing/databases.ts'
import { SAMPLE_ROWS } from '../../src/testing/sample-rows.ts'
import { VERSION } from '../../src/version.ts'

type Row = Record<string, unknown>
/** Runs SQL and returns the rows of the last statement. */
type Ask = (sql: string) => Promise<Row[]>

/** Columns that a later version has dropped, as `table.column`, and tables. Their rows are not compared. */
const DROPPED: readonly string[] = []

const releases = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

test('the databases of all releases are here', () => {
  assert.ok(releases.includes('0.1.0'))
})

for (const release of releases)
  for (const engine of ['sqlite', 'postgres'] as const)
    test(`[OPS-37] the database of ${release} on ${engine} is migrated to the schema of this version, with all rows`, async (t) => {
      const [old, fresh] = [await newPlace(engine), await newPlace(engine)]
      t.after(() => Promise.all([old.remove(), fresh.remove()]))
      await old.ask(readFileSync(join(import.meta.dirname, release, `${engine}.sql`), 'utf8'))
      const before = await rowsOf(old.ask, engine)
      for (const [name, rows] of before)
        assert.ok(
          name === 'migrations' || rows.length >= SAMPLE_ROWS,
          `${name} has ${rows.length} sample rows`,
        )

      await migrate(old)
      await migrate(fresh)

      assert.deepEqual(await schemaOf(old.ask, engine), await schemaOf(fresh.ask, engine))
      const after = new Map(await rowsOf(old.ask, engine))
      for (const [name, rows] of before) {
        if (DROPPED.includes(name)) continue
        const names = Object.keys(rows[0] ?? {}).filter((column) => !DROPPED.includes(`${name}.${column}`))
        const texts = (all: Row[]) =>
          all.map((row) => JSON.stringify(names.map((column) => row[column]))).toSorted()
        const kept = after.get(name) ?? []
        // What the new version adds itself: its migrations, and facts of the installation.
        const isSubset = name === 'migrations' || name === 'installation'
        assert.deepEqual(
          isSubset ? texts(kept).filter((text) => texts(rows).includes(text)) : texts(kept),
          texts(rows),
          name,
        )
      }
    })

type Place = { url: string | undefined; dataDir: string; ask: Ask; remove: () => Promise<void> }

async function newPlace(engine: 'sqlite' | 'postgres'): Promise<Place> {
  const dataDir = await newDataDir()
  const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
  return {
    url: postgres?.url,
    dataDir,
    ask: (sql) => (postgres ? inPostgres(postgres.url, sql) : inSqlite(join(dataDir, 'svc.sqlite'), sql)),
    async remove() {
      await postgres?.remove()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function migrate({ url, dataDir }: Place): Promise<void> {
  const db = await openDatabase({
    url,
    dataDir,
    clock: createStoppedClock(),
    log: () => {},
    version: VERSION,
  })
  await db.close()
}

async function inSqlite(path: string, sql: string): Promise<Row[]> {
  using database = new DatabaseSync(path)
  if (!/^select/i.test(sql)) {
    database.exec(sql)
    return []
  }
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  return statement
    .all()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
      ),
    )
}

async function inPostgres(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by 1`,
  postgres: `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
}

async function rowsOf(ask: Ask, engine: 'sqlite' | 'postgres'): Promise<[table: string, rows: Row[]][]> {
  const tables = (await ask(TABLES[engine])).map(({ name }) => String(name))
  const found: [string, Row[]][] = []
  for (const name of tables) found.push([name, await ask(`select * from "${name}"`)])
  return found
}

/** Tables with their columns, keys, constraints and indexes. How SQLite stores a table may differ (`STORED_BY_KEY`). */
const SCHEMA = {
  sqlite: [
    `select type, name, tbl_name, replace(sql, ' without rowid', '') as sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\' order by 1, 2`,
  ],
  postgres: [
    `select table_name, column_name, ordinal_position, data_type, is_nullable, column_default, collation_name, is_identity
      from information_schema.columns where table_schema = current_schema() order by 1, 3`,
    `select tablename, indexname, indexdef from pg_indexes where schemaname = current_schema() order by 1, 2`,
    `select conrelid::regclass::text as name, conname, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = current_schema()::regnamespace order by 1, 2`,
  ],
}

async function schemaOf(ask: Ask, engine: 'sqlite' | 'postgres'): Promise<Row[]> {
  const found: Row[] = []
  for (const sql of SCHEMA[engine]) found.push(...(await ask(sql)))
  assert.ok(found.length > 100)
  return found
}
