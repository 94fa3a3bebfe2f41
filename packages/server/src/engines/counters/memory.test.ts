import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { createMemoryCounters } from './memory.ts'

test('beyond keysMax the least recently hit key is evicted', async () => {
  const counters = createMemoryCounters(createStoppedClock(), { keysMax: 3 })
  for (const key of ['a', 'b', 'c', 'a', 'd']) await counters.hit(key, MINUTE_MS)

  const counts = ['a', 'b', 'c', 'd'].map(async (key) => (await counters.read(key, MINUTE_MS)).count)

  assert.deepEqual(await Promise.all(counts), [2, 0, 1, 1])
})

test('ended windows are evicted before running ones', async () => {
  const clock = createStoppedClock()
  const counters = createMemoryCounters(clock, { keysMax: 3 })
  await counters.hit('hour', HOUR_MS)
  await counters.hit('minute 1', MINUTE_MS)
  await counters.hit('minute 2', MINUTE_MS)

  clock.advance(MINUTE_MS)
  await counters.hit('minute 3', MINUTE_MS)
  await counters.hit('minute 4', MINUTE_MS)

  assert.equal((await counters.read('hour', HOUR_MS)).count, 1)
})

test('beyond keysMax the least recently used log is evicted', async () => {
  const counters = createMemoryCounters(createStoppedClock(), { keysMax: 3 })
  const admit = async (key: string) => (await counters.admit(key, MINUTE_MS, 1)).isAdmitted
  for (const key of ['a', 'b', 'c']) assert.equal(await admit(key), true)
  assert.equal(await admit('a'), false)
  assert.equal(await admit('d'), true)
  assert.deepEqual([await admit('a'), await admit('c'), await admit('b')], [false, false, true])
})

test('logs whose window has passed are evicted', async () => {
  const clock = createStoppedClock()
  const counters = createMemoryCounters(clock, { keysMax: 3 })
  const admit = async (key: string, windowMs: number) => (await counters.admit(key, windowMs, 1)).isAdmitted
  await admit('hour', HOUR_MS)
  await admit('minute 1', MINUTE_MS)
  await admit('minute 2', MINUTE_MS)
  clock.advance(MINUTE_MS)
  await admit('minute 3', MINUTE_MS)
  await admit('minute 4', MINUTE_MS)
  assert.equal(await admit('hour', HOUR_MS), false)
})
