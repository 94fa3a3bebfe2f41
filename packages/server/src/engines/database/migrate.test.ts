import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { createStoppedClock } from '../../platform/clock.ts'
import { newPostgresDatabase, testPrepares } from '../../testing/databases.ts'
import type { Database } from './database.ts'
import type { Migration } from './migrations/index.ts'
import { openDatabase } from './open.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openSqlite } from './sqlite/sqlite.ts'

const one: Migration = {
  name: '0001-one',
  statements: ['create table secrets (id text primary key, sealed text)'],
}
const facts: Migration = {
  name: '0000-installation',
  statements: ['create table installation (name text primary key, value text not null)'],
}
const two: Migration = { name: '0002-two', statements: ['alter table secrets add column "updatedAt" text'] }
const three: Migration = {
  name: '0003-three',
  statements: ['create table later (id text)', 'create table oops ('],
}

const execute = (db: Database, sql: string) =>
  db.transaction((transaction) => transaction.search(() => ({ compile: () => CompiledQuery.raw(sql) })))

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`migrations on ${engine}`, () => {
    const removals: (() => unknown)[] = []
    let place: { url: string | undefined; dataDir: string }
    let lines: string[]
    after(async () => {
      for (const remove of removals) await remove()
    })
    beforeEach(async () => {
      lines = []
      const dataDir = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
      removals.push(() => rmSync(dataDir, { recursive: true, force: true }))
      const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
      if (postgres) removals.push(postgres.remove)
      place = { url: postgres?.url, dataDir }
    })

    const openAs = (version: string | undefined, ...migrations: Migration[]) =>
      openDatabase({
        ...place,
        prepare: testPrepares(),
        clock: createStoppedClock(),
        log: (line) => lines.push(line),
        ...(version !== undefined && { version }),
        migrations,
      })
    const open = (...migrations: Migration[]) => openAs(undefined, ...migrations)

    /** All columns, and the applied migrations, of a database that is opened without being migrated. */
    async function readSchema() {
      const { url, dataDir } = place
      const db = url
        ? await openPostgres({ url, prepare: testPrepares() })
        : openSqlite({ path: join(dataDir, 'svc.sqlite') })
      const columns = await execute(
        db,
        url
          ? 'select table_name, column_name from information_schema.columns where table_schema = current_schema() order by 1, 2'
          : 'select name, sql from sqlite_schema order by 1',
      )
      const applied = await db.search((q) => q.selectFrom('migrations').selectAll())
      await db.close()
      return { columns, applied }
    }

    async function change(migrations: Migration[], sql: string) {
      const db = await open(...migrations)
      await execute(db, sql)
      await db.close()
    }

    test('they run in order, once, each with its row', async () => {
      await (await open(one)).close()
      const db = await open(one, two)
      const rows = await db.search((q) =>
        q.selectFrom('migrations').select(['name', 'appliedAt']).orderBy('name'),
      )
      await db.close()
      await (await open(one, two)).close()

      assert.deepEqual(rows, [
        { name: '0001-one', appliedAt: '2026-01-01T00:00:00.000Z' },
        { name: '0002-two', appliedAt: '2026-01-01T00:00:00.000Z' },
      ])
    })

    test('a failed migration is rolled back', async () => {
      await assert.rejects(open(one, two, three))

      const db = await open(one, two)
      const rows = await db.search((q) => q.selectFrom('migrations').select('name').orderBy('name'))
      await assert.rejects(execute(db, 'select * from later'))
      await db.close()
      assert.equal(rows.length, 2)
    })

    test('a database of a newer version is rejected', async () => {
      await (await open(one, two)).close()

      await assert.rejects(open(one), /newer version: it has the migration 0002-two\. Start that version/)
    })

    test('[OPS-34] the version before runs on a schema to which a newer one has only added', async () => {
      await (await openAs('0.2.0', facts, one, two)).close()
      const before = await readSchema()

      const db = await openAs('0.1.0', facts, one)
      await execute(db, `insert into secrets (id, sealed) values ('a', 'b')`)
      await db.close()

      await (await openAs('0.2.0', facts, one, two)).close()
      assert.deepEqual(await readSchema(), before)
    })

    test('[OPS-34] a version that is older than a migration allows refuses to start, in one sentence', async () => {
      const dropping = { ...two, statements: ['alter table secrets drop column sealed'] }
      await (await openAs('0.3.0', facts, one, { ...dropping, oldestVersion: '0.2.0' })).close()
      const before = await readSchema()

      for (const old of ['0.1.0', '0.1.12'])
        await assert.rejects(openAs(old, facts, one), {
          message: `This database was migrated by a newer version and needs version 0.2.0 or newer; this is ${old}. Start version 0.2.0 or newer, or restore a backup made before the upgrade.`,
        })
      for (const recent of ['0.2.0', '0.10.0', '1.0.0']) await (await openAs(recent, facts, one)).close()
      assert.deepEqual(await readSchema(), before)
    })

    test('[OPS-34] a program that lacks a migration in the middle is rejected', async () => {
      await (await openAs('0.2.0', facts, one, two)).close()

      await assert.rejects(
        openAs('0.2.0', facts, { ...one, name: '0001-zero' }, two),
        /incompletely migrated: it has 0001-one but lacks 0001-zero/,
      )
    })

    test('an incompletely migrated database is rejected', async () => {
      await change([one, two], `delete from migrations where name = '0001-one'`)

      await assert.rejects(
        open(one, two),
        /incompletely migrated: it has 0002-two but lacks 0001-one\. Restore a backup/,
      )
    })

    test('a migration that was edited after it ran is rejected', async () => {
      await (await open(one)).close()
      const edited = { ...one, statements: [...one.statements, 'create table extra (id text)'] }

      await assert.rejects(open(edited), /another build: its migration 0001-one differs/)
    })

    test('a database from before 0.1.0 is rejected and unchanged', async () => {
      await change([one], `update migrations set name = '0001-the-house'`)
      const before = await readSchema()

      await assert.rejects(
        openDatabase({
          ...place,
          prepare: testPrepares(),
          clock: createStoppedClock(),
          log: (line) => lines.push(line),
        }),
        /created by a version before 0\.1\.0 and cannot be migrated; .* to export or back up its data, or set DATABASE_URL or/,
      )

      assert.deepEqual(await readSchema(), before)
      assert.deepEqual([lines, existsSync(join(place.dataDir, 'backups'))], [[], false])
    })

    test('a database of another program is rejected and unchanged', async () => {
      await change([one], 'alter table migrations rename to strangers')

      await assert.rejects(
        open(one, two),
        /tables of another program \(.*strangers.*\)\. Set DATABASE_URL or SVC_DATA_DIR to/,
      )
    })

    test('a hash index is created on PostgreSQL only', async () => {
      const hash: Migration = {
        name: '0002-hash',
        statements: ['create index secrets_by on secrets using hash (id)'],
      }
      const db = await open(one, hash)
      const catalog =
        engine === 'sqlite'
          ? `select name from sqlite_master where type = 'index'`
          : 'select * from pg_indexes'
      const indexes = JSON.stringify(await execute(db, catalog))
      await db.close()

      assert.equal(indexes.includes('secrets_by'), engine === 'postgres')
    })

    if (engine === 'sqlite') {
      test('[OPS-35] a database file in use is copied before it is changed, and the log reports it', async () => {
        await change([one], `insert into secrets values ('id', 'kept')`)
        assert.deepEqual(lines, [], 'a new file was copied')

        await (await openAs('0.2.0', one, two)).close()

        const [copy] = readdirSync(join(place.dataDir, 'backups'))
        assert.equal(copy, 'before-0.2.0-2026-01-01T00-00-00.000Z.sqlite')
        assert.match(lines[0] ?? '', /copied to .*before-0\.2\.0/)
        assert.equal(statSync(join(place.dataDir, 'backups', copy ?? '')).mode & 0o777, 0o600)
        const old = new DatabaseSync(join(place.dataDir, 'backups', copy ?? ''))
        assert.deepEqual({ ...old.prepare('select * from secrets').get() }, { id: 'id', sealed: 'kept' })
        old.close()
      })
    } else {
      test('nodes that start together migrate once', async () => {
        const nodes = await Promise.all(Array.from({ length: 5 }, () => open(one, two)))

        const [first] = nodes
        const rows = await first?.search((q) => q.selectFrom('migrations').select('name'))
        await Promise.all(nodes.map((node) => node.close()))
        assert.equal(rows?.length, 2)
      })

      test('text columns sort by bytes', async () => {
        const db = await open(one, two)
        const columns = await execute(
          db,
          `select column_name, collation_name from information_schema.columns
            where table_name in ('secrets', 'migrations') and data_type = 'text'`,
        )
        await db.close()

        assert.equal(columns.length, 6)
        for (const column of columns) assert.equal((column as { collation_name: string }).collation_name, 'C')
      })
    }
  })
}
