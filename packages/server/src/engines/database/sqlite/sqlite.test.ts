import assert from 'node:assert/strict'
import { fdatasync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test, type TestContext } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

import { CompiledQuery, sql } from 'kysely'

import { createStoppedClock } from '../../../platform/clock.ts'
import { type Database, statement } from '../database.ts'
import { openDatabase } from '../open.ts'
import { openConnection, planOf } from './connection.ts'
import type { LogLimits, Sync, SyncMode } from './file.ts'

const write = statement((q, { id, sealed }: { id: string; sealed: string }) =>
  q.insertInto('secrets').values({ id, sealed, updatedAt: 'now' }),
)
const find = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').selectAll().where('id', '=', id),
)
const remove = statement((q, { id }: { id: string }) => q.deleteFrom('secrets').where('id', '=', id))

/** A disk whose syncs the test counts, delays and fails. */
function createDisk() {
  const held: (() => void)[] = []
  const disk = {
    syncs: 0,
    holding: false,
    broken: undefined as Error | undefined,
    sync: ((descriptor, done) => {
      disk.syncs++
      const { broken } = disk
      const run = () => (broken ? done(broken) : fdatasync(descriptor, done))
      if (disk.holding) held.push(run)
      else run()
    }) satisfies Sync,
    get held() {
      return held.length
    },
    release: () => held.shift()?.(),
  }
  return disk
}

let dataDir: string
let disk: ReturnType<typeof createDisk>
let db: Database | undefined
let syncMode: SyncMode

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-sqlite-'))
  disk = createDisk()
  syncMode = 'group'
})
afterEach(async () => {
  disk.holding = false
  while (disk.held > 0) disk.release()
  await db?.close()
  db = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

async function open(logLimits?: Partial<LogLimits>): Promise<Database> {
  const sqlite = { sync: disk.sync, syncMode, ...(logLimits && { logLimits }) }
  db = await openDatabase({ dataDir, clock: createStoppedClock(), log: () => {}, sqlite })
  return db
}

const path = () => join(dataDir, 'svc.sqlite')
const until = async (holds: () => boolean) => {
  for (const deadline = performance.now() + 20_000; !holds(); await turn()) {
    assert.ok(performance.now() < deadline, 'waited too long')
  }
}

function testInBothModes(title: string, work: (t: TestContext) => Promise<void>, timeout = 120_000) {
  for (const mode of ['group', 'each'] as const)
    test(`${title} (${mode})`, { timeout }, (t) => {
      syncMode = mode
      return work(t)
    })
}

test('writers that wait share a sync', async () => {
  const database = await open()
  const before = disk.syncs

  await Promise.all(Array.from({ length: 2_000 }, (_, n) => database.run(write, { id: `${n}`, sealed: '' })))

  assert.ok(disk.syncs - before <= 40, `${disk.syncs - before} syncs for 2,000 writes`)
})

test('a write is answered only after a sync that began after its commit', async () => {
  const database = await open()
  disk.holding = true
  const answered: string[] = []
  const send = (id: string) => void database.run(write, { id, sealed: '' }).then(() => answered.push(id))

  send('first')
  await until(() => disk.held === 1)
  for (let n = 0; n < 64; n++) send(`later ${n}`)
  // These are committed during the sync, and a read may see them.
  const committed = () => database.first(find, { id: 'later 63' })
  for (let row; !row; row = await committed()) await turn()
  assert.deepEqual(answered, [])

  disk.release()
  await until(() => disk.held === 1)
  assert.deepEqual(answered, ['first'], 'the sync in progress covered a later commit')

  disk.release()
  await until(() => answered.length === 65)
})

test('work that throws is rejected without a sync', async () => {
  const database = await open()
  disk.holding = true
  const refused = database.transaction(async (transaction) => {
    await transaction.run(write, { id: 'undone', sealed: '' })
    throw new Error('no')
  })

  await assert.rejects(refused, /no/)

  assert.equal(disk.held, 0)
  assert.equal(await database.first(find, { id: 'undone' }), undefined)
})

test('the event loop and reads continue while a sync hangs', async () => {
  const database = await open()
  await database.run(write, { id: 'old', sealed: '' })
  disk.holding = true
  const waiting = database.run(write, { id: 'new', sealed: '' })
  await until(() => disk.held === 1)

  for (let n = 0; n < 100; n++) {
    await turn()
    assert.ok(await database.first(find, { id: 'old' }))
  }
  await database.ping()

  disk.release()
  assert.equal(await waiting, 1)
})

test('a failed sync answers service_unavailable to all waiting writers, and writes are rejected until the file is reopened', async () => {
  const database = await open()
  await database.run(write, { id: 'before', sealed: '' })
  disk.holding = true
  disk.broken = new Error('EIO')
  const waiting = Array.from({ length: 100 }, (_, n) => database.run(write, { id: `lost ${n}`, sealed: '' }))
  const settled = Promise.allSettled(waiting)
  await until(() => disk.held === 1)
  disk.broken = undefined
  disk.holding = false
  disk.release()

  for (const outcome of await settled) {
    assert.equal(outcome.status, 'rejected')
    assert.equal(outcome.reason.code, 'service_unavailable')
  }
  await assert.rejects(database.run(write, { id: 'refused', sealed: '' }), { code: 'service_unavailable' })
  await assert.rejects(database.ping(), { code: 'service_unavailable' })
  await assert.rejects(database.requireWritable(), { code: 'service_unavailable' })
  assert.ok(await database.first(find, { id: 'before' }), 'reads failed')

  let accepted: number | undefined
  while (accepted === undefined) {
    accepted = await database.run(write, { id: 'after', sealed: '' }).catch(() => turn())
  }
  await database.ping()
  await database.requireWritable()
  for (const id of ['before', 'after']) assert.ok(await database.first(find, { id }))
  await database.close()
  await open()
  for (const id of ['before', 'after']) assert.ok(await db?.first(find, { id }))
  assert.equal(await db?.first(find, { id: 'refused' }), undefined)
})

test('reads and writes continue during a scan, which ends with the database', async () => {
  const database = await open()
  const count = statement((q) =>
    q.selectNoFrom(
      sql<number>`(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000000)
        select count(*) from numbers)`.as('count'),
    ),
  )
  let isCounted = false
  const counted = database.scan(count, {}).finally(() => (isCounted = true))

  await database.run(write, { id: 'beside', sealed: 'x' })
  assert.equal((await database.first(find, { id: 'beside' }))?.sealed, 'x')
  assert.equal(isCounted, false)

  assert.deepEqual(await counted, [{ count: 2_000_000 }])
  const waiting = Promise.allSettled(Array.from({ length: 300 }, () => database.scan(count, {})))
  await database.close()
  for (const outcome of await waiting) {
    assert.equal(outcome.status, 'rejected')
    assert.equal(outcome.reason.code, 'service_unavailable')
  }
})

test('with each, SQLite syncs every commit itself, and no write shares one', async () => {
  syncMode = 'each'
  const database = await open()
  const pragma = (sql: string) =>
    database.transaction((transaction) =>
      transaction.search(() => ({ compile: () => CompiledQuery.raw(sql) })),
    )
  assert.deepEqual(await pragma('pragma synchronous'), [{ synchronous: 2 }])

  const log = () => statSync(`${path()}-wal`).size
  const sizes = new Set<number>()
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      database.run(write, { id: `${n}`, sealed: '' }).then(() => sizes.add(log())),
    ),
  )
  assert.equal(sizes.size, 10)
  assert.equal(disk.syncs, 0)
})

testInBothModes(
  'the log is copied and emptied while writers write, and does not grow without bound',
  async () => {
    const limits = { checkpointEveryBytes: 256 * 1024, checkpointPauseMs: 10, truncateAtBytes: 1024 * 1024 }
    const database = await open(limits)
    const log = `${path()}-wal`
    const sealed = 'x'.repeat(4_000)
    let largest = 0
    let emptied = 0

    for (let round = 0; round < 100; round++) {
      const before = statSync(log).size
      await Promise.all(
        Array.from({ length: 16 }, (_, n) => database.run(write, { id: `${round}:${n}`, sealed })),
      )
      const { size } = statSync(log)
      largest = Math.max(largest, size)
      if (size < before) emptied++
    }

    assert.ok(emptied >= 3, `emptied ${emptied} times`)
    assert.ok(largest < 2 * limits.truncateAtBytes, `the log reached ${largest} bytes`)
    assert.ok(await database.first(find, { id: '99:15' }))
    await database.close()
    const [row] = new DatabaseSync(path()).prepare('select count(*) as count from secrets').all()
    assert.equal(row?.count, 1_600)
  },
)

testInBothModes(
  'a second server on the same file fails to start, with a message that explains the solution',
  async () => {
    await open()

    const second = openDatabase({ dataDir, clock: createStoppedClock(), log: () => {} })

    await assert.rejects(second, /in use by another server process.*PostgreSQL/)
  },
)

testInBothModes('the service waits for a file that another program locks for a moment', async () => {
  const database = await open()
  const other = new DatabaseSync(path())
  other.exec('begin immediate')
  const waiting = database.run(write, { id: 'patient', sealed: '' })
  await sleep(50)
  other.exec('rollback')
  other.close()

  assert.equal(await waiting, 1)
})

testInBothModes('a transaction that never finishes times out, and other writers continue', async (t) => {
  const database = await open()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const stuck = database.transaction(async (transaction) => {
    await transaction.run(write, { id: 'stuck', sealed: '' })
    await new Promise(() => {})
  })
  const next = database.run(write, { id: 'next', sealed: '' })
  const refused = assert.rejects(stuck, { code: 'service_unavailable' })
  for (let n = 0; n < 10; n++) await turn()
  t.mock.timers.tick(10_000)
  t.mock.timers.reset()

  await refused
  assert.equal(await next, 1)
  assert.equal(await database.first(find, { id: 'stuck' }), undefined)
})

testInBothModes(
  'on a full disk writes are rejected, acknowledged data is kept, and writes work again when there is space',
  async () => {
    const database = await open()
    await database.run(write, { id: 'kept', sealed: '' })
    // SQLite reports a full file like a full disk.
    const limit = (pages: number) =>
      database.transaction((transaction) =>
        transaction.search(() => ({
          compile: () => ({
            sql: `pragma max_page_count = ${pages}`,
            parameters: [],
            query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
            queryId: { queryId: '' },
          }),
        })),
      )
    await limit(1)

    await assert.rejects(database.run(write, { id: 'large', sealed: 'x'.repeat(1_000_000) }), {
      code: 'service_unavailable',
    })
    await limit(1_000_000)

    assert.equal(await database.run(write, { id: 'large', sealed: 'x'.repeat(1_000_000) }), 1)
    assert.ok(await database.first(find, { id: 'kept' }))
  },
)

/** Reads one after the other, in every phase of the event loop, until it is stopped. */
function startReading(database: Database) {
  let stopped = false
  const read = () => database.first(find, { id: 'none' })
  const reading = Promise.all([
    (async () => {
      for (; !stopped; await turn()) await Promise.all([read(), read()])
    })(),
    (async () => {
      for (; !stopped; await sleep(0)) await Promise.all([read(), read()])
    })(),
  ])
  return async () => {
    stopped = true
    await reading
  }
}

testInBothModes(
  'a read after an acknowledged write sees it, even with a read snapshot open in the same tick',
  async () => {
    disk.sync = (_descriptor, done) => done(null)
    const database = await open()

    const written = database.run(write, { id: 'new', sealed: '' })
    // Its snapshot is older than the write, and lasts as long as this tick.
    const before = await database.first(find, { id: 'new' })
    await written

    assert.equal(before, undefined)
    assert.equal((await database.first(find, { id: 'new' }))?.id, 'new')
  },
)

testInBothModes('the log is emptied although there is a read in every tick of the event loop', async () => {
  const database = await open({
    checkpointEveryBytes: 50_000,
    checkpointPauseMs: 0,
    truncateAtBytes: 200_000,
  })
  const stopReading = startReading(database)
  const log = () => statSync(`${path()}-wal`).size
  let emptied = 0

  for (let n = 0, before = log(); n < 400 && emptied < 3; n++) {
    await database.run(write, { id: `${n}`, sealed: 'x'.repeat(10_000) })
    if (log() < before) emptied++
    before = log()
  }
  await stopReading()

  assert.equal(emptied, 3)
})

testInBothModes(
  'deleted data is removed from every file soon after, during continuous writes and reads',
  async () => {
    const database = await open({ keepMs: 50 })
    const canary = 'CANARY-of-a-deleted-row'
    const files = () => readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)))
    const isOnDisk = () => files().some((bytes) => bytes.includes(canary))
    const stopReading = startReading(database)
    let writing = true
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++)
        await database.run(write, { id: `${writer}:${n}`, sealed: 'x'.repeat(500) })
    })
    // Large enough for separate pages.
    await database.run(write, { id: 'deleted', sealed: canary.repeat(1_000) })
    assert.ok(isOnDisk())

    await database.run(remove, { id: 'deleted' })
    await until(() => !isOnDisk())

    writing = false
    await Promise.all(writers)
    await stopReading()
  },
)

testInBothModes('the log of a database without further writes is emptied, too', async () => {
  // On a busy machine a shorter time may pass before the log is read.
  const database = await open({ keepMs: 500 })
  await database.run(write, { id: 'last', sealed: 'CANARY' })
  const log = () => readFileSync(`${path()}-wal`)
  assert.ok(log().includes('CANARY'))

  await until(() => !log().includes('CANARY'))

  assert.equal((await database.first(find, { id: 'last' }))?.sealed, 'CANARY')
})

testInBothModes('a log that another program reads is emptied when it stops reading', async () => {
  const database = await open({ keepMs: 20 })
  // Before the write: on a busy machine the log may be emptied before the write resolves.
  const other = new DatabaseSync(path(), { readOnly: true })
  other.exec('begin; select count(*) from secrets')
  await database.run(write, { id: 'old', sealed: 'CANARY' })
  await database.run(remove, { id: 'old' })
  const log = () => readFileSync(`${path()}-wal`)
  // Long enough for several attempts; writes continue between them.
  for (let n = 0; n < 5; n++) await database.run(write, { id: `new ${n}`, sealed: '' }).then(() => sleep(100))
  assert.ok(log().includes('CANARY'))
  other.close()

  await until(() => !log().includes('CANARY'))

  assert.ok(await database.first(find, { id: 'new 4' }))
})

test('a statement is not prepared again for another limit', async () => {
  const database = await open()
  for (const id of ['a', 'b', 'c']) await database.run(write, { id, sealed: '' })
  const some = planOf(
    statement((q, { limit }: { limit: number }) =>
      q.selectFrom('secrets').select('id').orderBy('id').limit(limit),
    ),
  )
  const connection = openConnection(path(), { readOnly: true })
  let checks = 0
  // SQLite calls it when it prepares a statement.
  connection.native.setAuthorizer(() => (checks++, constants.SQLITE_OK))
  assert.equal(connection.all(some, { limit: 1 }).length, 1)
  assert.ok(checks > 0)
  checks = 0
  assert.equal(connection.all(some, { limit: 2 }).length, 2)
  assert.equal(checks, 0)
  connection.native.close()
})
