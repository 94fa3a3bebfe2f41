import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { createStoppedClock } from '../../../platform/clock.ts'
import { newPostgresDatabase } from '../../../testing/databases.ts'
import { openDatabase } from '../open.ts'
import { migrations } from './index.ts'

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`[DEV-15] players of an earlier version were last seen on that day, and not before they were created, on ${engine}`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-migration-'))
    t.after(() => rmSync(dataDir, { recursive: true }))
    const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
    if (postgres) t.after(postgres.remove)
    const open = (known: typeof migrations) =>
      openDatabase({
        url: postgres?.url,
        dataDir,
        clock: createStoppedClock(),
        log: () => {},
        migrations: known,
      })
    const earlier = await open(migrations.filter(({ name }) => name < '0010'))
    await earlier.transaction((transaction) =>
      transaction.search(() => ({
        compile: () =>
          CompiledQuery.raw(`insert into players
            ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenOn") values
            ('env_1', 'ply_1', 'New', 'new', '2026-01-02T15:00:00.000Z', '2026-01-02'),
            ('env_1', 'ply_2', 'Old', 'old', '2026-01-02T15:00:00.000Z', '2026-01-05')`),
      })),
    )
    await earlier.close()

    const now = await open(migrations)
    t.after(() => now.close())

    assert.deepEqual(
      await now.search((q) => q.selectFrom('players').select(['id', 'lastSeenAt']).orderBy('id')),
      [
        { id: 'ply_1', lastSeenAt: '2026-01-02T15:00:00.000Z' },
        { id: 'ply_2', lastSeenAt: '2026-01-05T00:00:00.000Z' },
      ],
    )
  })
}
