import { createHash } from 'node:crypto'

import type { Clock } from '../../platform/clock.ts'
import { type Client, openConnection } from '../redis/connection.ts'
import type { Counters, CountersOptions } from './counters.ts'
import { currentWindow } from './window.ts'

/**
 * A key is one hash, so that it can be cleared without knowing its windows: windowMs → `number of the window:count`.
 * A window ends when a hit of a later one arrives, by our clock; a node whose clock is behind counts in the later one too, so
 * that nodes at the edge of a window do not reset each other. Redis only tidies up.
 */
const HIT = `
local window, count = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '(%d+):(%d+)')
if not window or tonumber(window) < tonumber(ARGV[2]) then window, count = ARGV[2], 0 end
count = count + 1
redis.call('HSET', KEYS[1], ARGV[1], window .. ':' .. count)
local keepMs = 2 * ARGV[1]
if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], keepMs) end
return count`

/** By its hash Redis knows a script again: whole, it would be most of what is sent. */
const HIT_HASH = createHash('sha1').update(HIT).digest('hex')

type Call = { keys: string[]; arguments: string[] }

/** A Redis that was started anew, or whose scripts were flushed, has to be told it once more. */
const runHit = (client: Client, call: Call) =>
  client.evalSha(HIT_HASH, call).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return client.eval(HIT, call)
  })

export async function openRedisCounters(
  url: string,
  clock: Clock,
  options: CountersOptions = {},
): Promise<Counters> {
  const connection = await openConnection(url, { name: 'counters' }, options)
  const { prefix = 'svc:' } = options
  const nameOf = (key: string) => `${prefix}counters:${key}`

  return {
    async hit(key, windowMs) {
      const { index, resetsInMs } = currentWindow(clock, windowMs)
      const call = { keys: [nameOf(key)], arguments: [String(windowMs), String(index)] }
      const count = await connection.run((client) => runHit(client, call))
      return { count: Number(count), resetsInMs }
    },

    async read(key, windowMs) {
      const { index, resetsInMs } = currentWindow(clock, windowMs)
      const stored = await connection.run((client) => client.hGet(nameOf(key), String(windowMs)))
      const [window = -1, count = 0] = stored?.split(':').map(Number) ?? []
      return { count: window >= index ? count : 0, resetsInMs }
    },

    async clear(key) {
      await connection.run((client) => client.unlink(nameOf(key)))
    },

    async ping() {
      await connection.run((client) => client.ping())
    },

    close: () => connection.close(),
  }
}
