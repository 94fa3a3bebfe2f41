import assert from 'node:assert/strict'
import { test } from 'node:test'

import { backUpUnderLoad, sentence } from './backup-load.ts'

test('[OPS-15] [OPS-20] a backup under load is verified, and after kill -9 it contains every save acknowledged before it', async (t) => {
  const outcome = await backUpUnderLoad({ rate: 100, seconds: 1, every: 0, megabytes: 1, quiet: 0 })
  t.diagnostic(sentence(outcome))
  const { failed, lost, refused, acknowledged } = outcome
  assert.deepEqual({ failed, lost, refused }, { failed: 0, lost: 0, refused: 0 })
  assert.ok(acknowledged > 0)
})
