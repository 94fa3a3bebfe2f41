import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { CHECKOUT_CACHE } from '../bin/on-node-26.js'
import { copyToPostgres, undoCopy } from '../src/engines/database/copy/copy-to-postgres.ts'
import { migrations } from '../src/engines/database/migrations/index.ts'
import { openDatabase } from '../src/engines/database/open.ts'
import { systemClock } from '../src/platform/clock.ts'
import { copySqliteTemplate, newDataDir, newPostgresDatabase } from '../src/testing/databases.ts'
import { runs } from '../src/testing/runs.ts'
import { insertSampleRows } from '../src/testing/sample-rows.ts'
import { VERSION } from '../src/version.ts'
import { operate } from './operator.ts'
import { builtServer, runServer, setUpCallerOf, startServer } from './server-process.ts'

type Postgres = Awaited<ReturnType<typeof newPostgresDatabase>>

async function tablesOf({ url }: Pick<Postgres, 'url'>): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>(
      'select count(*) from pg_tables where schemaname = current_schema()',
    )
    return Number(rows[0]?.count)
  } finally {
    await client.end()
  }
}

describe('svc-server copy', () => {
  let dataDir: string
  let postgres: Postgres
  before(async () => {
    dataDir = await newDataDir()
    postgres = await newPostgresDatabase({ migrated: false })
  })
  after(async () => {
    await postgres.remove()
    await rm(dataDir, { recursive: true, force: true })
  })
  // Access tokens name the base URL, which contains the port otherwise.
  const settings = () => ({
    SVC_DATA_DIR: dataDir,
    SVC_RATE_LIMITS: 'off',
    SVC_BASE_URL: 'http://game.localhost',
  })

  test('[OPS-30] [OPS-31] [OPS-32] a service that was used continues on PostgreSQL: accounts, sessions, saves, stats and audit log', async (t) => {
    const here = await startServer(settings())
    t.after(() => here.signal('SIGKILL'))
    const setUp = setUpCallerOf(here)
    const account = { email: 'dev@example.com', password: 'correct horse' }
    const { body: session } = await setUp('POST', '/v1/developers/signup', { body: account })
    const { body: created } = await setUp('POST', '/v1/projects', {
      token: session.token,
      body: { name: 'Star Duel' },
    })
    const keyOf = (type: string): string =>
      created.keys.find(
        (key: Record<string, string>) => `${key['environment']} ${key['type']}` === `development ${type}`,
      ).key
    const config = {
      features: { saves: true, stats: true },
      stats: [{ key: 'score', aggregation: 'max', leaderboard: {} }],
    }
    await setUp('PUT', '/v1/config', { key: keyOf('secret'), body: config })
    const { body: guest } = await setUp('POST', '/v1/auth/guest', { key: keyOf('publishable'), body: {} })
    const player = { key: keyOf('publishable'), token: guest.accessToken }
    const data = { name: '😀 \uffff', empty: '', big: 9_007_199_254_740_991, list: [null, 0.1] }
    await setUp('PUT', '/v1/saves/slot1', { ...player, body: { data } })
    await setUp('POST', '/v1/stats', { ...player, body: { stats: { score: 12.5 } } })

    const refused = await operate({ dataDir }, 'copy', '--to', postgres.url)
    assert.deepEqual([refused.code, refused.output], [1, ''])
    assert.match(
      refused.errors,
      /^[^\n]*svc\.sqlite is in use by another server process\. Stop that one first[^\n]*\n$/,
    )
    here.signal('SIGTERM')
    assert.equal((await here.ended).code, 0)

    const withPassword = postgres.url.replace('postgres@', 'postgres:s3cret@')
    const { code, output, errors } = await operate({ dataDir }, 'copy', '--to', withPassword)
    assert.deepEqual([code, errors], [0, ''])
    assert.match(
      output,
      /^Copied \d+ rows of \d+ tables in [\d.]+ s, and compared them\.\n.*DATABASE_URL.*\n.*\n {2}secret\.key: /,
    )
    assert.doesNotMatch(output, /s3cret/)

    // With the key at its new place.
    const key = join(dataDir, 'secret.key')
    await rename(key, `${dataDir}.key`)
    const files = await readdir(dataDir)
    const marked = await runServer({ ...settings(), PORT: String(here.port) })
    assert.deepEqual([marked.code, marked.output], [1, ''])
    assert.deepEqual(await readdir(dataDir), files)
    await rename(`${dataDir}.key`, key)
    assert.match(
      marked.errors,
      /^The data of this SQLite database was copied to PostgreSQL \([^\n]*svc-server copy --undo\n$/,
    )

    const there = await startServer({ ...settings(), DATABASE_URL: postgres.url })
    t.after(() => there.signal('SIGKILL'))
    const call = setUpCallerOf(there)
    await call('POST', '/v1/developers/login', { body: account })
    assert.deepEqual((await call('GET', '/v1/saves/slot1', player)).body.data, data)
    assert.equal((await call('GET', '/v1/x/leaderboards/score/me', player)).body.entry.value, 12.5)
    await call('POST', '/v1/auth/refresh', {
      key: player.key,
      body: { refreshToken: guest.refreshToken },
    })
    there.signal('SIGTERM')
    assert.equal((await there.ended).code, 0)
    const verified = await operate({ dataDir, postgres }, 'audit', 'verify')
    assert.match(verified.output, /, 0 chains broken\n$/)

    const undone = await operate({ dataDir }, 'copy', '--undo')
    assert.match(undone.output, /^The service starts on SQLite again, without what was written to [^\n]*\n$/)
  })

  test('[OPS-30] wrong options are refused, and nothing is written', async () => {
    const wrong = {
      'copy --to': [2, '--to needs an address: --to postgres://user@host/database'],
      'copy --to mysql://host/db': [
        1,
        'copy needs the address of an empty PostgreSQL database: --to postgres://user@host/database',
      ],
      copy: [1, 'copy needs the address of an empty PostgreSQL database: --to postgres://user@host/database'],
      'copy --undo --to postgres://host/db': [2, 'copy takes --to or --undo, not both.'],
      upgrade: [2, 'upgrade takes --check. To upgrade, start the new version: it migrates the database.'],
    }
    for (const [typed, [code, sentence]] of Object.entries(wrong)) {
      const ended = await operate({ dataDir }, ...typed.split(' '))
      assert.deepEqual([ended.code, ended.output, ended.errors.split('\n')[0]], [code, '', sentence], typed)
    }
  })
})

test('[OPS-33] a copy that is killed at any moment leaves the target empty or complete', async (t) => {
  const dataDir = await newDataDir()
  const postgres = await newPostgresDatabase({ migrated: false })
  t.after(async () => {
    await postgres.remove()
    await rm(dataDir, { recursive: true, force: true })
  })
  await copySqliteTemplate(dataDir)
  await (await openDatabase({ dataDir, clock: systemClock, log: () => {} })).close()
  insertSampleRows(join(dataDir, 'svc.sqlite'))
  fillSaves(join(dataDir, 'svc.sqlite'), 5_000)
  const copy = () => copyToPostgres({ dataDir, to: postgres.url, clock: systemClock, log: () => {} })
  // Measured, so that the kills are spread over the whole copy on any machine.
  const begunAt = performance.now()
  const whole = await operate({ dataDir }, 'copy', '--to', postgres.url)
  assert.deepEqual([whole.code, whole.errors], [0, ''])
  const copyMs = performance.now() - begunAt

  const seen = { empty: 0, complete: 0 }
  const kills = runs(3, 100)
  for (let kill = 1; kill <= kills; kill++) {
    await undoCopy(dataDir)
    await empty(postgres)
    await killedCopy(dataDir, postgres.url, copyMs * (0.3 + (0.8 * kill) / kills))
    const { wasComplete } = await copy().catch((error: Error) => {
      // It was killed after the mark.
      assert.match(error.message, /was copied to PostgreSQL/)
      return { wasComplete: true }
    })
    seen[wasComplete ? 'complete' : 'empty']++
  }
  t.diagnostic(`${kills} kills: ${JSON.stringify(seen)}`)
})

async function killedCopy(dataDir: string, url: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [...builtServer(), 'copy', '--to', url], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: CHECKOUT_CACHE, SVC_DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await Promise.race([pause(afterMs), exited])
  child.kill('SIGKILL')
  await exited
}

async function empty({ url }: Pick<Postgres, 'url'>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  await client.end()
}

function fillSaves(path: string, rows: number): void {
  using database = new DatabaseSync(path)
  database.exec('begin')
  const insert = database.prepare(
    `insert into saves ("environmentId", "playerId", key, version, size, "updatedAt", data) values ('e', ?, 'slot', 1, 500, 'now', ?)`,
  )
  for (let row = 0; row < rows; row++) insert.run(`p${row}`, JSON.stringify({ text: 'x'.repeat(490) }))
  database.exec('commit')
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`[OPS-36] upgrade --check applies the pending migrations to a copy on ${engine}, and changes nothing`, async (t) => {
    const dataDir = await newDataDir()
    const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
    t.after(async () => {
      await postgres?.remove()
      await rm(dataDir, { recursive: true, force: true })
    })
    const applied = migrations.slice(0, -2)
    const place = { url: postgres?.url, dataDir, clock: systemClock, log: () => {} }
    const db = await openDatabase({ ...place, migrations: applied })
    await db.run({ build: (q) => q.insertInto('installation').values({ name: 'id', value: 'x' }) }, {})
    if (engine === 'postgres') await db.close()
    const before = postgres ? await tablesOf(postgres) : readFileSync(join(dataDir, 'svc.sqlite'))

    // On SQLite while the database is open, as the running service has it.
    const { code, output, errors } = await operate({ dataDir, postgres }, 'upgrade', '--check')
    if (engine === 'sqlite') await db.close()

    assert.deepEqual([code, errors], [0, ''])
    const [first, second] = migrations.slice(-2).map(({ name }) => name)
    assert.match(
      output,
      new RegExp(
        `^${first} {2}\\d+\\.\\d{3} s\\n${second} {2}\\d+\\.\\d{3} s\\n2 migrations of version ${VERSION}, \\d+\\.\\d s on a copy\\. The database itself was not changed\\.\\n.*No restore is needed\\.\\n$`,
      ),
    )
    if (postgres) assert.equal(await tablesOf(postgres), before)
    assert.deepEqual(
      await (async () => {
        const open = await openDatabase({ ...place, migrations: applied })
        const rows = await open.search((q) => q.selectFrom('migrations').select('name'))
        await open.close()
        return rows.length
      })(),
      applied.length,
    )

    await (await openDatabase(place)).close()
    const done = await operate({ dataDir, postgres }, 'upgrade', '--check')
    assert.match(done.output, new RegExp(`^Version ${VERSION} changes nothing in this database\\.\\n`))
  })
