import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createLock } from '../src/lock.ts'
import { sharedStorage } from './world.ts'

const KEY = 'name.lease'

/** Without Web Locks, on a clock of its own. */
function tabs(count: number, clock = { ms: 1_000_000 }) {
  const storage = sharedStorage()
  const platform = { locks: undefined, now: () => clock.ms, random: () => 0.5 }
  return { storage, clock, locks: Array.from({ length: count }, () => createLock('name', platform, storage)) }
}

test('without Web Locks one tab works at a time, and the lease is gone afterwards', async () => {
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

test('what fails gives the lease back, and fails for the caller', async () => {
  const { storage, locks } = tabs(1)
  const [lock] = locks
  await assert.rejects(async () => lock?.(() => Promise.reject(new Error('no'))), /no/)
  assert.equal(storage.values.has(KEY), false)
})

test('a lease of a tab that is no more, one of before the clock was set back, and garbage hold nobody up', async () => {
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

test('a lease that is still good is waited for until it is given back', async () => {
  const { storage, clock, locks } = tabs(1)
  const [lock] = locks
  storage.values.set(KEY, JSON.stringify({ owner: 'another', until: clock.ms + 10_000 }))
  let isDone = false
  const waiting = lock?.(async () => void (isDone = true))
  await new Promise((resolve) => setTimeout(resolve, 250))
  assert.equal(isDone, false)
  storage.values.delete(KEY)
  await waiting
  assert.equal(isDone, true)
})

test('Web Locks that a browser forbids hold nobody up', async () => {
  const locks = { request: () => Promise.reject(new Error('SecurityError')) } as never
  const lock = createLock('name', { locks, now: () => 0, random: () => 0 }, sharedStorage())
  assert.equal(await lock(async () => 'done'), 'done')
})

test('work is done once, also when it fails while it holds a Web Lock', async () => {
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
