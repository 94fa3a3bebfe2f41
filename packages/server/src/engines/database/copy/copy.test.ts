import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, afterEach, describe, test } from 'node:test'

import pg from 'pg'

import { createStoppedClock } from '../../../platform/clock.ts'
import { copySqliteTemplate, newDataDir, newPostgresDatabase } from '../../../testing/databases.ts'
import { insertSampleRows, SAMPLE_ROWS } from '../../../testing/sample-rows.ts'
import { installationId } from '../installation.ts'
import { openDatabase } from '../open.ts'
import { copyToPostgres, type CopyProgress, undoCopy } from './copy-to-postgres.ts'

const clock = createStoppedClock()

describe('a copy from SQLite to PostgreSQL', () => {
  let dataDir: string
  let path: string
  let postgres: Awaited<ReturnType<typeof newPostgresDatabase>>
  beforeEach(async () => {
    dataDir = await newDataDir()
    path = join(dataDir, 'svc.sqlite')
    await copySqliteTemplate(dataDir)
    postgres = await newPostgresDatabase({ migrated: false })
  })
  afterEach(async () => {
    await postgres.remove()
    await rm(dataDir, { recursive: true, force: true })
  })

  const openSource = () => openDatabase({ dataDir, clock, log: () => {} })
  const copy = (onProgress?: (progress: CopyProgress) => void) =>
    copyToPostgres({ dataDir, to: postgres.url, clock, log: () => {}, ...(onProgress && { onProgress }) })

  async function inPostgres<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const tablesInPostgres = () =>
    inPostgres<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
    )

  function inSqlite(sql: string): Record<string, unknown>[] {
    using database = new DatabaseSync(path)
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all()
  }

  test('[OPS-31] every row of every table is the same in PostgreSQL, also unusual values', async () => {
    await (await openSource()).close()
    insertSampleRows(path)
    const progress: CopyProgress[] = []
    const { tables, rows, wasComplete } = await copy((one) => progress.push(one))

    const names = (await tablesInPostgres()).map(({ name }) => name)
    assert.equal(tables, names.length)
    assert.equal(wasComplete, false)
    assert.deepEqual([...new Set(progress.map(({ table }) => table))].toSorted(), names.toSorted())
    let counted = 0
    for (const name of names) {
      const columns = inSqlite(`select name from pragma_table_info('${name}')`).map((row) =>
        String(row['name']),
      )
      // Rows of both engines as text that JavaScript has not rounded.
      const select = (cast: (column: string) => string) =>
        `select ${columns.map((column) => `${cast(`"${column}"`)} as "${column}"`).join(', ')} from "${name}"`
      const there = await inPostgres(select((column) => `${column}::text`))
      const here = inSqlite(select((column) => column))
        // Marked after the copy.
        .filter((row) => row['name'] !== 'copiedTo')
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([key, value]) => [
              key,
              value === null ? null : String(value as string | number),
            ]),
          ),
        )
      const sorted = (list: Record<string, unknown>[]) => list.map((row) => JSON.stringify(row)).toSorted()
      assert.deepEqual(
        sorted(
          there.map((row) =>
            Object.fromEntries(Object.entries(row).map(([key, value]) => [key, doubleText(value)])),
          ),
        ),
        sorted(here),
        name,
      )
      if (name !== 'migrations') assert.ok(there.length >= SAMPLE_ROWS, name)
      counted += there.length
    }
    assert.equal(rows, counted)
  })

  test('[OPS-31] ids that the database gives continue after the highest one ever given', async () => {
    const source = await openSource()
    await source.close()
    using database = new DatabaseSync(path)
    const insert = database.prepare(
      `insert into leaderboards (id, "environmentId", key, period, label, direction, signature, "createdAt") values (?, 'e', 'k', 'p', 'l', 'desc', 's', 'now')`,
    )
    for (const id of [3, 41]) insert.run(id)
    database.exec('delete from leaderboards where id = 41')
    database.close()
    await copy()

    const [row] = await inPostgres<{ id: string }>(
      `insert into leaderboards ("environmentId", key, period, label, direction, signature, "createdAt") values ('e', 'k', 'p', 'l', 'desc', 's', 'now') returning id`,
    )
    assert.equal(row?.id, '42')
  })

  test('[OPS-32] no service starts on SQLite after the copy, until it is undone; the installation is the same', async () => {
    const source = await openSource()
    const id = await installationId(source)
    await source.close()
    await copy()

    const host = new URL(postgres.url)
    await assert.rejects(openSource(), {
      message: `The data of this SQLite database was copied to PostgreSQL (${host.host}${host.pathname}): set DATABASE_URL to that database. To use SQLite again, without what was written to PostgreSQL since then, run: svc-server copy --undo`,
    })
    const target = await openDatabase({ url: postgres.url, dataDir, clock, log: () => {} })
    assert.equal(await installationId(target), id)
    await target.close()

    assert.equal(await undoCopy(dataDir), `${host.host}${host.pathname}`)
    assert.equal(await undoCopy(dataDir), undefined)
    await (await openSource()).close()
  })

  test('[OPS-33] a command that was killed between commit and mark is completed by the next one', async () => {
    await (await openSource()).close()
    insertSampleRows(path)
    const first = await copy()
    await undoCopy(dataDir)

    assert.deepEqual(await copy(), { ...first, wasComplete: true })
    await assert.rejects(openSource(), /copied to PostgreSQL/)
  })

  test('[OPS-30] a copy that has changed since is not replaced', async () => {
    await (await openSource()).close()
    await copy()
    await undoCopy(dataDir)
    await inPostgres(`insert into installation values ('more', 'x')`)

    await assert.rejects(
      copy(),
      /already contains this installation, but not the same data\. .* Nothing was written\.$/,
    )
    await (await openSource()).close()
    assert.equal((await inPostgres(`select 1 from installation where name = 'more'`)).length, 1)
  })

  test('[OPS-30] a target with tables of another program, or of another installation, is rejected and unchanged', async () => {
    await (await openSource()).close()
    await inPostgres('create table customers (id text)')
    await assert.rejects(copy(), /is not empty: it has the tables customers\. Create a new database/)
    assert.deepEqual(await tablesInPostgres(), [{ name: 'customers' }])

    await inPostgres('drop table customers')
    const other = await openDatabase({ url: postgres.url, dataDir, clock, log: () => {} })
    await installationId(other)
    await other.close()
    await assert.rejects(copy(), /is not empty: it has the tables .* and others\. Create a new database/)
    await (await openSource()).close()
  })

  test('[OPS-30] a data folder in use, one without a database, and a target that does not answer are rejected in one sentence', async () => {
    const running = await openSource()
    await assert.rejects(copy(), /svc\.sqlite is in use by another server process\. Stop that one first/)
    await running.close()

    const to = postgres.url.replace(/:\d+\//, ':1/').replace('postgres@', 'postgres:s3cret@')
    await assert.rejects(copyToPostgres({ dataDir, to, clock, log: () => {} }), (error: Error) => {
      assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:1 cannot be used: /)
      assert.doesNotMatch(error.message, /s3cret/)
      return true
    })
    await (await openSource()).close()

    const empty = join(dataDir, 'empty')
    await assert.rejects(
      copyToPostgres({ dataDir: empty, to, clock, log: () => {} }),
      /There is no database in .*empty/,
    )
    assert.equal(existsSync(empty), false)
  })

  test('[OPS-31] a value that PostgreSQL does not accept leaves the target empty and names the table', async () => {
    await (await openSource()).close()
    const wrong = [
      `insert into installation values ('nul', 'a' || char(0))`,
      `insert into installation values ('x', x'00ff')`,
    ]
    for (const sql of wrong) {
      inSqlite(sql)
      await assert.rejects(copy(), /^Error: The (table|column) installation.*(could not be|is not) copied/)
      assert.deepEqual(await tablesInPostgres(), [])
      inSqlite(`delete from installation where name in ('nul', 'x')`)
    }
    await copy()
  })

  test('[OPS-31] a row that differs in the target is found before the commit', async () => {
    await (await openSource()).close()
    insertSampleRows(path)
    // A trigger of the target that changes what is written, as a broken disk or driver would.
    await inPostgres(`create function spoil() returns event_trigger language plpgsql as $$
      begin
        if exists (select from pg_class where relname = 'saves' and relkind = 'r') and not exists (select from pg_trigger where tgname = 'spoil') then
          create or replace function spoil_row() returns trigger language plpgsql as 'begin new.version = new.version - 1; return new; end';
          create trigger spoil before insert on saves for each row when (new.size = 12) execute function spoil_row();
        end if;
      end $$`)
    await inPostgres(
      "create event trigger spoil on ddl_command_end when tag in ('CREATE TABLE') execute function spoil()",
    )

    await assert.rejects(
      copy(),
      /^Error: The table saves in .* differs from the one in SQLite after the copy\. Nothing was written/,
    )
    assert.deepEqual(await tablesInPostgres(), [])
    await (await openSource()).close()
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name.includes('wal')),
      [],
    )
  })
})

/** The engines write large and small doubles differently. */
const doubleText = (value: unknown) =>
  typeof value === 'string' && /^-?(?:\d+\.?\d*e[+-]\d+|Infinity)$/.test(value)
    ? String(Number(value))
    : value
