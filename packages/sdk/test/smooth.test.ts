import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { runs } from '../../server/src/testing/runs.ts'
import { merge } from '../src/code-rooms/merge.ts'
import { createSmoothing } from '../src/code-rooms/smooth.ts'
import type { State } from '../src/realtime/patches.ts'

const AT = 1_800_000_000_000

/** A room with 20 ticks a second, whose frames take 30 ms. Its clock is not ours. */
function setUp(tickRate = 20) {
  const state: State = { balls: { a: { x: 0, y: 0, color: 'red' } } }
  let now = 5_000
  const smoothing = createSmoothing(state, tickRate, () => now)
  return {
    smoothing,
    smooth: smoothing.smooth,
    /** Our clock shows when the service's clock showed AT + `ms`, and a frame of then is 30 ms older. */
    go: (ms: number) => void (now = 5_030 + ms),
    sync(ms: number, patch: State, lateMs = 0) {
      now = 5_030 + ms + lateMs
      merge(state, patch)
      smoothing.synced(AT + ms, patch)
    },
    xOf: (options?: { delayMs?: number; teleport?: number }) =>
      (smoothing.smooth('balls', options)['a'] as { x: number } | undefined)?.x,
  }
}
const at = (x: number) => ({ balls: { a: { x } } })

test('[RWC-64] at first objects are where the room has them, as copies', () => {
  const { smooth, go } = setUp()
  const first = smooth('balls')
  assert.deepEqual(first, { a: { x: 0, y: 0, color: 'red' } })
  ;(first['a'] as State)['x'] = 99
  go(1_000)
  assert.deepEqual(smooth('balls'), { a: { x: 0, y: 0, color: 'red' } })
  assert.deepEqual(smooth('nothing'), {})
  assert.deepEqual(smooth('constructor'), {})
})

test('[RWC-64] between syncs numbers change evenly, with the delay, by the clock of the service', () => {
  const { smooth, sync, go, xOf } = setUp()
  smooth('balls')
  for (let ms = 0; ms <= 1_000; ms += 50) sync(ms, at(ms))
  go(1_000)
  assert.equal(xOf({ delayMs: 100 }), 900)
  go(1_012)
  assert.equal(xOf({ delayMs: 100 }), 912)
  assert.equal(xOf({ delayMs: 75 }), 937)
  assert.equal(xOf(), 887, 'by default two and a half ticks of 50 ms')
  go(1_090)
  assert.equal(xOf(), 965)
  go(2_000)
  assert.equal(xOf(), 1_000, 'without news objects stand still')
  assert.deepEqual(smooth('balls')['a'], { x: 1_000, y: 0, color: 'red' })
})

test('[RWC-123] a tick without its sync is not seen, also if the next one is late', () => {
  for (const tickRate of [5, 10, 20, 30, 60]) {
    const { smooth, sync, go, xOf } = setUp(tickRate)
    smooth('balls')
    const tickMs = 1_000 / tickRate
    for (let tick = 0; tick <= 38; tick++) sync(tick * tickMs, at(tick * tickMs))
    go(40.4 * tickMs)
    const x = xOf() ?? 0
    assert.ok(x < 38 * tickMs, `with ${tickRate} ticks a second it still moves before the sync of tick 40`)
  }
})

test('[RWC-64] jitter of the network changes the speed hardly', () => {
  const { smooth, sync, go, xOf } = setUp()
  smooth('balls')
  let [last, least, most] = [0, Infinity, -Infinity]
  for (let ms = 0; ms <= 20_000; ms += 50) {
    // Late syncs come in order with the next ones; 0, 20 and 40 ms here.
    sync(ms, at(ms), ((ms / 50) % 3) * 20)
    go(ms + 45)
    const x = xOf({ delayMs: 150 }) ?? 0
    if (ms > 5_000) [least, most] = [Math.min(least, x - last), Math.max(most, x - last)]
    last = x
  }
  assert.ok(least > 40 && most < 60, `${least} to ${most} instead of 50`)
})

test('[RWC-64] after a pause an object moves from where it stood, without a jump', () => {
  const { smooth, sync, go, xOf } = setUp()
  smooth('balls')
  sync(0, at(0))
  sync(50, at(0))
  sync(1_050, at(100))
  assert.equal(xOf({ delayMs: 100 }), 0)
  go(1_100)
  assert.equal(xOf({ delayMs: 100 }), 50)
  go(1_150)
  assert.equal(xOf({ delayMs: 100 }), 100)
})

test('[RWC-65] a change above the threshold is a jump, and others are not', () => {
  const { smooth, sync, go, xOf } = setUp()
  smooth('balls')
  for (const [ms, x] of [
    [0, 0],
    [50, 10],
    [100, 500],
    [150, 510],
  ] as const)
    sync(ms, at(x))
  go(150)
  const seen = [130, 170, 199, 200, 225].map((ms) => (go(ms), xOf({ delayMs: 100, teleport: 100 })))
  assert.deepEqual(seen, [6, 10, 10, 500, 505])
})

test('[RWC-65] new objects appear and removed ones disappear with the same delay', () => {
  const { smooth, sync, go } = setUp()
  smooth('balls')
  sync(0, at(0))
  sync(50, { balls: { b: { x: 5 } } })
  sync(100, { balls: { a: null, b: { x: 15 } } })
  const seen = (ms: number) => (go(ms), smooth('balls', { delayMs: 100 }))
  assert.deepEqual(Object.keys(seen(140)), ['a'])
  assert.deepEqual(seen(175), { a: { x: 0, y: 0, color: 'red' }, b: { x: 10 } })
  assert.deepEqual(seen(200), { b: { x: 15 } })
})

test('[RWC-65] after a reconnect the clock may be another one', () => {
  const { smoothing, smooth, sync, go, xOf } = setUp()
  smooth('balls')
  sync(0, at(0))
  sync(50, at(50))
  smoothing.restored()
  assert.equal(xOf(), 50)
  // The new node's clock is 10 s behind.
  smoothing.synced(AT - 10_000, {})
  assert.equal(xOf(), 50)
  go(100)
  assert.equal(xOf(), 50)
})

test('[RWC-65] results stay between the values that the room had', () => {
  const steps = fc.array(
    fc.record({
      afterMs: fc.integer({ min: 1, max: 3_000 }),
      lateMs: fc.integer({ min: 0, max: 500 }),
      x: fc.option(fc.integer({ min: -100, max: 100 }), { nil: undefined }),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 5_000 }), (all, delayMs) => {
      const { smooth, sync, xOf } = setUp()
      smooth('balls')
      let ms = 0
      for (const { afterMs, lateMs, x } of all) {
        ms += afterMs
        sync(ms, x === undefined ? { balls: { a: null } } : { balls: { a: { x, y: 1 } } }, lateMs)
        const seen = xOf({ delayMs })
        assert.ok(seen === undefined || (seen >= -100 && seen <= 100), String(seen))
      }
    }),
    { numRuns: runs(200, 5_000) },
  )
})

test('[RWC-65] a clock of the service that is set back starts the history again', () => {
  const { smooth, smoothing, sync, go, xOf } = setUp()
  smooth('balls')
  for (let ms = 0; ms <= 1_000; ms += 50) sync(ms, at(ms))
  // From now on the service says that it is an hour earlier.
  const backMs = 3_600_000
  for (let ms = 1_050; ms <= 2_000; ms += 50) {
    go(ms)
    smoothing.synced(AT + ms - backMs, { balls: { a: { x: 1_000 } } })
  }
  go(2_000)
  assert.equal(xOf(), 1_000, 'it stands where the room has it')
  for (let ms = 2_050; ms <= 2_300; ms += 50) sync(ms - backMs, at(ms), backMs)
  assert.equal(xOf({ delayMs: 100 }), 2_200)
})
