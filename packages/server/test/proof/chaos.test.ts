import assert from 'node:assert/strict'
import { test } from 'node:test'

import { runChaos } from './chaos-run.ts'

test('nothing acknowledged is lost while PostgreSQL crashes, S3 is away, and functions are killed', async () => {
  const faults = ['PostgreSQL crashed', 'S3 away', 'processes of functions killed']
  const report = await runChaos(
    { faults, rounds: faults.length, quietMs: 100, faultMs: 500, players: 1 },
    () => {},
  )
  assert.ok(report.acknowledged > 0)
  assert.ok(report.numbers.acknowledged > 0)
  assert.deepEqual([report.lost, report.numbers.lost, report.wrongMails], [0, 0, 0])
})
