import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'

import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'

import { startPostgres } from '../../../../../../scripts/services.ts'
import { openTestDatabase, type TestDatabase } from '../../../testing/databases.ts'
import { type Database, type Queries, statement } from '../database.ts'
import { openPostgres } from './postgres.ts'
import { StatementQuery } from './statement-query.ts'

const write = statement((q, { id }: { id: string }) =>
  q.insertInto('secrets').values({ id, sealed: '', updatedAt: '' }),
)
const touch = statement((q, { id }: { id: string }) =>
  q.updateTable('secrets').set({ sealed: 'touched' }).where('id', '=', id),
)
const find = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').select('id').where('id', '=', id),
)

const raw = (queries: Queries, sql: string) =>
  queries.search(() => ({ compile: () => CompiledQuery.raw(sql) }))

const ROUNDS = 20

let opened: TestDatabase
let db: Database
let admin: pg.Client
before(async () => {
  opened = await openTestDatabase('postgres')
  db = opened.db
  admin = new pg.Client({ connectionString: opened.url })
  await admin.connect()
})
after(async () => {
  await admin.end()
  await opened.close()
})

const terminateAll = () =>
  admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)

const isUnavailable = { code: 'service_unavailable' }

test('a transaction waits for the disk, whatever the server settings', async () => {
  assert.deepEqual(await db.transaction((transaction) => raw(transaction, 'show synchronous_commit')), [
    { synchronous_commit: 'on' },
  ])
})

test('writes of one tick wait for the disk together, before they are acknowledged', async () => {
  // The log of this server has no writers but the ones below.
  await using own = new AsyncDisposableStack()
  const server = own.adopt(await startPostgres({ sync: false }), ({ stop }) => stop())
  const alone = own.adopt(await openPostgres({ url: server.url }), ({ close }) => close())
  const asking = own.adopt(new pg.Client({ connectionString: server.url }), (client) => client.end())
  await asking.connect()
  await asking.query('create table secrets (id text primary key, sealed text, "updatedAt" text)')
  const notOnDisk = async () => {
    const diff = 'pg_wal_lsn_diff(pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn())'
    return Number((await asking.query(`select ${diff} as bytes`)).rows[0].bytes)
  }

  const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
  const left: number[] = []
  for (const round of rounds) {
    const writers = Array.from({ length: (round % 5) + 1 }, (_, at) => `${round} ${at}`)
    // One fails, and one changes no row: the others are on the disk nevertheless.
    const isRefused = alone.run(write, { id: `${round - 1} 0` }).then(
      () => false,
      () => true,
    )
    const written = writers.map((id) => alone.run(write, { id }))
    await Promise.all([...written, alone.run(touch, { id: 'nobody' })])
    left.push(await notOnDisk())
    assert.equal(await isRefused, round > 0)
  }

  // The server itself writes to its log now and then.
  const inTime = left.filter((bytes) => bytes === 0).length
  assert.ok(inTime >= ROUNDS - 2, `bytes that were not on the disk: ${left.join(', ')}`)
})

test('a statement on a closed connection answers service_unavailable, and the next one works', async () => {
  const slow = raw(db, 'select pg_sleep(20)')
  const refused = assert.rejects(slow, isUnavailable)
  const sleeping = `select 1 from pg_stat_activity where query like '%pg_sleep(20)%' and pid <> pg_backend_pid() and state = 'active'`
  while ((await admin.query(sleeping)).rows.length === 0);

  await terminateAll()
  await refused

  assert.equal(await db.run(write, { id: 'after a cut' }), 1)
  await db.ping()
})

test('a transaction on a closed connection answers service_unavailable and is rolled back, and the next one works', async () => {
  const cut = db.transaction(async (transaction) => {
    await transaction.run(write, { id: 'cut off' })
    await terminateAll()
    await transaction.run(write, { id: 'never' })
  })
  await assert.rejects(cut, isUnavailable)

  assert.equal(await db.transaction((transaction) => transaction.run(write, { id: 'next' })), 1)
  assert.equal(await db.first(find, { id: 'cut off' }), undefined)
})

test('a read on a lost connection is retried', async () => {
  await db.first(find, { id: 'next' })
  await terminateAll()

  assert.ok(await db.first(find, { id: 'next' }))
})

test('closed idle connections have no effect on requests', async () => {
  for (let round = 0; round < 5; round++) {
    await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => db.run(write, { id: `idle ${round} ${n}` })),
    )
    await terminateAll()
  }

  await db.ping()
})

/** A database role whose rights the test can revoke. */
async function asGuest(work: (guest: { url: string; name: string }) => Promise<void>) {
  const url = new URL(opened.url ?? '')
  const name = `guest_of_${url.pathname.slice(1)}`
  url.username = name
  await admin.query(`create role ${name} login`)
  try {
    await work({ url: url.href, name })
  } finally {
    await admin.query(`drop role ${name}`)
  }
}

test('while no connection is available, every call answers service_unavailable', async () => {
  await asGuest(async ({ url, name }) => {
    const narrow = await openPostgres({ url })
    await admin.query(`alter role ${name} connection limit 0`)
    await terminateAll()

    // The first call may still use the lost connection.
    for (let asked = 0; asked < 2; asked++) {
      const sent = narrow.pipelined((queries) => queries.run(touch, { id: 'next' }))
      await assert.rejects(sent, isUnavailable)
    }
    await assert.rejects(narrow.run(touch, { id: 'next' }), isUnavailable)
    await assert.rejects(narrow.first(find, { id: 'next' }), isUnavailable)
    await assert.rejects(
      narrow.transaction(async () => {}),
      isUnavailable,
    )
    await narrow.close()
  })
})

test('a connection whose session setup fails is closed', async () => {
  await asGuest(async ({ url, name }) => {
    await admin.query('revoke execute on function set_config from public')
    await assert.rejects(openPostgres({ url }), /permission denied/)
    await admin.query('grant execute on function set_config to public')

    const left = () => admin.query('select 1 from pg_stat_activity where usename = $1', [name])
    while ((await left()).rows.length > 0);
  })
})

test('other queries do not wait for a scan', async () => {
  const waitForLock = statement((q) =>
    q.selectNoFrom(sql<string>`pg_advisory_xact_lock(4711)::text`.as('lock')),
  )
  await admin.query('select pg_advisory_lock(4711)')
  const scans = [db.scan(waitForLock, {}), db.scan(waitForLock, {})]
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`
  while ((await admin.query(waiting)).rows.length === 0);

  for (let at = 0; at < 10; at++) assert.equal(await db.first(find, { id: 'nobody' }), undefined)
  await db.run(write, { id: 'beside a scan' })

  await admin.query('select pg_advisory_unlock(4711)')
  assert.equal((await Promise.all(scans)).length, 2)
})

test('a deadlock is retried until both transactions succeed', async () => {
  for (const id of ['left', 'right']) await db.run(write, { id })
  const met = Promise.withResolvers<void>()
  let arrived = 0
  let attempts = 0
  const both = (ids: string[]) =>
    db.transaction(async (transaction) => {
      attempts++
      await transaction.run(touch, { id: ids[0] ?? '' })
      if (++arrived === 2) met.resolve()
      await met.promise
      await transaction.run(touch, { id: ids[1] ?? '' })
    })

  await Promise.all([both(['left', 'right']), both(['right', 'left'])])

  assert.ok(attempts > 2, `${attempts} attempts`)
})

test('a repeated serialisation failure answers service_unavailable after five attempts', async () => {
  let attempts = 0
  const work = db.transaction(async (transaction) => {
    attempts++
    await raw(transaction, `do $$ begin raise exception 'no' using errcode = '40001'; end $$`)
  })

  await assert.rejects(work, isUnavailable)

  assert.equal(attempts, 5)
})

test('a COMMIT after an ignored statement error is reported as failed', async () => {
  const work = db.transaction(async (transaction) => {
    await transaction.run(write, { id: 'overlooked' })
    await transaction.run(write, { id: 'overlooked' }).catch(() => {})
  })

  await assert.rejects(work, /was rolled back because a statement failed/)
  assert.equal(await db.first(find, { id: 'overlooked' }), undefined)
})

test('a statement that takes too long answers service_unavailable', async () => {
  const impatient = await openPostgres({ url: opened.url ?? '', statementTimeoutMs: 100 })

  await assert.rejects(raw(impatient, 'select pg_sleep(20)'), isUnavailable)

  await impatient.close()
})

test('a scan may take longer than other statements, up to a limit of its own', async () => {
  await using own = new AsyncDisposableStack()
  const options = { url: opened.url ?? '', statementTimeoutMs: 100, scanTimeoutMs: 1_000 }
  const patient = own.adopt(await openPostgres(options), ({ close }) => close())
  const sleeping = statement((q, { seconds }: { seconds: number }) =>
    q.selectNoFrom(sql<string>`pg_sleep(${seconds})::text`.as('slept')),
  )

  assert.equal((await patient.scan(sleeping, { seconds: 0.3 })).length, 1)
  await assert.rejects(patient.scan(sleeping, { seconds: 20 }), isUnavailable)
  await assert.rejects(patient.all(sleeping, { seconds: 20 }), isUnavailable)
})

test('a scan ends with the database, which does not wait for it', async () => {
  const own = await openPostgres({ url: opened.url ?? '' })
  const sleeping = statement((q) => q.selectNoFrom(sql<string>`pg_sleep(20)::text`.as('abandoned')))
  const ended = assert.rejects(own.scan(sleeping, {}), isUnavailable)
  const running = `select 1 from pg_stat_activity where query like '%pg_sleep(20)%abandoned%' and pid <> pg_backend_pid()`
  while ((await admin.query(running)).rows.length === 0);

  await own.close()
  await ended
})

test('the wait of a transaction for a connection of the pool is limited', async () => {
  const small = await openPostgres({ url: opened.url ?? '', poolMax: 1, connectTimeoutMs: 200 })
  const release = Promise.withResolvers<void>()
  const holder = small.transaction(() => release.promise)

  await assert.rejects(
    small.transaction(async () => {}),
    isUnavailable,
  )

  await small.ping()
  release.resolve()
  await holder
  await small.close()
})

test('a prepared statement is described once per connection, also after it has failed, and its rows are always the same', async () => {
  await using own = new AsyncDisposableStack()
  const alone = own.adopt(await openPostgres({ url: opened.url ?? '' }), ({ close }) => close())
  const described = mock.method(StatementQuery.prototype, 'handleRowDescription')
  own.defer(() => described.mock.restore())
  const selected = statement((q, { divisor, size }: { divisor: number; size: number }) =>
    q.selectNoFrom([
      sql<number>`(9007199254740991 / cast(${divisor} as bigint))`.as('bigint'),
      sql<number>`cast(0.1 as double precision)`.as('double'),
      sql<number>`cast(1.5 as numeric)`.as('numeric'),
      sql<number>`cast(7 as integer)`.as('integer'),
      sql<string>`repeat('ä', cast(${size} as integer))`.as('text'),
      sql<null>`cast(null as text)`.as('nothing'),
      sql<boolean>`true`.as('boolean'),
    ]),
  )
  const row = {
    bigint: 9007199254740991,
    double: 0.1,
    numeric: 1.5,
    integer: 7,
    nothing: null,
    boolean: true,
  }

  await assert.rejects(alone.first(selected, { divisor: 0, size: 0 }), /division by zero/)
  for (const size of [0, 1, 5_000])
    for (const one of await Promise.all([
      alone.first(selected, { divisor: 1, size }),
      alone.transaction((transaction) => transaction.first(selected, { divisor: 1, size })),
    ]))
      assert.deepEqual(one, { ...row, text: 'ä'.repeat(size) })
  const calls = described.mock.callCount()
  await assert.rejects(alone.first(selected, { divisor: 0, size: 0 }), /division by zero/)
  for (let call = 0; call < 10; call++) await alone.first(selected, { divisor: 1, size: call })

  assert.ok(calls <= 3, 'a lane of reads and a connection of the pool')
  assert.equal(described.mock.callCount(), calls)
})

test('an error of the statement is not changed', async () => {
  await db.run(write, { id: 'twice' })

  await assert.rejects(db.run(write, { id: 'twice' }), { code: '23505' })
})

test('an unreachable server is reported with its address, without the password', async () => {
  const opening = openPostgres({ url: 'postgres://svc:hush@127.0.0.1:1/svc' })

  await assert.rejects(opening, (error: Error) => {
    assert.match(error.message, /PostgreSQL at 127\.0\.0\.1:1 cannot be used: .*Check DATABASE_URL\./)
    return !error.message.includes('hush')
  })
})

test('pipelined statements are sent before the first await; later ones are rejected, and no transaction stays open', async () => {
  const late = db.pipelined(async (queries) => {
    await queries.run(write, { id: 'together' })
    await queries.run(write, { id: 'too late' })
  })
  await assert.rejects(late, { message: /before one is awaited/ })
  await assert.rejects(
    db.pipelined(() => {
      throw new Error('at once')
    }),
    { message: 'at once' },
  )

  const { rows } = await admin.query(
    `select count(*) as open from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
  )
  assert.equal(Number(rows[0].open), 0)
})
