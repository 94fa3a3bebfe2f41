import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { batchPerTick } from './tick-batch.ts'

test('callbacks added in one tick run at its end, in order; callbacks added while they run wait for the next tick', async () => {
  const runAtEndOfTick = batchPerTick()
  const begun: string[] = []
  runAtEndOfTick(() => {
    begun.push('first')
    runAtEndOfTick(() => begun.push('late'))
  })
  runAtEndOfTick(() => begun.push('second'))
  await Promise.resolve()
  assert.deepEqual(begun, [])
  await turn()
  assert.deepEqual(begun, ['first', 'second'])
  await turn()
  assert.deepEqual(begun, ['first', 'second', 'late'])
})
