import assert from 'node:assert/strict'
import { test } from 'node:test'

import { FrameRate } from './frame-rate-limit.ts'

const rate = { perSecond: 2, burst: 4 }

test('[WSK-12] a burst is accepted, then the rate per second applies', () => {
  const frames = new FrameRate(rate, { nowMs: 10_000, isLimited: true })
  const taken = [10_000, 10_000, 10_000, 10_000, 10_000, 10_500, 10_500].map((nowMs) => frames.take(nowMs))
  assert.deepEqual(taken, ['ok', 'ok', 'ok', 'ok', 'warn', 'ok', 'drop'])
})
