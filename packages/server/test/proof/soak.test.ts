import assert from 'node:assert/strict'
import { test } from 'node:test'

import { runSoak } from './soak-run.ts'

test('rooms, saves, stats, refreshes, functions and cards at once: nothing is lost or refused', async () => {
  const { deliveries, statuses, samples, isRunning } = await runSoak(
    { seconds: 4, sockets: 16, players: 2, functions: 1, sampleSeconds: 1 },
    () => {},
  )
  assert.ok(isRunning)
  assert.ok(deliveries.delivered > 0)
  assert.deepEqual([deliveries.lost, deliveries.duplicates], [0, 0])
  const refused = Object.keys(statuses).filter((status) => !/ 20\d$/.test(status))
  assert.deepEqual(refused, [])
  for (const kind of ['service', 'workerd', 'takumi']) assert.ok(samples.at(-1)?.megabytes[kind], kind)
})
