import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { systemClock } from '../../../../platform/clock.ts'
import { createLogs } from './logs.ts'

const LONG = 'x'.repeat(16_384)

test('[FUN-18] the lines of an environment in memory have at most 500,000 characters', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-logs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const logs = createLogs(folder, systemClock)
  const charactersIn = async (read: ReturnType<typeof createLogs>) =>
    (await read.read({ limit: 1_000 })).reduce((sum, { message }) => sum + message.length, 0)

  for (let line = 0; line < 100; line++) logs.add({ level: 'log', message: LONG, requestId: null })
  assert.equal(await charactersIn(logs), Math.floor(500_000 / LONG.length) * LONG.length)
  logs.add({ level: 'log', message: 'last', requestId: null })
  assert.equal((await logs.read({ limit: 1 }))[0]?.message, 'last')
  await logs.close()

  // Also of what an earlier process has written.
  assert.ok((await charactersIn(createLogs(folder, systemClock))) <= 500_000)
  for (let line = 0; line < 1_100; line++) logs.add({ level: 'log', message: 'short', requestId: null })
  assert.equal((await logs.read({ limit: 2_000 })).length, 1_000)
  await logs.close()
})
