import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { migrations } from '../engines/database/migrations/index.ts'
import { openDatabase } from '../engines/database/open.ts'
import { systemClock } from '../platform/clock.ts'
import { newDataDir, newPostgresDatabase } from '../testing/databases.ts'
import { runs } from '../testing/runs.ts'
import { engines } from '../testing/service.ts'
import { rehearseUpgrade } from './upgrade-check.ts'

for (const engine of engines)
  test(`[OPS-36] upgrade --check works with any number of pending migrations on ${engine}`, async (t) => {
    const all = Array.from({ length: 20 }, (_, at) => at + 1)
    for (const pending of engine === 'sqlite' ? all : runs([7], all)) {
      const dataDir = await newDataDir()
      const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
      t.after(async () => {
        await postgres?.remove()
        await rm(dataDir, { recursive: true, force: true })
      })
      const options = { url: postgres?.url, dataDir, clock: systemClock, log: () => {} }
      const db = await openDatabase({ ...options, migrations: migrations.slice(0, -pending) })
      await db.close()

      const { migrations: applied } = await rehearseUpgrade({ dataDir, databaseUrl: postgres?.url })
      assert.deepEqual(
        applied.map(({ name }) => name),
        migrations.slice(-pending).map(({ name }) => name),
      )
    }
  })

test('[OPS-36] upgrade --check of a damaged database fails with the error, and changes nothing', async (t) => {
  const dataDir = await newDataDir()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const path = join(dataDir, 'svc.sqlite')
  await writeFile(path, 'no database'.repeat(1_000))
  await assert.rejects(rehearseUpgrade({ dataDir, databaseUrl: undefined }), /not a database/)
  assert.equal(readFileSync(path, 'utf8'), 'no database'.repeat(1_000))
})
