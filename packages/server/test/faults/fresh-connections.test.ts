import assert from 'node:assert/strict'
import { test } from 'node:test'

import { freshRounds, startLoad, startServerWithProject } from './fresh-connections.ts'

test('[SES-11] [SES-12] refreshes over fresh connections, idle and under load: parallel ones are races, a replay over another fresh one revokes', async (t) => {
  const started = await startServerWithProject()
  t.after(started.stop)
  assert.deepEqual((await freshRounds(started, 10, 20)).wrong, [])
  const endLoad = startLoad(4)
  t.after(endLoad)
  assert.deepEqual((await freshRounds(started, 5, 20)).wrong, [])
})
