import { createHash } from 'node:crypto'

import type { Client } from '../redis/connection.ts'

/**
 * Steps that must be atomic, in Redis and by its time, so that nodes with different clocks agree.
 *
 * nodes      hash, node → incarnation:count:endsAt. A node is live until endsAt; an incarnation ends when its heartbeat lapses.
 * fences     hash: `last`, the last issued fence, and `epoch`, the first one. Both start from the time in microseconds, so that
 *            fences increase even if Redis loses all data.
 * protocols  hash, node → its protocol version; a live node that is not in it is older than these versions.
 * settling   exists during the recovery window, when only previous owners may claim a name.
 * owner:…    node:incarnation:fence, valid only while that node is live in that incarnation: names need no separate heartbeats.
 * snapshot:… the state from which the next owner starts.
 */
const TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function seedFences(fences)
  local first = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('HSETNX', fences, 'epoch', first)
  redis.call('HSETNX', fences, 'last', first)
end
local function stateOf(text) return string.match(text or '', '^(%d+):(%d+):(%d+)$') end
local function isLive(nodes, node, incarnation)
  local current, _, endsAt = stateOf(redis.call('HGET', nodes, node) or '')
  return current == incarnation and tonumber(endsAt) > now
end`

const OWNER = `
local function ownerOf(key) return string.match(redis.call('GET', key) or '', '^(.+):(%d+):(%d+)$') end`

/**
 * KEYS nodes, fences, settling, protocols; ARGV node, incarnation (0: it is starting), count, lostAfterMs, recoveryMs, everyone's
 * channel, protocol. Returns incarnation, last fence, whether the recovery window is open, and the other live nodes.
 *
 * A node that is not live, because it is starting or was disconnected, is rejected while a live node has a protocol more than one
 * version away: returns `refused` and that protocol. So a starting node never replaces a running one.
 *
 * `count` increases with every heartbeat: a delayed one must not undo a later one. If a running node finds no live node, not even
 * itself, then not this node was paused, but Redis was unreachable or has lost its data, and the other nodes will reconnect soon,
 * too. For a starting node an unused Redis looks the same; so it checks whether other nodes are subscribed, and whether Redis was
 * started after their heartbeats.
 */
const BEAT = `${TIME}
local node, incarnation, count = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local lostAfterMs, recoveryMs, everyone, protocol = tonumber(ARGV[4]), ARGV[5], ARGV[6], tonumber(ARGV[7])

local function othersMayBeRunning()
  if incarnation > 0 then return true end
  if redis.call('PUBLISH', everyone, 'hello') > 1 then return true end
  local info = redis.pcall('INFO', 'server')
  local upForS = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)') or 0
  return upForS * 1000 < lostAfterMs
end

seedFences(KEYS[2])
local known, counted, incompatible
local others = {}
local nodes = redis.call('HGETALL', KEYS[1])
for i = 1, #nodes, 2 do
  local itsIncarnation, itsCount, endsAt = stateOf(nodes[i + 1])
  if tonumber(endsAt) <= now then
    redis.call('HDEL', KEYS[1], nodes[i])
    redis.call('HDEL', KEYS[4], nodes[i])
  elseif nodes[i] == node then
    known, counted = tonumber(itsIncarnation), tonumber(itsCount)
  else
    table.insert(others, nodes[i])
    local theirs = tonumber(redis.call('HGET', KEYS[4], nodes[i]) or 0)
    if math.abs(theirs - protocol) > 1 then incompatible = theirs end
  end
end
if counted and counted >= count then return {} end

if known ~= incarnation then
  if incompatible then return { 'refused', incompatible } end
  if #others == 0 and othersMayBeRunning() then redis.call('SET', KEYS[3], '', 'PX', recoveryMs) end
  incarnation = math.max(incarnation, known or 0) + 1
end
redis.call('HSET', KEYS[1], node, string.format('%.0f:%.0f:%.0f', incarnation, count, now + lostAfterMs))
redis.call('HSET', KEYS[4], node, protocol)
for _, key in ipairs({ KEYS[1], KEYS[4] }) do redis.call('PEXPIRE', key, 10 * lostAfterMs) end

local answer = { incarnation, redis.call('HGET', KEYS[2], 'last'), redis.call('EXISTS', KEYS[3]) }
for _, other in ipairs(others) do table.insert(answer, other) end
return answer`

/** KEYS nodes, protocols; ARGV protocol. Returns the protocols of live nodes that are more than one version away. */
const INCOMPATIBLE = `${TIME}
local incompatible = {}
local nodes = redis.call('HGETALL', KEYS[1])
for i = 1, #nodes, 2 do
  local _, _, endsAt = stateOf(nodes[i + 1])
  local theirs = tonumber(redis.call('HGET', KEYS[2], nodes[i]) or 0)
  if tonumber(endsAt) > now and math.abs(theirs - ARGV[1]) > 1 then table.insert(incompatible, tostring(theirs)) end
end
return incompatible`

/** KEYS nodes, protocols; ARGV node, everyone's channel. */
const LEAVE = `
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('PUBLISH', ARGV[2], 'bye ' .. ARGV[1])`

/**
 * KEYS nodes, fences, settling, owner, snapshot; ARGV node, incarnation, how, fence it held, keptMs, whether it held the name
 * without interruption, lostAfterMs. A claim always gets a new fence, even for a name that this node already owns: a delayed release
 * then has an old fence and no effect.
 *
 * A reclaim fails if another node has owned the name since, even if it is free again: our state is out of date. If there is no
 * owner, either another node released the name, or Redis has lost its data since our fence. In that case a node that was
 * disconnected before the loss waits until every other node has noticed it: one of them may own the name and act for it.
 */
const CLAIM = `${TIME}${OWNER}
local node, how, held, isContinuous = ARGV[1], ARGV[3], tonumber(ARGV[4]), ARGV[6] == '1'
if not isLive(KEYS[1], node, ARGV[2]) then return { 'wait', 0 } end
seedFences(KEYS[2])
local owner, incarnation = ownerOf(KEYS[4])
local isOurs = owner == node
if owner and not isOurs and isLive(KEYS[1], owner, incarnation) then return { 'other', owner } end

if how == 'reclaim' then
  local epoch = tonumber(redis.call('HGET', KEYS[2], 'epoch'))
  local wasLost = not owner and held < epoch
  if not isOurs and not wasLost then return { 'nobody' } end
  local noticedInMs = math.ceil(epoch / 1000) + ARGV[7] - now
  if wasLost and not isContinuous and noticedInMs > 0 then return { 'wait', noticedInMs } end
elseif not isOurs then
  local settlesInMs = redis.call('PTTL', KEYS[3])
  if settlesInMs >= 0 then return { 'wait', settlesInMs } end
  if how == 'existing' and not owner and redis.call('EXISTS', KEYS[5]) == 0 then return { 'nobody' } end
end

local fence = string.format('%.0f', redis.call('HINCRBY', KEYS[2], 'last', 1))
redis.call('SET', KEYS[4], node .. ':' .. ARGV[2] .. ':' .. fence, 'PX', ARGV[5])
return { 'us', fence, redis.call('GET', KEYS[5]) or nil }`

/** KEYS owner, snapshot; ARGV fence, snapshot, keptMs. */
const KEEP = `${OWNER}
local _, _, fence = ownerOf(KEYS[1])
if fence ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1`

/** KEYS owner, snapshot of each name; ARGV keptMs, fence of each name. */
const REFRESH = `${OWNER}
for i = 1, #KEYS / 2 do
  local _, _, fence = ownerOf(KEYS[2 * i - 1])
  if fence == ARGV[i + 1] then
    redis.call('PEXPIRE', KEYS[2 * i - 1], ARGV[1])
    redis.call('PEXPIRE', KEYS[2 * i], ARGV[1])
  end
end`

/** KEYS owner, snapshot; ARGV fence, keptMs (0: the snapshot is deleted). */
const RELEASE = `${OWNER}
local _, _, fence = ownerOf(KEYS[1])
if fence ~= ARGV[1] then return end
redis.call('DEL', KEYS[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])`

/** KEYS record; ARGV value. */
const REMOVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

type Script = (client: Client, keys: string[], values: (string | number)[]) => Promise<string[]>

function script(lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex')
  return async (client, keys, values) => {
    const call = { keys, arguments: values.map(String) }
    const reply = await client.evalSha(sha, call).catch((error: unknown) => {
      // A Redis that was restarted or flushed has lost the script.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(lua, call)
    })
    return [reply].flat().map(String)
  }
}

export const scripts = {
  heartbeat: script(BEAT),
  incompatible: script(INCOMPATIBLE),
  leave: script(LEAVE),
  claim: script(CLAIM),
  saveSnapshot: script(KEEP),
  refresh: script(REFRESH),
  release: script(RELEASE),
  remove: script(REMOVE),
}
