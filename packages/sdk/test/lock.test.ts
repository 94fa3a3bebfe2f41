import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createLock } from '../src/session/lock.ts'
import { eventually, sharedStorage } from './fixtures.ts'

const KEY = 'name.lease'

/** Without Web Locks, on a clock of its own. */
function tabs(count: number, clock = { ms: 1_000_000 }) {
  const storage = sharedStorage()
  const platform = { locks: undefined, now: () => clock.ms, random: () => 0.5 }
  return { storage, clock, locks: Array.from({ length: count }, () => createLock('name', platform, storage)) }
}

test('without Web Locks one tab works at a time, and the lease is removed afterwards', async () => {
  const { storage, locks } = tabs(4)
  let working = 0
  let together = 0
  const results = await Promise.all(
    locks.map((lock, n) =>
      lock(async () => {
        together = Math.max(together, ++working)
        await new Promise((resolve) => setTimeout(resolve, 20))
        working--
        return n
      }),
    ),
  )
  assert.deepEqual(results, [0, 1, 2, 3])
  assert.equal(together, 1)
  assert.equal(storage.values.has(KEY), false)
})

test('failing work releases the lease, and its error reaches the caller', async () => {
  const { storage, locks } = tabs(1)
  const [lock] = locks
  await assert.rejects(async () => lock?.(() => Promise.reject(new Error('no'))), /no/)
  assert.equal(storage.values.has(KEY), false)
})

test('a lease of a closed tab, one from before the clock was set back, and garbage do not block', async () => {
  const { storage, clock, locks } = tabs(1)
  const [lock] = locks
  const left = [
    JSON.stringify({ owner: 'dead', until: clock.ms }),
    JSON.stringify({ owner: 'from the future', until: clock.ms + 10_001 }),
    '{',
  ]
  for (const text of left) {
    storage.values.set(KEY, text)
    assert.equal(await lock?.(async () => 'done'), 'done')
  }
})

test('a valid lease is waited for until it is released', async () => {
  const { storage, clock, locks } = tabs(1)
  const [lock] = locks
  storage.values.set(KEY, JSON.stringify({ owner: 'another', until: clock.ms + 10_000 }))
  let looks = 0
  const { getItem } = storage
  storage.getItem = (key) => (looks++, getItem(key))
  let isDone = false
  const waiting = lock?.(async () => void (isDone = true))
  await eventually(() => looks > 3, 'the lock looks again')
  assert.equal(isDone, false)
  storage.values.delete(KEY)
  await waiting
  assert.equal(isDone, true)
})

test('Web Locks that a browser forbids do not block', async () => {
  const locks = { request: () => Promise.reject(new Error('SecurityError')) } as never
  const lock = createLock('name', { locks, now: () => 0, random: () => 0 }, sharedStorage())
  assert.equal(await lock(async () => 'done'), 'done')
})

test('work runs once, also if it fails while it has a Web Lock', async () => {
  let times = 0
  const lock = createLock('once', { locks: navigator.locks, now: () => 0, random: () => 0 }, sharedStorage())
  await assert.rejects(
    lock(async () => {
      times++
      throw new Error('no')
    }),
    /no/,
  )
  assert.equal(times, 1)
})
