import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { engines } from '../../src/testing/service.ts'
import { deployKills, deploySentence } from './deploy-kill.ts'

// The short form, each step once. The long form is `node --conditions=source
// packages/server/test/faults/deploy-kill.ts --kills 40`; it also runs on PostgreSQL with files.
const places = [
  { database: 'sqlite', blobs: 'files' },
  { database: 'postgres', blobs: 's3' },
] as const

for (const { database, blobs } of places) {
  if (!engines.includes(database)) continue
  test(`[HST-05] [HST-06] kill -9 in each step of a deployment on ${database} and ${blobs}: one complete version is served, nothing acknowledged is lost, a sweep leaves nothing`, async (t) => {
    const postgres = database === 'postgres' ? await newPostgresDatabase() : undefined
    t.after(() => postgres?.remove())
    const tally = await deployKills(5, { databaseUrl: postgres?.url, hasS3: blobs === 's3' })

    t.diagnostic(deploySentence(`${database} and ${blobs}`, tally))
    assert.ok(tally.acknowledged > 0 && tally.visits > 0)
    const { lost, incomplete, leftAfter } = tally
    assert.deepEqual({ lost, incomplete, leftAfter }, { lost: 0, incomplete: 0, leftAfter: 0 })
  })
}
