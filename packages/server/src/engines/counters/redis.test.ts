import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test, type TestContext } from 'node:test'

import { createClient } from '@redis/client'

import { createStoppedClock, MINUTE_MS, systemClock } from '../../platform/clock.ts'
import { WAIT_MAX_MS } from '../../testing/in-time.ts'
import { startRedis } from '../../testing/redis.ts'
import { openCounters } from './open.ts'

/** Counters on a separate Redis, so that it can be stopped and frozen. */
async function setUp(t: TestContext) {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const events = new EventEmitter()
  const log = (sentence: string) => events.emit(sentence.endsWith('again') ? 'back' : 'away')
  const counters = await openCounters(redis.url, systemClock, { log, commandTimeoutMs: 1_000 })
  t.after(() => counters.close())
  const next = (event: string) => once(events, event, { signal: AbortSignal.timeout(WAIT_MAX_MS) })
  return { redis, counters, next }
}

test('while Redis is disconnected every call throws service_unavailable, and afterwards it counts again', async (t) => {
  const { redis, counters, next } = await setUp(t)
  await counters.hit('a', MINUTE_MS)

  const away = next('away')
  await redis.stop()
  await away
  for (const call of [
    counters.hit('a', MINUTE_MS),
    counters.read('a', MINUTE_MS),
    counters.admit('a', MINUTE_MS, 1),
    counters.clear('a'),
    counters.ping(),
  ]) {
    await assert.rejects(call, { code: 'service_unavailable' })
  }

  const back = next('back')
  const restarted = await startRedis({ port: redis.port })
  t.after(() => restarted.stop())
  await back
  assert.equal((await counters.hit('a', MINUTE_MS)).count, 1)
})

test('with a frozen Redis calls answer service_unavailable, and counting resumes afterwards', async (t) => {
  const { redis, counters, next } = await setUp(t)
  const away = next('away')
  process.kill(redis.pid, 'SIGSTOP')

  await assert.rejects(counters.hit('a', MINUTE_MS), { code: 'service_unavailable' })
  await away
  await assert.rejects(counters.hit('a', MINUTE_MS), { code: 'service_unavailable' })

  const back = next('back')
  process.kill(redis.pid, 'SIGCONT')
  await back
  assert.ok((await counters.hit('b', MINUTE_MS)).count >= 1)
})

test('nodes whose clocks differ at the edge of a window do not reset each other', async (t) => {
  const { redis } = await setUp(t)
  const options = { commandTimeoutMs: 10_000 }
  const behind = await openCounters(redis.url, createStoppedClock('2026-01-01T00:00:59.999Z'), options)
  const ahead = await openCounters(redis.url, createStoppedClock('2026-01-01T00:01:00.000Z'), options)
  t.after(() => Promise.all([behind.close(), ahead.close()]))

  assert.equal((await behind.hit('a', MINUTE_MS)).count, 1)
  assert.equal((await ahead.hit('a', MINUTE_MS)).count, 1)
  assert.equal((await behind.hit('a', MINUTE_MS)).count, 2)
  assert.equal((await ahead.hit('a', MINUTE_MS)).count, 3)
})

test('keys in Redis expire, and there is one per counted key', async (t) => {
  const { redis, counters } = await setUp(t)
  const client = await createClient({ url: redis.url }).connect()
  for (let hit = 0; hit < 10; hit++) await counters.hit('a', MINUTE_MS)

  assert.deepEqual(await client.keys('*'), ['svc:counters:a'])
  const keptMs = await client.pTTL('svc:counters:a')
  client.destroy()
  assert.ok(keptMs > 0 && keptMs <= 2 * MINUTE_MS, `kept for ${keptMs} ms`)
})

test('admitted hits in Redis expire, and no more are stored than the limit', async (t) => {
  const { redis, counters } = await setUp(t)
  const client = await createClient({ url: redis.url }).connect()
  for (let hit = 0; hit < 10; hit++) await counters.admit('a', MINUTE_MS, 4)
  const [key = '', ...others] = await client.keys('*')
  const [length, keptMs] = [await client.lLen(key), await client.pTTL(key)]
  client.destroy()
  assert.deepEqual([others, length], [[], 4])
  assert.ok(keptMs > MINUTE_MS && keptMs <= 2 * MINUTE_MS, `kept for ${keptMs} ms`)
})

test('without Redis the start fails with a message that contains REDIS_URL', async () => {
  const redis = await startRedis()
  await redis.stop()
  const opening = openCounters(redis.url, systemClock, { openTimeoutMs: 2_000 })
  await assert.rejects(
    opening,
    /^Error: REDIS_URL: no Redis answers at 127\.0\.0\.1:\d+ \(connect ECONNREFUSED/,
  )
})
