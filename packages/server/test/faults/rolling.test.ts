import assert from 'node:assert/strict'
import { test } from 'node:test'

import { rollingReplacements } from './rolling.ts'

test('[OPS-38] nodes that are replaced one after the other under load: no request fails, no write is lost, players keep their seats', async (t) => {
  const report = await rollingReplacements({ replacements: 2, balancer: 'client', pauseMs: 300 })
  t.diagnostic(`${report.requests} requests, ${report.resumed} connections resumed`)
  assert.deepEqual([report.failed, report.lost, report.seatsLost], [[], [], []])
  assert.ok(report.resumed > 0)
})
