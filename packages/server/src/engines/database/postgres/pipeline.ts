import type pg from 'pg'

import { ApiError } from '../../../platform/api-error.ts'

export type Lane = ReturnType<typeof createPipelinedConnection>

const IN_FLIGHT_MAX = 2_000

/**
 * One long-lived, pipelined connection for single statements: each is its own transaction, and is sent without waiting for earlier
 * results. If the connection is lost, the next statement opens a new one. `isSerial`: each waits for the earlier ones, because
 * PgBouncer in transaction mode may send the second half of a statement to another server (1.18: `portal "" does not exist`).
 */
export function createPipelinedConnection(
  connect: () => Promise<pg.Client>,
  send: (connection: pg.Client, query: pg.QueryConfig) => Promise<pg.QueryResult>,
  { isSerial = false }: { isSerial?: boolean } = {},
) {
  let client: Promise<pg.Client> | undefined
  let inFlight = 0
  let lastInTurn: Promise<void> = Promise.resolve()
  let gathering = false

  function connected(): Promise<pg.Client> {
    if (client) return client
    const connecting = connect()
    const forget = () => {
      if (client === connecting) client = undefined
    }
    connecting.then((fresh) => fresh.once('error', forget).once('end', forget), forget)
    client = connecting
    return connecting
  }

  /** Statements of one tick are sent in one write: a read takes 20 % less CPU, including that of PostgreSQL. */
  function corkUntilNextTick({ connection: { stream } }: pg.Client) {
    if (gathering) return
    gathering = true
    stream.cork()
    process.nextTick(() => {
      gathering = false
      stream.uncork()
    })
  }

  /** Statements that `work` sends before its first `await` are sent back to back, with no other statement in between. */
  async function use<T>(work: (connection: pg.Client) => Promise<T>): Promise<T> {
    if (inFlight >= IN_FLIGHT_MAX) throw new ApiError('service_unavailable')
    inFlight++
    // Connects before it waits: what was accepted before `close` is done.
    if (isSerial) connected().catch(() => {})
    const done = isSerial ? await nextTurn() : undefined
    try {
      const connection = await connected()
      corkUntilNextTick(connection)
      return await work(connection)
    } finally {
      inFlight--
      done?.()
    }
  }

  /** Resolves when all earlier ones are done; the result ends this turn. */
  async function nextTurn(): Promise<() => void> {
    const earlier = lastInTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    lastInTurn = promise
    await earlier
    return resolve
  }

  return {
    get inFlight() {
      return inFlight
    },

    query: (query: pg.QueryConfig): Promise<pg.QueryResult> => use((connection) => send(connection, query)),
    use,

    /** Waits for statements that were accepted. */
    async close(): Promise<void> {
      await lastInTurn
      await (await client?.catch(() => undefined))?.end()
    },
  }
}

/** The connection with the fewest statements in flight. */
export function leastBusy(lanes: readonly Lane[]): Lane {
  const [first, ...others] = lanes
  if (!first) throw new Error('no lane')
  return others.reduce((best, lane) => (lane.inFlight < best.inFlight ? lane : best), first)
}
