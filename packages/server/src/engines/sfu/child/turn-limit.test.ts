import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { TurnLimit } from './turn-limit.ts'

test('[VOI-08] a turn of the event loop forwards packets for half a second, then they are dropped until the next turn', async () => {
  const limit = new TurnLimit()
  assert.equal(limit.admits(1_000), true)
  assert.equal(limit.admits(1_500), true)
  assert.equal(limit.admits(1_501), false)
  assert.equal(limit.admits(9_000), false)
  await nextTurn()
  assert.equal(limit.admits(9_001), true)
  assert.equal(limit.admits(9_501), true)
  assert.equal(limit.admits(9_502), false)
})
