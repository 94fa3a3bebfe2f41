import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { batchPerTick } from './tick-batch.ts'

test('what comes in one turn begins at its end, in order; what comes then, at the end of the next', async () => {
  const atEndOfTurn = batchPerTick()
  const begun: string[] = []
  atEndOfTurn(() => {
    begun.push('first')
    atEndOfTurn(() => begun.push('late'))
  })
  atEndOfTurn(() => begun.push('second'))
  await Promise.resolve()
  assert.deepEqual(begun, [])
  await turn()
  assert.deepEqual(begun, ['first', 'second'])
  await turn()
  assert.deepEqual(begun, ['first', 'second', 'late'])
})
