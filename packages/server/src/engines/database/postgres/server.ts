import pg from 'pg'

import { isServerFull } from './errors.ts'
import { createPool } from './pool.ts'
import { types } from './types.ts'

/** Added to the server's statement timeout, for a server that no longer answers at all. */
export const ANSWER_GRACE_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000

const SESSION_SQL = `select
  set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false)`

export type ServerOptions = {
  poolMax: number
  /** Opens the connections for transactions immediately, not when they are needed. */
  isEager: boolean
  connectTimeoutMs: number
  statementTimeoutMs: number
  /** False behind a pooler that gives each transaction another session: nothing may be stored in a session. */
  hasSessions: boolean
}

/** All connections to one PostgreSQL server. */
export type Server = ReturnType<typeof openServer>

export function openServer(url: string, host: string, options: ServerOptions) {
  const { poolMax, isEager, connectTimeoutMs, statementTimeoutMs, hasSessions } = options
  const clients = new Set<pg.Client>()
  const config = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    pipeline: true,
    application_name: 'svc',
    types,
  }

  /** Known from its construction on, so that `drop` also ends a connection that is being opened. */
  class Client extends pg.Client {
    constructor() {
      super(config)
      clients.add(this)
      // Queries in flight reject by themselves; without a listener the event would crash the process.
      this.on('error', ignore)
      this.once('end', () => clients.delete(this))
      this.on('notice', (notice) => {
        if (notice.routine === 'SyncRepWaitForLSN') loseUnreplicated(this)
      })
    }
  }

  const prepareSession = async (client: pg.ClientBase): Promise<unknown> =>
    hasSessions && client.query(SESSION_SQL, [String(statementTimeoutMs)])

  async function open(): Promise<pg.Client> {
    const client = new Client()
    try {
      await client.connect()
      await prepareSession(client)
      return client
    } catch (error) {
      clients.delete(client)
      client.end().catch(ignore)
      throw error
    }
  }

  const poolOf = (size: number) =>
    createPool<pg.Client>({
      size,
      waitMaxMs: connectTimeoutMs,
      async open(lost) {
        const client = await open()
        client.once('end', lost)
        return client
      },
      close: (client) => client.end().catch(ignore),
    })
  const pool = poolOf(poolMax)
  /** For work that nobody waits for: it never takes a connection that a request waits for. Opened when it is used. */
  const background = poolOf(1)
  if (isEager) void pool.openAll()

  return {
    url,
    host,
    pool,
    background,

    get connectionCount(): number {
      return clients.size
    },

    /** A connection for another use. A server that has none left gives one of the pool. */
    async connect(): Promise<pg.Client> {
      try {
        return await open()
      } catch (error) {
        const pooled = isServerFull(error) ? await pool.giveAway() : undefined
        if (!pooled) throw error
        return pooled
      }
    },

    /** Ends all connections immediately: what is in flight fails, and its outcome is unknown. */
    drop(): void {
      for (const each of [pool, background]) each.drop()
      for (const client of clients) client.connection.stream.destroy()
    },

    /** Lets transactions finish. */
    close: () => Promise.all([pool.close(), background.close()]),
  }
}

const unreplicated = new WeakSet<object>()

/**
 * Somebody cancelled a commit that waited for the synchronous standby. PostgreSQL reports it as committed, with a warning, although a
 * failover loses it. Statements on such a connection must fail.
 */
function loseUnreplicated(client: pg.Client) {
  unreplicated.add(client)
  client.connection.stream.destroy()
}

/** Throws if a commit on this connection was reported without being replicated. */
export function requireReplicated(client: pg.ClientBase): void {
  if (unreplicated.has(client)) throw new Error('a commit was cancelled while it waited for the standby')
}

const ignore = () => {}
