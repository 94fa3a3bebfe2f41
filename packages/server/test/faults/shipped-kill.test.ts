import assert from 'node:assert/strict'
import { test } from 'node:test'

import { runs } from '../../src/testing/runs.ts'
import { shippedKills, shippedSentence } from './shipped-kill.ts'

test('[OPS-27] after kill -9 every moment until the last copy of the log can be restored, with all acknowledged writes', async (t) => {
  const total = await shippedKills(runs(2, 40), runs(2, 4))

  t.diagnostic(shippedSentence(total))
  assert.ok(total.acknowledged > 0)
  assert.ok(total.runs > 1, 'the log was never restarted')
  assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
})
