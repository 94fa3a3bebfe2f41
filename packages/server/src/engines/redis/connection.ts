import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from '@redis/client'

import { ApiError } from '../../platform/api-error.ts'
import { systemRandom, type Random } from '../../platform/random.ts'

const CONNECT_TIMEOUT_MS = 2_000
const HEARTBEAT_EVERY_MS = 1_000
const HEARTBEAT_TIMEOUT_MS = 1_000
const BACK_OFF_MAX_MS = 2_000
const COMMANDS_WAITING_MAX = 10_000

/** A client of the Redis driver. */
export type Client = ReturnType<typeof newClient>

/** A connection that reconnects after restarts of Redis. */
export type Connection = {
  /** Throws `service_unavailable`: immediately while Redis is disconnected, after `commandTimeoutMs` if it does not answer. */
  run: <T>(command: (client: Client) => Promise<T>) => Promise<T>
  /** Ends the connection and its reconnecting. */
  close: () => Promise<void>
}

/** Options of every engine that uses Redis. */
export type ConnectionOptions = {
  /** Gets one sentence when Redis is disconnected and when it is connected again. */
  log?: (sentence: string) => void
  random?: Random
  /** How long the start waits for Redis before it fails. */
  openTimeoutMs?: number
  commandTimeoutMs?: number
}

type Role = {
  /** Purpose of the connection, for the log and for Redis's client list. */
  name: string
  /** Prepares every new connection before it is used. */
  prepare?: (client: Client) => Promise<unknown>
  /** Runs after a reconnect. */
  returned?: () => void
}

/**
 * One connection that reconnects until it is closed. The driver's reconnecting is off, because it does not notice a Redis that is
 * connected but frozen: it is pinged every second, and a connection that fails in any way is replaced.
 */
export async function openConnection(
  url: string,
  { name, prepare = async () => {}, returned = () => {} }: Role,
  options: ConnectionOptions = {},
): Promise<Connection> {
  const { log = () => {}, random = systemRandom, openTimeoutMs = 5_000, commandTimeoutMs = 250 } = options
  const address = addressOf(url)
  const closing = new AbortController()
  const opened = Promise.withResolvers<void>()
  let state: 'never there' | 'there' | 'away' = 'never there'
  let client: Client | undefined
  let failures = 0
  let lastProblem = 'no answer'

  function arrived() {
    failures = 0
    if (state === 'away') {
      log(`${name}: Redis at ${address} is connected again`)
      returned()
    }
    state = 'there'
    opened.resolve()
  }

  function failed(error: unknown) {
    failures++
    lastProblem = sentenceOf(error)
    if (state !== 'there' || closing.signal.aborted) return
    state = 'away'
    log(`${name}: Redis at ${address} is disconnected: ${lastProblem}`)
  }

  /** Never resolves; throws when the connection cannot be opened or is lost. */
  async function connectOnce(): Promise<never> {
    const candidate = newClient(url, name)
    const broken = new AbortController()
    candidate.on('error', (error) => broken.abort(error))
    try {
      await within(CONNECT_TIMEOUT_MS, candidate.connect())
      // Set before it is prepared, so that subscriptions made in the meantime use it.
      client = candidate
      await within(CONNECT_TIMEOUT_MS, prepare(candidate))
      arrived()
      const signal = AbortSignal.any([closing.signal, broken.signal])
      for (;;) {
        await pause(HEARTBEAT_EVERY_MS, undefined, { signal })
        await within(HEARTBEAT_TIMEOUT_MS, candidate.ping())
      }
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error
    } finally {
      client = undefined
      candidate.destroy()
    }
  }

  async function stayConnected() {
    while (!closing.signal.aborted) {
      await connectOnce().catch(failed)
      // Jitter: avoid a reconnect stampede when Redis comes back.
      const backOffMs =
        Math.min(BACK_OFF_MAX_MS, 25 * 2 ** failures) * (0.5 + random.bytes(1).readUInt8() / 512)
      await pause(backOffMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const loop = stayConnected()
  const close = () => {
    closing.abort()
    return loop
  }

  try {
    await within(openTimeoutMs, opened.promise)
  } catch (cause) {
    await close()
    throw new Error(`REDIS_URL: no Redis answers at ${address} (${lastProblem})`, { cause })
  }

  return {
    async run(command) {
      if (!client) throw new ApiError('service_unavailable')
      try {
        return await within(commandTimeoutMs, command(client))
      } catch (cause) {
        throw new ApiError('service_unavailable', undefined, { cause })
      }
    },
    close,
  }
}

/** Never connected. The driver builds a class of all commands for each created client, about 50 ms, but not for a duplicate. */
const unconnected = createClient({
  disableOfflineQueue: true,
  commandsQueueMaxLength: COMMANDS_WAITING_MAX,
  maintNotifications: 'disabled',
})

const newClient = (url: string, name: string) =>
  unconnected.duplicate({
    url,
    name: `svc-${name}`,
    // A new object: the driver writes host and port of the URL into it.
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  })

/** Only host and port: the rest of the URL may contain a password. */
function addressOf(url: string): string {
  const { protocol, host } = URL.parse(url) ?? {}
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || !host) {
    throw new Error('REDIS_URL must be like redis://user:password@host:6379/0, or rediss:// for TLS')
  }
  return host
}

/** The error of a refused connection has no message if the name has several addresses. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Rejects if the work takes longer. The limit is measured in two halves: an event-loop stall, however long, ends at most the first
 * one. So a stall of this process does not count as a Redis that does not answer.
 */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const reject = () => late.reject(new Error(`no answer within ${limitMs} ms`))
  let timer = setTimeout(() => {
    // After a stall in the second half the reply may already be in the socket buffer: read it before timing out.
    timer = setTimeout(() => setImmediate(reject), limitMs / 2)
  }, limitMs / 2)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
