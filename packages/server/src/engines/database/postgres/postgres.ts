import type pg from 'pg'

import { ApiError } from '../../../platform/api-error.ts'
import { epochMs, monotonicMs } from '../../../platform/clock.ts'
import { currentEnvironmentId } from '../../../platform/current-environment.ts'
import { Durations, single } from '../../../platform/metrics/metrics.ts'
import { createBackgroundTurns } from '../background-turns.ts'
import type { ConnectionCounts, Database, Queries, Transaction } from '../database.ts'
import { Overdue } from '../overdue.ts'
import { withTimeout } from '../with-timeout.ts'
import { createConnections } from './connections.ts'
import { isDisconnect, toApiError } from './errors.ts'
import { createPipelinedConnection, type Lane, leastBusy } from './pipeline.ts'
import {
  COMMIT_WITHOUT_FLUSH,
  FLUSH,
  localTimeoutQuery,
  lockQuery,
  PROBE,
  queriesOver,
  type Send,
} from './queries.ts'
import { retried } from './retried.ts'
import { ANSWER_GRACE_MS, requireReplicated } from './server.ts'
import {
  CONNECTIONS_SQL,
  explained,
  requireSessionDefaults,
  requireVersion,
  SESSION_DEFAULTS_SQL,
} from './start-checks.ts'
import { type Answer, StatementQuery } from './statement-query.ts'

export type PostgresOptions = {
  url: string
  poolMax?: number
  /** Opens all connections at the start, so that the peak finds them, instead of when they are needed. */
  isEager?: boolean
  /** Also the maximum wait of a transaction for a connection. */
  connectTimeoutMs?: number
  statementTimeoutMs?: number
  /** Of a scan. Grouping ten million rows takes 10 s. */
  scanTimeoutMs?: number
  /** False: no prepared statements and no settings of a session, for a pooler that gives each transaction another session. */
  prepare?: boolean
  /** Gets one sentence when the primary is lost and when one is found. */
  log?: (sentence: string) => void
}

const LANES = 2
/** Connections to a pooler are cheap. */
const SERIAL_LANES = 8
const CLOCKS_COMPARED_EVERY_MS = 10_000
const CLOCK_SAMPLES = 5

/**
 * Single statements use pipelined connections, reads separate from writes (which may block on a row lock) and from scans (which take
 * long); transactions use a pool.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, poolMax = 10, connectTimeoutMs = 5_000, statementTimeoutMs = 10_000 } = options
  const { prepare: hasSessions = true, isEager = false, scanTimeoutMs = 60_000, log = () => {} } = options
  const timeouts = { connectTimeoutMs, statementTimeoutMs }
  const connections = createConnections({
    url,
    poolMax,
    isEager,
    ...timeouts,
    hasSessions,
    log,
    switched,
    reconnected: () => isEager && void openLanes().catch(() => {}),
  })
  const isSerial = !hasSessions
  const lanes = (connect: typeof open, endOfTick?: typeof flush) =>
    Array.from({ length: isSerial ? SERIAL_LANES : LANES }, () =>
      createPipelinedConnection(connect, send, { isSerial, endOfTick }),
    )
  const reads = lanes(open)
  const writes = isSerial ? lanes(open) : lanes(openForWrites, flush)
  const scans = createPipelinedConnection(isSerial ? open : openForScans, sendScan, { isSerial })
  const lockWaits = new Durations('svc_lock_wait_seconds')
  const inTurn = createBackgroundTurns()
  const overdue = new Overdue()
  let closed: Promise<void> | undefined
  /** Clock of PostgreSQL minus the local one. */
  let clockOffsetMs = 0
  let bestRoundTripMs = Infinity

  async function open(): Promise<pg.Client> {
    if (closed) throw new ApiError('service_unavailable')
    return connections.connect().catch(rethrow)
  }

  async function openWith(setting: string): Promise<pg.Client> {
    const client = await open()
    await client.query(setting).catch((error: unknown) => {
      client.end().catch(() => {})
      return rethrow(error)
    })
    return client
  }
  /** Commits of this connection are durable only after `FLUSH`. */
  function openForWrites() {
    return openWith(COMMIT_WITHOUT_FLUSH)
  }
  function openForScans() {
    return openWith(`set statement_timeout = ${scanTimeoutMs}`)
  }

  const rethrow = (error: unknown): never => {
    connections.noteError(error)
    throw toApiError(error)
  }

  /** Sends synchronously. Without `answerMaxMs`, it waits for an answer as long as the connection does for every statement. */
  function send(
    client: pg.ClientBase,
    { name = '', text, values = [] }: pg.QueryConfig,
    answerMaxMs?: number,
  ) {
    return new Promise<Answer>((resolve, reject) => {
      const answered = (error: Error | null, answer: Answer) => (error ? reject(error) : resolve(answer))
      client.query(new StatementQuery(hasSessions ? name : '', text, values, answered, answerMaxMs))
    }).then(
      (answer) => {
        requireReplicated(client)
        return answer
      },
      (error: Error) => {
        // Otherwise it would show where the answer was read, not where the query was sent.
        Error.captureStackTrace(error)
        throw error
      },
    )
  }

  function sendScan(client: pg.ClientBase, query: pg.QueryConfig) {
    return send(client, query, scanTimeoutMs + ANSWER_GRACE_MS)
  }

  function flush(client: pg.Client): Promise<Answer> {
    return send(client, FLUSH).catch(rethrow)
  }

  async function write(query: pg.QueryConfig): Promise<Answer> {
    return leastBusy(writes).query(query).catch(rethrow)
  }

  async function read(query: pg.QueryConfig, lanes: readonly Lane[] = reads): Promise<Answer> {
    try {
      return await leastBusy(lanes).query(query)
    } catch (error) {
      if (!isDisconnect(error)) throw toApiError(error)
    }
    // After a lost connection a write may have been committed; only a read may be repeated.
    return leastBusy(lanes).query(query).catch(rethrow)
  }

  const sendSingle: Send = (query, isWrite) => retried(() => (isWrite ? write(query) : read(query)))

  async function transact<T>(
    key: string | undefined,
    work: (transaction: Transaction) => Promise<T>,
    which: 'pool' | 'background' = 'pool',
  ): Promise<T> {
    const environmentId = currentEnvironmentId()
    const { [which]: pool } = await connections.server().catch(rethrow)
    const client = await pool.take(environmentId).catch(rethrow)
    let isOpen = true
    let isLost = false
    const sendHere = async (query: pg.QueryConfig): Promise<Answer> => {
      if (!isOpen) throw new Error('this transaction has ended')
      return send(client, query).catch(rethrow)
    }
    const lock = async (name: string) => {
      const askedAt = monotonicMs()
      await sendHere(lockQuery(name))
      lockWaits.add(monotonicMs() - askedAt)
    }
    const limit = async () => hasSessions || (await sendHere(localTimeoutQuery(statementTimeoutMs)))

    try {
      await Promise.all([sendHere({ text: 'begin' }), limit(), key !== undefined && lock(key)])
      const result = await withTimeout(work({ ...queriesOver(sendHere), lock }), 2 * statementTimeoutMs)
      const { command } = await sendHere({ text: 'commit' })
      // PostgreSQL answers COMMIT with ROLLBACK if a statement failed, even if `work` ignored the error.
      if (command !== 'COMMIT') throw new Error('this transaction was rolled back because a statement failed')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => (isLost = true))
      throw error
    } finally {
      isOpen = false
      pool.release(client, isLost)
    }
  }

  async function sendPipelined<T>(connection: pg.Client, work: (queries: Queries) => Promise<T>): Promise<T> {
    let isOpen = true
    const sendHere = async (query: pg.QueryConfig): Promise<Answer> => {
      if (!isOpen)
        throw new Error('this transaction has ended: its statements are sent before one is awaited')
      return send(connection, query).catch(rethrow)
    }
    const begun = sendHere({ text: 'begin' })
    // In every case the connection must not stay in a transaction.
    const done = (async () => work(queriesOver(sendHere)))()
    const committed = sendHere({ text: 'commit' })
    isOpen = false

    // A failed statement rolls back the others, and COMMIT then answers ROLLBACK: report the first error.
    await Promise.allSettled([begun, done, committed])
    await begun
    const result = await done
    const { command } = await committed
    if (command !== 'COMMIT') throw new Error('this transaction was rolled back because a statement failed')
    return result
  }

  /** Several samples, because a busy process delays most of them: with one, two nodes differed by 2 ms for ten seconds. */
  async function compareClocks(): Promise<void> {
    bestRoundTripMs *= 1.1
    for (let sample = 0; sample < CLOCK_SAMPLES; sample++) await sampleClock()
  }
  /** The shorter the round trip, the better the clock sample; a slow sample is used only if no fast one arrived for a while. */
  async function sampleClock(): Promise<void> {
    const askedAt = epochMs()
    const { rows } = await read({
      name: 'svc_clock',
      text: 'select extract(epoch from clock_timestamp()) * 1000 as now',
    })
    const tookMs = epochMs() - askedAt
    if (tookMs > bestRoundTripMs) return
    bestRoundTripMs = tookMs
    clockOffsetMs = Number(rows[0].now) - (askedAt + tookMs / 2)
  }
  /** The clock of the new primary may differ. */
  function switched() {
    bestRoundTripMs = Infinity
    void compareClocks().catch(() => {})
  }
  const comparing = setInterval(() => void compareClocks().catch(() => {}), CLOCKS_COMPARED_EVERY_MS).unref()

  const openLanes = () => Promise.all([...reads, ...writes, scans].map((lane) => lane.open()))

  /** One after the other: the last connections of a full server are those of the pool, which gives some away. */
  async function openAll(): Promise<void> {
    await (await connections.server()).pool.openAll()
    await openLanes()
  }

  async function connectionCounts(): Promise<ConnectionCounts> {
    const { rows } = await read({ text: CONNECTIONS_SQL })
    const own = poolMax + reads.length + writes.length + 1
    const missing = isEager ? Math.max(0, own - connections.count()) : 0
    return {
      perNode: own + connections.watcherCount,
      missing,
      allowed: hasSessions ? rows[0].allowed : undefined,
    }
  }

  async function close(): Promise<void> {
    clearInterval(comparing)
    // A scan may take longer than the service has for a stop.
    await scans.drop()
    await Promise.all([...reads, ...writes].map((lane) => lane.close()))
    await connections.close()
  }

  const db: Database = {
    ...queriesOver(sendSingle),
    engine: 'postgres',
    standby: connections.standby,
    connectionCounts,
    metrics: [single('svc_postgres_waiting', connections.waiting), lockWaits, overdue],
    overdue,
    scan: queriesOver((query) => retried(() => read(query, [scans]))).all,
    databaseNowMs: () => epochMs() + clockOffsetMs,
    transaction: (work) => retried(() => transact(undefined, work)),
    pipelined: (work) =>
      retried(() => leastBusy(writes).use((connection) => sendPipelined(connection, work))),
    exclusively: (key, work) => retried(() => transact(key, work)),
    inBackground: (work) => inTurn(() => retried(() => transact(undefined, work, 'background'))),
    ping: async () => void (await read({ text: 'select 1' })),
    async requireWritable() {
      const { rowCount } = await write(PROBE)
      if (rowCount !== 1) throw new ApiError('service_unavailable')
    },
    close: () => (closed ??= close()),
  }

  try {
    await requireVersion(url, () => read({ text: 'show server_version_num' }))
    if (!hasSessions) await requireSessionDefaults(() => read({ text: SESSION_DEFAULTS_SQL }))
    await compareClocks()
    if (isEager) await openAll()
    return db
  } catch (error) {
    await db.close()
    throw explained(error)
  }
}
