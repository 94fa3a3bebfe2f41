import assert from 'node:assert/strict'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import pg from 'pg'

import { readSettings } from '../settings.ts'
import { newDataDir, newPostgresDatabase } from '../testing/databases.ts'
import { engines } from '../testing/service.ts'
import { backUp } from './backup/backup.ts'
import { keepPrivate } from './private-data.ts'

const isRoot = process.getuid?.() === 0

test('[OPS-63] a data folder that cannot be used is one sentence that names SVC_DATA_DIR', async (t) => {
  const parent = await newDataDir()
  await chmod(parent, 0o500)
  t.after(async () => {
    await chmod(parent, 0o700)
    await rm(parent, { recursive: true })
  })
  // Nobody can create the first two, not even root. Node would try the first one forever.
  for (const dataDir of ['/proc/x', '/sys/x', ...(isRoot ? [] : [parent, join(parent, 'data')])])
    for (const databaseUrl of [undefined, 'postgres://db'])
      await assert.rejects(
        keepPrivate({ dataDir, databaseUrl }),
        new RegExp(
          `^Error: The data folder ${dataDir} cannot be read or written \\(E[A-Z]+\\)\\. Check SVC_DATA_DIR`,
        ),
        dataDir,
      )
})

for (const engine of engines)
  test(`[OPS-63] a backup of a database that is too old is one sentence on ${engine}`, async (t) => {
    const dataDir = await newDataDir()
    const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
    t.after(async () => {
      await postgres?.remove()
      await rm(dataDir, { recursive: true })
    })
    const table = 'create table migrations (name text)'
    if (postgres) await inPostgres(postgres.url, table)
    else inSqlite(join(dataDir, 'svc.sqlite'), table)
    const settings = readSettings({ SVC_DATA_DIR: dataDir, ...(postgres && { DATABASE_URL: postgres.url }) })
    await assert.rejects(
      backUp(settings, join(dataDir, 'backup.tar'), { isVerified: false }),
      /^Error: The database is too old for a backup by version [^\n]+\.$/,
    )
  })

function inSqlite(path: string, sql: string): void {
  using database = new DatabaseSync(path)
  database.exec(sql)
}

async function inPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
