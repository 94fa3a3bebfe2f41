import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startService } from '../../src/testing/service.ts'
import { clocksAgree, refreshRounds } from './refresh-rounds.ts'

test('[SES-11] [SES-12] concurrent refreshes on two nodes: one wins, the others lose a race, a replay revokes the chain', async () => {
  const first = await startService('postgres')
  const second = await startService('postgres', { clusterOf: first })
  const { development } = await first.newProject()
  await clocksAgree([first, second])
  for (const callers of [2, 20]) {
    const { wrong } = await refreshRounds([first, second], development.publishableKey, 20, callers)
    assert.deepEqual(wrong, [])
  }
  await second.stop()
  await first.stop()
})
