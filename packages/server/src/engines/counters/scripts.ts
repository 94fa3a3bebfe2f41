import { createHash } from 'node:crypto'

import type { Client } from '../redis/connection.ts'

type Call = { keys: string[]; arguments: string[] }

/**
 * Scripts are called by their hash, because the text would be most of the bytes sent. After a restart or flush of Redis the text is
 * sent again.
 */
function script(text: string) {
  const hash = createHash('sha1').update(text).digest('hex')
  return (client: Client, call: Call) =>
    client.evalSha(hash, call).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(text, call)
    })
}

/**
 * A key is one hash, so that it can be cleared without knowing its windows: windowMs → `number of the window:count`. A window ends
 * when a hit of a later window arrives, by the node's clock. A node whose clock is behind counts in the later window, too, so that
 * nodes at the edge of a window do not reset each other. Redis only removes expired keys.
 */
export const runHit = script(`
local window, count = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '(%d+):(%d+)')
if not window or tonumber(window) < tonumber(ARGV[2]) then window, count = ARGV[2], 0 end
count = count + 1
redis.call('HSET', KEYS[1], ARGV[1], window .. ':' .. count)
local keepMs = 2 * ARGV[1]
if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], keepMs) end
return count`)

/** Undoes one hit, if the window is still the current one. */
export const runTakeBack = script(`
local window, count = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '(%d+):(%d+)')
if not window or tonumber(window) < tonumber(ARGV[2]) or tonumber(count) == 0 then return end
redis.call('HSET', KEYS[1], ARGV[1], window .. ':' .. (count - 1))`)

/**
 * A key is a list of the times of the last `max` admitted hits, newest first, by the clocks of the nodes. A time is never before
 * the last added one, even if a node's clock is behind. If a clock was set back by more than the window, the times are removed.
 * Returns 0, or in how many milliseconds to try again.
 */
export const runAdmit = script(`
local givenMs, windowMs, max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local newestMs = tonumber(redis.call('LINDEX', KEYS[1], 0) or 0)
if newestMs - givenMs > windowMs then
  redis.call('DEL', KEYS[1])
  newestMs = 0
end
local nowMs = math.max(givenMs, newestMs)
local oldestMs = redis.call('LINDEX', KEYS[1], max - 1)
if oldestMs and nowMs - tonumber(oldestMs) < windowMs then return tonumber(oldestMs) + windowMs - givenMs end
redis.call('LPUSH', KEYS[1], string.format('%.0f', nowMs))
redis.call('LTRIM', KEYS[1], 0, max - 1)
redis.call('PEXPIRE', KEYS[1], 2 * windowMs)
return 0`)
