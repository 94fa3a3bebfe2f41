import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { createMovableClock } from '../../platform/clock.ts'
import { startService } from '../../testing/service.ts'

test('[BAN-01] banExpiresAt is bannedAt plus the duration, exactly, however long the ban takes', async (t) => {
  // A clock that advances with every reading.
  let readings = 0
  const clock = createMovableClock({
    now: () => new Date(Date.UTC(2026, 0, 1) + readings++),
    elapsedMs: () => readings,
  })
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const clusterOf = { dataDir, clock, postgres: undefined, redisPrefix: dataDir }
  const service = await startService('sqlite', { clusterOf })
  t.after(async () => {
    await service.stop()
    await rm(dataDir, { recursive: true })
  })
  const { development } = await service.newProject()

  for (const durationHours of [1, 0.5, 8_784, 1e-9]) {
    const guest = await development.public('POST', '/v1/auth/guest', {})
    const path = `/v1/admin/players/${guest.body.player.id}/ban`
    const { status, body } = await development.server('POST', path, { durationHours })
    assert.equal(status, 200)
    const { bannedAt, banExpiresAt } = body.player
    const ms = Math.max(1, durationHours * 3_600_000)
    assert.equal(Date.parse(banExpiresAt) - Date.parse(bannedAt), Math.round(ms), String(durationHours))
  }
})
