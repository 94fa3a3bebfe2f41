import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { readSettings } from '../../../settings.ts'
import { newPostgresDatabase } from '../../../testing/databases.ts'
import { type Service, startService } from '../../../testing/service.ts'
import { backUp } from '../backup.ts'
import { restore } from '../restore.ts'
import { queryAll } from './postgres.ts'

type Empty = Awaited<ReturnType<typeof newPostgresDatabase>>

let service: Service
let url: string
let empty: Empty
let archive: string
before(async () => {
  service = await startService('postgres')
  url = service.postgres?.url ?? ''
  await service.newProject()
  const blob = join(service.dataDir, 'blobs/a/b')
  await mkdir(dirname(blob), { recursive: true })
  await writeFile(blob, 'a blob')
  archive = join(service.dataDir, 'saved.tar')
  empty = await newPostgresDatabase({ migrated: false })
})
after(async () => {
  await empty.remove()
  await service.stop()
})

const settings = (dataDir: string, databaseUrl: string | undefined) =>
  readSettings({ SVC_DATA_DIR: dataDir, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) })
/** Of this service: other tests verify backups on the same server. */
const scratchDatabases = () =>
  queryAll(
    url,
    `select datname from pg_database, installation
     where name = 'id' and starts_with(datname, 'svc_verify_' || lower(value))`,
  )

test('[OPS-23] a backup of PostgreSQL is verified in a database of its own, and restored into an empty one', async (t) => {
  const { report } = await backUp(settings(service.dataDir, url), archive)
  assert.deepEqual([report?.failures, report?.notices], [[], []])
  assert.deepEqual(await scratchDatabases(), [])

  const dataDir = join(service.dataDir, 'restored')
  await assert.rejects(
    restore(settings(dataDir, undefined), archive),
    /is a backup of PostgreSQL: set DATABASE_URL/,
  )
  await assert.rejects(restore(settings(dataDir, url), archive), /database at DATABASE_URL is not empty/)
  assert.equal(existsSync(dataDir), false)

  await restore(settings(dataDir, empty.url), archive)
  assert.deepEqual(await readdir(dataDir), ['blobs'])
  await copyFile(join(service.dataDir, 'secret.key'), join(dataDir, 'secret.key'))
  const restored = await startService('postgres', { clusterOf: { ...service, dataDir, postgres: empty } })
  t.after(() => restored.close())
  assert.equal((await restored.audit.verify()).projects, 1)
})

test('[OPS-23] a role that may not create databases gets a backup whose rows are verified, and a notice', async (t) => {
  const role = `backup_${service.dataDir.replaceAll(/\W/g, '').slice(-8).toLowerCase()}`
  await queryAll(url, `create role ${role} login password 'a:b@c/d' in role pg_read_all_data`)
  t.after(() => queryAll(url, `drop role ${role}`))
  const limited = new URL(url)
  limited.username = role
  limited.password = 'a:b@c/d'
  const file = join(service.dataDir, 'limited.tar')
  const { report } = await backUp(settings(service.dataDir, limited.href), file)
  assert.deepEqual(report?.failures, [])
  assert.match(report?.notices.join() ?? '', /the role in DATABASE_URL may not create databases/)
})

test('[OPS-23] a failed restore leaves the database and the folder empty', async (t) => {
  const other = await newPostgresDatabase({ migrated: false })
  t.after(other.remove)
  // The rows do not fit beside this type.
  await queryAll(other.url, 'create type projects as (n int)')
  const dataDir = join(service.dataDir, 'failed')
  await assert.rejects(
    restore(settings(dataDir, other.url), archive),
    /could not be restored .*pg_restore failed: /s,
  )
  assert.equal(existsSync(dataDir), false)
  assert.deepEqual(
    await queryAll(other.url, 'select 1 from pg_tables where schemaname = current_schema()'),
    [],
  )
})

test('[OPS-23] a backup of SQLite is not restored into PostgreSQL', async (t) => {
  const other = await startService('sqlite')
  t.after(() => other.stop())
  const file = join(other.dataDir, 'sqlite.tar')
  await backUp(settings(other.dataDir, undefined), file, { isVerified: false })
  await assert.rejects(restore(settings(join(other.dataDir, 'new'), url), file), /not empty/)
  const free = await newPostgresDatabase({ migrated: false })
  t.after(free.remove)
  await assert.rejects(restore(settings(join(other.dataDir, 'new'), free.url), file), /is a backup of SQLite/)
})
