import assert from 'node:assert/strict'
import { test } from 'node:test'

import { FrameRate } from './frame-rate-limit.ts'

const rate = { perSecond: 2, burst: 4 }
const outside = { isInRoom: false }
const inRoom = { isInRoom: true }

test('[WSK-12] a burst is accepted, then the rate per second applies', () => {
  const frames = new FrameRate(rate, { nowMs: 10_000, isLimited: true })
  const taken = [10_000, 10_000, 10_000, 10_000, 10_000, 10_500, 10_500].map((nowMs) =>
    frames.take(nowMs, 1, outside),
  )
  assert.deepEqual(taken, ['ok', 'ok', 'ok', 'ok', 'warn', 'ok', 'drop'])
})

test('[WSK-20] in a room, late frames may exceed the burst; what the rate leaves free makes room for the next ones', () => {
  const frames = new FrameRate({ ...rate, late: 10 }, { nowMs: 0, isLimited: true })
  const countAt = (nowMs: number, bytes: number) => {
    let taken = 0
    while (frames.take(nowMs, bytes, inRoom) === 'ok') taken++
    return taken
  }
  assert.deepEqual([countAt(0, 512), countAt(7_000, 512), countAt(12_000, 512)], [14, 14, 10])
  // A frame of 513 bytes counts twice, but not within the burst.
  assert.equal(countAt(100_000, 513), 4 + 10 / 2)
  assert.equal(frames.take(200_000, 70_000, outside), 'ok')
})
