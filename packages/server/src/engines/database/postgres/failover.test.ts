import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'

import pg from 'pg'

import { signalTree } from '../../../../../../scripts/process-tree.ts'
import { type Server, startPostgres } from '../../../../../../scripts/services.ts'
import { createStoppedClock } from '../../../platform/clock.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { startStallingProxy } from '../../../testing/stalling-proxy.ts'
import { type Database, statement } from '../database.ts'
import { openDatabase } from '../open.ts'

const write = statement((q, { id }: { id: string }) =>
  q.insertInto('secrets').values({ id, sealed: '', updatedAt: '' }),
)
const find = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').select('id').where('id', '=', id),
)
const isUnavailable = { code: 'service_unavailable' }

async function ask(server: Pick<Server, 'url'>, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const open = (ports: number[], logged: string[] = []): Promise<Database> =>
  openDatabase({
    url: `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`,
    isEager: true,
    dataDir: '/nonexistent',
    clock: createStoppedClock(),
    log: (line) => void logged.push(line),
  })

/** A primary, and a standby that has everything the primary acknowledged. */
async function startPair() {
  const primary = await startPostgres({ sync: false })
  const standby = await startPostgres({ sync: false, standbyOf: primary.url })
  await ask(primary, `alter system set synchronous_standby_names = '*'`)
  await ask(primary, 'select pg_reload_conf()')
  await comesTrue('the standby is synchronous', async () => {
    const [row] = await ask(primary, 'select sync_state from pg_stat_replication')
    return row?.['sync_state'] === 'sync'
  })
  return { primary, standby, stop: () => Promise.all([primary.stop(), standby.stop()]) }
}

/** Promotes the standby, which then waits for no standby of its own. */
async function promote(standby: Server) {
  await ask(standby, `alter system set synchronous_standby_names = ''`)
  await ask(standby, 'select pg_promote()')
}

/** Writes through every kind of connection, one after the other, until `stop` or the end of the test. Every error but 503 is a failure. */
function startWriters(t: TestContext, db: Database) {
  const acknowledged: string[] = []
  const unexpected: unknown[] = []
  let [refused, isStopped, count] = [0, false, 0]
  t.after(() => void (isStopped = true))
  const ways = [
    (id: string) => db.run(write, { id }),
    (id: string) => db.transaction((transaction) => transaction.run(write, { id })),
    (id: string) => db.pipelined((queries) => queries.run(write, { id })),
    (id: string) => db.exclusively('a', (transaction) => transaction.run(write, { id })),
  ]
  const loops = ways.map(async (way, at) => {
    while (!isStopped) {
      const id = `${at} ${count++}`
      try {
        await way(id)
        acknowledged.push(id)
      } catch (error) {
        if ((error as { code?: string }).code === 'service_unavailable') refused++
        else unexpected.push(error)
      }
    }
  })
  return {
    get acknowledged() {
      return acknowledged
    },
    get refused() {
      return refused
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
      assert.deepEqual(unexpected, [])
      const missing: string[] = []
      for (const id of acknowledged) if (!(await db.first(find, { id }))) missing.push(id)
      assert.deepEqual(missing, [])
    },
  }
}

describe('a primary and its standby', () => {
  let pair: Awaited<ReturnType<typeof startPair>>
  let db: Database
  const logged: string[] = []
  before(async () => {
    pair = await startPair()
    db = await open([pair.standby.port, pair.primary.port], logged)
  })
  after(async () => {
    await db?.close()
    await pair?.stop()
  })

  test('[OPS-50] the server that accepts writes is used, in any order of the hosts', async () => {
    assert.equal(await db.run(write, { id: 'first' }), 1)
    const [{ count } = {}] = await ask(pair.primary, `select count(*) from secrets where id = 'first'`)
    assert.equal(Number(count), 1)
  })

  test('[OPS-56] a synchronous standby is known', () => {
    assert.equal(db.standby(), 'synchronous')
  })

  test('[OPS-51] a commit that was cancelled while it waited for the standby answers service_unavailable', async () => {
    await ask(pair.primary, `alter system set synchronous_standby_names = 'nobody'`)
    await ask(pair.primary, 'select pg_reload_conf()')
    await comesTrue('the standby no longer counts', async () => {
      const [row] = await ask(pair.primary, 'select sync_priority from pg_stat_replication')
      return row?.['sync_priority'] === 0
    })
    const cancelled = [
      assert.rejects(db.run(write, { id: 'unreplicated' }), isUnavailable),
      assert.rejects(
        db.transaction((transaction) => transaction.run(write, { id: 'unreplicated too' })),
        isUnavailable,
      ),
    ]
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
    let seen = 0
    await comesTrue(
      'both were cancelled',
      async () => (seen += (await ask(pair.primary, cancel)).length) >= 2,
    )
    await Promise.all(cancelled)

    await ask(pair.primary, `alter system set synchronous_standby_names = '*'`)
    await ask(pair.primary, 'select pg_reload_conf()')
    await comesTrue('writes work again', () =>
      db.run(write, { id: 'after' }).then(
        () => true,
        () => false,
      ),
    )
  })

  test('[OPS-52] a frozen primary answers service_unavailable until the standby is promoted, and is not used again', async (t) => {
    const writers = startWriters(t, db)
    await comesTrue('writers write', () => writers.acknowledged.length > 50)

    signalTree(pair.primary.pid, 'SIGSTOP')
    await comesTrue('all kinds of writes are refused', () => writers.refused > 8)
    const before = writers.acknowledged.length
    await promote(pair.standby)
    await comesTrue('writers write again', () => writers.acknowledged.length > before + 50)
    await writers.stop()
    await comesTrue('[OPS-56] it is known that there is no standby', () => db.standby() === 'none')
    await comesTrue('[OPS-87] all connections are open', async () => {
      const sql = `select count(*) from pg_stat_activity where application_name = 'svc'`
      const [row] = await ask(pair.standby, sql)
      return Number(row?.['count']) === 15
    })
    assert.match(logged.join('\n'), /no synchronous standby: a failover now may lose/)

    // The former primary still believes that it is the primary.
    signalTree(pair.primary.pid, 'SIGCONT')
    assert.deepEqual(await ask(pair.primary, 'select pg_is_in_recovery() as standby'), [{ standby: false }])
    signalTree(pair.standby.pid, 'SIGSTOP')
    await comesTrue(
      'the new one is lost',
      () => logged.filter((line) => /no longer used/.test(line)).length >= 2,
    )
    for (let asked = 0; asked < 3; asked++)
      await assert.rejects(db.run(write, { id: `lost ${asked}` }), isUnavailable)

    signalTree(pair.standby.pid, 'SIGCONT')
    await comesTrue('writes work', () =>
      db.run(write, { id: 'in the end' }).then(
        () => true,
        () => false,
      ),
    )
    const [{ count } = {}] = await ask(pair.standby, `select count(*) from secrets where id = 'in the end'`)
    assert.equal(Number(count), 1)
  })
})

test('[OPS-52] a primary that is cut off: only service_unavailable until the standby is promoted, and nothing is lost', async (t) => {
  const pair = await startPair()
  t.after(pair.stop)
  const proxy = await startStallingProxy(pair.primary.port)
  t.after(() => (proxy.resume(), proxy.stop()))
  const db = await open([Number(new URL(proxy.url).port), pair.standby.port])
  t.after(() => db.close())
  const writers = startWriters(t, db)
  await comesTrue('writers write', () => writers.acknowledged.length > 50)

  proxy.stall()
  await comesTrue('all kinds of writes are refused', () => writers.refused > 8)
  const before = writers.acknowledged.length
  await promote(pair.standby)
  await comesTrue('writers write again', () => writers.acknowledged.length > before + 50)

  await writers.stop()
})

test('[OPS-50] hosts that all refuse are reported together, without the password', async () => {
  const opening = openDatabase({
    url: 'postgres://svc:hush@127.0.0.1:1,127.0.0.1:2/svc?target_session_attrs=read-write',
    dataDir: '/nonexistent',
    clock: createStoppedClock(),
    log: () => {},
  })

  await assert.rejects(opening, (error: Error) => {
    assert.match(
      error.message,
      /PostgreSQL at 127\.0\.0\.1:1, 127\.0\.0\.1:2 cannot be used: no server accepts writes \(127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: .*\)\. Check DATABASE_URL\./,
    )
    return !error.message.includes('hush')
  })
})
