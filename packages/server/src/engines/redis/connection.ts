import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../platform/api-error.ts'
import { parseRedisUrl, type RedisUrl } from '../../platform/engine-urls.ts'
import { systemRandom, type Random } from '../../platform/random.ts'
import { answerWithin } from '../../platform/time/answer-within.ts'
import { type Client, CONNECT_TIMEOUT_MS, newClient } from './client.ts'
import { findMaster, requireMaster } from './master.ts'

const HEARTBEAT_EVERY_MS = 1_000
const HEARTBEAT_TIMEOUT_MS = 1_000
const SENTINELS_ASKED_EVERY = 3
const BACK_OFF_MAX_MS = 2_000

export type { Client }

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
  const redis = readUrl(url)
  const address = redis.via === 'server' ? redis.address : redis.sentinels.join(', ')
  const closing = new AbortController()
  const opened = Promise.withResolvers<void>()
  let state: 'never there' | 'there' | 'away' = 'never there'
  let client: Client | undefined
  let breakOff: ((error: Error) => void) | undefined
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

  /** A Sentinel that does not answer changes nothing. */
  async function requireSameMaster(target: string) {
    const master = redis.via === 'sentinels' ? await findMaster(redis).catch(() => target) : target
    if (master !== target) throw new Error('another server is the master')
  }

  /** Never resolves; throws when the connection cannot be opened or is lost. */
  async function connectOnce(): Promise<never> {
    const target = redis.via === 'server' ? redis.url : await findMaster(redis)
    const candidate = newClient(target, name)
    const broken = new AbortController()
    breakOff = (error) => broken.abort(error)
    candidate.on('error', breakOff)
    try {
      await answerWithin(CONNECT_TIMEOUT_MS, candidate.connect())
      if (redis.via === 'sentinels') await answerWithin(CONNECT_TIMEOUT_MS, requireMaster(candidate))
      // Set before it is prepared, so that subscriptions made in the meantime use it.
      client = candidate
      await answerWithin(CONNECT_TIMEOUT_MS, prepare(candidate))
      arrived()
      const signal = AbortSignal.any([closing.signal, broken.signal])
      for (let beat = 1; ; beat++) {
        await pause(HEARTBEAT_EVERY_MS, undefined, { signal })
        await answerWithin(HEARTBEAT_TIMEOUT_MS, candidate.ping())
        if (redis.via === 'sentinels' && beat % SENTINELS_ASKED_EVERY === 0) await requireSameMaster(target)
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
    await answerWithin(openTimeoutMs, opened.promise)
  } catch (cause) {
    await close()
    throw new Error(
      `REDIS_URL: no ${redis.via === 'server' ? 'Redis' : 'master'} answers at ${address} (${lastProblem})`,
      { cause },
    )
  }

  return {
    async run(command) {
      if (!client) throw new ApiError('service_unavailable')
      try {
        return await answerWithin(commandTimeoutMs, command(client))
      } catch (cause) {
        // A former master: Sentinels know the new one.
        if (cause instanceof Error && cause.message.startsWith('READONLY')) breakOff?.(cause)
        throw new ApiError('service_unavailable', undefined, { cause })
      }
    },
    close,
  }
}

function readUrl(text: string): RedisUrl {
  const redis = parseRedisUrl(text)
  if (redis) return redis
  throw new Error('REDIS_URL must be like redis://user:password@host:6379/0, or rediss:// for TLS')
}

/** The error of a refused connection has no message if the name has several addresses. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
