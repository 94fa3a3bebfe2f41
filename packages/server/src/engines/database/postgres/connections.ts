import pg from 'pg'

/** Added to the server's statement timeout, for a server that no longer answers at all. */
const ANSWER_GRACE_MS = 5_000

const INT8 = 20
const NUMERIC = 1700

/** Parse bigint as number, as SQLite does; the numbers of this service are below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

const SESSION_SQL = `select
  set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false)`

type Options = { url: string; poolMax: number; connectTimeoutMs: number; statementTimeoutMs: number }

export function createConnections({ url, poolMax, connectTimeoutMs, statementTimeoutMs }: Options) {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    keepAlive: true,
    pipeline: true,
    application_name: 'svc',
    types,
  }

  const prepareSession = (client: pg.ClientBase) => client.query(SESSION_SQL, [String(statementTimeoutMs)])

  // The pool waits for the hook, although its types do not show it.
  const onConnect = (client: pg.ClientBase): unknown => prepareSession(client)
  const pool = new pg.Pool({ ...config, max: poolMax, onConnect })
  // Queries in flight reject by themselves; without a listener the event would crash the process.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))

  return {
    pool,

    connect: async (): Promise<pg.Client> => {
      const client = new pg.Client(config)
      client.on('error', ignore)
      try {
        await client.connect()
        await prepareSession(client)
        return client
      } catch (error) {
        client.end().catch(ignore)
        throw error
      }
    },
  }
}

const ignore = () => {}
