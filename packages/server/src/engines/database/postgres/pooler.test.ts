import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import pg from 'pg'

import { startPooler } from '../../../../../../scripts/pooler.ts'
import { type Server, startPostgres } from '../../../../../../scripts/services.ts'
import { createStoppedClock } from '../../../platform/clock.ts'
import { type Database, statement } from '../database.ts'
import { openDatabase } from '../open.ts'

const WRITES = 200

const write = statement((q, { id }: { id: string }) =>
  q.insertInto('secrets').values({ id, sealed: '', updatedAt: '' }),
)
const find = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').select('id').where('id', '=', id),
)

const open = ({ url }: Server, prepare: boolean): Promise<Database> =>
  openDatabase({ url, prepare, dataDir: '/nonexistent', clock: createStoppedClock(), log: () => {} })

describe('PgBouncer', () => {
  const stack = new AsyncDisposableStack()
  let postgres: Server
  let admin: pg.Client
  const pooler = async (mode: 'session' | 'transaction') =>
    stack.adopt(await startPooler({ postgresPort: postgres.port, mode }), ({ stop }) => stop())
  before(async () => {
    postgres = stack.adopt(await startPostgres({ sync: false }), ({ stop }) => stop())
    admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    stack.defer(() => admin.end())
  })
  after(() => stack.disposeAsync())

  /** Every way to write, all at the same time, then a read of each. */
  async function requireAllWays(db: Database, prefix: string) {
    const ways = [
      (id: string) => db.run(write, { id }),
      (id: string) => db.transaction((transaction) => transaction.run(write, { id })),
      (id: string) => db.pipelined((queries) => queries.run(write, { id })),
      (id: string) => db.exclusively('a', (transaction) => transaction.run(write, { id })),
    ]
    const found = Array.from({ length: WRITES }, async (_, n) => {
      const id = `${prefix} ${n}`
      await ways[n % ways.length]?.(id)
      return (await db.first(find, { id }))?.id === id
    })
    assert.deepEqual(new Set(await Promise.all(found)), new Set([true]))
    await assert.rejects(db.run(write, { id: `${prefix} 0` }), { code: '23505' })
    await db.requireWritable()
  }

  test('[OPS-54] session mode works as it is', async () => {
    const db = await open(await pooler('session'), true)
    await requireAllWays(db, 'session')
    await db.close()
  })

  test('[OPS-54] transaction mode works with SVC_POSTGRES_PREPARE=off, leaves no lock and no setting, and requires safe defaults', async () => {
    const server = await pooler('transaction')
    await assert.rejects(open(server, false), {
      message:
        'SVC_POSTGRES_PREPARE=off: the service cannot set its sessions. Run in PostgreSQL: alter role "postgres" set synchronous_commit = on.',
    })

    await admin.query('alter role postgres set synchronous_commit = on')
    await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where usename = 'postgres' and backend_type = 'client backend' and pid <> pg_backend_pid()`)
    const db = await open(server, false)
    await requireAllWays(db, 'transaction')
    const { rows: locks } = await admin.query(`select 1 from pg_locks where locktype = 'advisory'`)
    assert.deepEqual(locks, [])
    const shared = new pg.Client({ connectionString: server.url })
    await shared.connect()
    assert.equal((await shared.query('show statement_timeout')).rows[0].statement_timeout, '0')
    await shared.end()
    await db.close()
  })

  test('[OPS-54] transaction mode without the setting does not start, and the error names the setting', async () => {
    const server = await pooler('transaction')
    // As left by an earlier node in the session that the next client gets.
    const before = new pg.Client({ connectionString: server.url })
    await before.connect()
    await before.query({ name: 'svc_clock', text: 'select 1' })
    await before.end()

    await assert.rejects(open(server, true), {
      message: /pooler in transaction mode.*SVC_POSTGRES_PREPARE=off/,
    })
  })
})
