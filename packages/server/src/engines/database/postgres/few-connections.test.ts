import assert from 'node:assert/strict'
import { test } from 'node:test'

import pg from 'pg'

import { startPostgres } from '../../../../../../scripts/services.ts'
import { databaseConnections } from '../../../app/database-connections.ts'
import { inEnvironment } from '../../../platform/current-environment.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { type Database, statement } from '../database.ts'
import { openPostgres } from './postgres.ts'

const PER_NODE = 15
/** PostgreSQL keeps three for administrators. */
const RESERVED = 3
const WRITES = 60

const write = statement((q, { id }: { id: string }) =>
  q.insertInto('secrets').values({ id, sealed: '', updatedAt: '' }),
)
const count = statement((q, { prefix }: { prefix: string }) =>
  q
    .selectFrom('secrets')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('id', 'like', prefix),
)

/** A server that allows so many connections besides one that asks it, and a way to open nodes on it, as a service does. */
async function startWith(opened: AsyncDisposableStack, connections: number) {
  const server = await startPostgres({ sync: false, connectionsMax: connections + RESERVED })
  opened.defer(server.stop)
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  opened.defer(() => admin.end())
  await admin.query('create table secrets (id text primary key, sealed text, "updatedAt" text)')
  // Not an administrator, for whom PostgreSQL keeps some.
  await admin.query('create role svc login; grant all on schema public to svc; grant all on secrets to svc')
  const url = server.url.replace('postgres@', 'svc@')
  const openNode = async () =>
    opened.adopt(await openPostgres({ url, isEager: true }), ({ close }) => close())
  const openCount = async () => {
    const { rows } = await admin.query(
      `select count(*)::int as open from pg_stat_activity where usename = 'svc'`,
    )
    return rows[0].open as number
  }
  return { admin, openNode, openCount }
}

/** Every way to write, for two environments, all at the same time. */
async function requireNothingRefused(db: Database, prefix: string) {
  const ways = [
    (id: string) => db.run(write, { id }),
    (id: string) => db.transaction((transaction) => transaction.run(write, { id })),
    (id: string) => db.pipelined((queries) => queries.run(write, { id })),
    (id: string) => db.exclusively('a', (transaction) => transaction.run(write, { id })),
  ]
  await Promise.all(
    Array.from({ length: WRITES }, (_, at) =>
      inEnvironment(`environment ${at % 2}`, async () => ways[at % ways.length]?.(`${prefix} ${at}`)),
    ),
  )
  const written = { prefix: `${prefix} %` }
  assert.equal((await db.first(count, written))?.count, WRITES)
  assert.equal((await db.scan(count, written))[0]?.count, WRITES)
}

const partOf = (db: Database, nodes: number) =>
  databaseConnections({ db, cluster: { nodes: () => Array.from({ length: nodes }, (_, at) => `${at}`) } })

test('[OPS-87] all connections are opened at the start, and again when they were lost', async () => {
  await using opened = new AsyncDisposableStack()
  const { admin, openNode, openCount } = await startWith(opened, 2 * PER_NODE)
  const db = await openNode()
  assert.equal(await openCount(), PER_NODE)
  assert.deepEqual(await partOf(db, 1), { state: 'ok', says: '1 node opens 15 of 30' })

  await requireNothingRefused(db, 'before')
  assert.equal(await openCount(), PER_NODE)

  await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = 'svc'`)
  await comesTrue('the connections for transactions are open again', async () => (await openCount()) >= 10)
  await comesTrue('writes work', () =>
    requireNothingRefused(db, `after ${performance.now()}`).then(
      () => true,
      () => false,
    ),
  )
})

test('[OPS-87] [OPS-88] a node for which PostgreSQL has fewer connections refuses nothing, and gets the others when they are free', async () => {
  await using opened = new AsyncDisposableStack()
  // The administrator of the test has one of them.
  const { openNode, openCount } = await startWith(opened, PER_NODE + 8)
  const first = await openNode()
  const second = await openNode()
  const found = await openCount()
  assert.ok(found < 2 * PER_NODE, `${found} are open`)

  await Promise.all([requireNothingRefused(first, 'first'), requireNothingRefused(second, 'second')])

  const part = await partOf(second, 2)
  assert.equal(part.state, 'warning')
  assert.match(part.says, /2 nodes open 30 connections, PostgreSQL allows 23: raise max_connections by 7/)
  assert.match(
    (await partOf(second, 1)).says,
    /this node has \d+ of its 15 connections, PostgreSQL refuses more/,
  )

  await first.close()
  await comesTrue('the second has all of its connections', async () => (await openCount()) === PER_NODE)
  assert.deepEqual(await partOf(second, 1), { state: 'ok', says: '1 node opens 15 of 23' })
})

test('[OPS-87] a node that cannot work with the connections that are left does not start, and says why', async () => {
  await using opened = new AsyncDisposableStack()
  const { openNode } = await startWith(opened, PER_NODE + 4)
  await openNode()

  await assert.rejects(openNode(), {
    message: /too few connections left for this node: raise its max_connections/,
  })
})

test('[OPS-87] a connection for statements that is lost while the server is full comes from those for transactions', async () => {
  await using opened = new AsyncDisposableStack()
  const { admin, openNode, openCount } = await startWith(opened, PER_NODE + 1)
  const db = await openNode()
  await requireNothingRefused(db, 'before')

  // The connections for writes.
  await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where usename = 'svc' and query like '%svc.synchronous_commit%'`)
  // Another program is faster.
  const others = PER_NODE - (await openCount())
  assert.equal(others, 2)
  for (let at = 0; at < others; at++) {
    const other = new pg.Client({ connectionString: `postgres://svc@127.0.0.1:${admin.port}/postgres` })
    await other.connect()
    opened.defer(() => other.end())
  }

  // A write on a connection whose end is not known yet fails.
  await comesTrue('writes work', () =>
    requireNothingRefused(db, `after ${performance.now()}`).then(
      () => true,
      () => false,
    ),
  )
  assert.match((await partOf(db, 1)).says, /this node has 13 of its 15 connections/)
})
