import assert from 'node:assert/strict'
import { createHistogram } from 'node:perf_hooks'
import { test } from 'node:test'

import { measureEventLoop } from './event-loop.ts'

test('[OPS-57] the delay of the event loop is that of the last minute', () => {
  const delays = createHistogram()
  const eventLoop = measureEventLoop(delays)
  const shown = () => Math.round(eventLoop.p99Ms())

  delays.record(20e6)
  assert.equal(shown(), 20)
  delays.record(300e6)
  assert.equal(shown(), 300)
  eventLoop.endMinute()
  delays.record(20e6)
  assert.equal(shown(), 300)
  eventLoop.endMinute()
  assert.equal(shown(), 20)
  delays.record(400e6)
  assert.equal(shown(), 20)
})

test('[OPS-57] the delay of the event loop of this process is measured', async () => {
  const { p99Ms } = measureEventLoop()
  while (p99Ms() === 0) await new Promise((resolve) => setTimeout(resolve, 20))
})
