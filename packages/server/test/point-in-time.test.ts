import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { itemsOf } from '../src/operator/backup/wal/history.ts'
import { createFolderStore } from '../src/operator/backup/wal/store.ts'
import { systemClock } from '../src/platform/clock.ts'
import { comesTrue } from '../src/testing/in-time.ts'
import { operate } from './operator.ts'
import { type ServerProcess, setUpCallerOf, startServer } from './server-process.ts'

const account = { email: 'dev@example.com', password: 'correct horse battery' }

async function start(t: TestContext, dataDir: string, seconds = '1') {
  const server = await startServer({
    SVC_DATA_DIR: dataDir,
    SVC_BACKUP_WAL_SECONDS: seconds,
    LOG_LEVEL: 'warn',
    SVC_RATE_LIMITS: 'off',
  })
  t.after(() => kill(server))
  return server
}

async function kill(server: ServerProcess) {
  server.signal('SIGKILL')
  await server.ended
}

test('[OPS-25] an operator restores the database from before a mistake, and the service starts on it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-moment-'))
  t.after(() => rm(folder))
  const dataDir = join(folder, 'data')
  const backups = join(dataDir, 'backups')
  const stored = async () => itemsOf(await createFolderStore(join(backups, 'wal')).list(''))
  const server = await start(t, dataDir)
  const call = setUpCallerOf(server)
  const { body: developer } = await call('POST', '/v1/developers/signup', { body: account })
  const newProject = (name: string) =>
    call('POST', '/v1/projects', { token: developer.token, body: { name } })
  const { body: wanted } = await newProject('Wanted')
  await comesTrue('a snapshot', async () => (await stored()).some(({ kind }) => kind === 'json'))
  const saved = join(backups, 'svc-2026-01-01T00-00-00-000Z.tar')
  assert.equal((await operate({ dataDir }, 'backup', saved)).code, 0)
  /** The newest moment, as soon as it contains everything that was written until now. */
  async function storedMoment(): Promise<string> {
    const writtenAt = systemClock.now().toISOString()
    const newest = async () => (await stored()).findLast(({ kind }) => kind === 'wal')?.at ?? ''
    await comesTrue('a copy of the log', async () => (await newest()) > writtenAt)
    return newest()
  }
  await newProject('Second')
  const moment = await storedMoment()
  await newProject('Mistake')
  await storedMoment()
  await kill(server)

  const target = { dataDir: join(folder, 'restored') }
  const refused = await operate(target, 'restore', backups, '--at', '2020-02-30T00:00:00Z')
  assert.deepEqual([refused.code, refused.output], [1, ''])
  assert.match(
    refused.errors,
    /^The database of 2020-02-30T00:00:00Z cannot be restored: choose a time from \S+ to \S+\. Nothing was restored\.\n$/,
  )
  assert.equal(existsSync(target.dataDir), false)

  const restored = await operate(target, 'restore', backups, '--at', moment)
  assert.deepEqual([restored.code, restored.errors], [0, ''])
  assert.match(
    restored.output,
    /^restored .*: the database of 2.*Z\nNot restored: changes of files .* svc-2026-01-01T00-00-00-000Z\.tar\n/,
  )
  for (const name of ['functions', 'svc.sqlite']) assert.ok(existsSync(join(target.dataDir, name)), name)
  assert.match(restored.output, new RegExp(`Put secret\\.key of the old data folder into ${target.dataDir},`))
  copyFileSync(join(dataDir, 'secret.key'), join(target.dataDir, 'secret.key'))
  const verified = await operate(target, 'audit', 'verify')
  assert.deepEqual([verified.code, verified.errors], [0, ''])
  assert.match(verified.output, /0 chains broken/)

  const again = await start(t, target.dataDir, '0')
  const { body: session } = await setUpCallerOf(again)('POST', '/v1/developers/login', { body: account })
  const { body: list } = await setUpCallerOf(again)('GET', '/v1/projects', { token: session.token })
  assert.deepEqual(list.projects.map(({ name }: { name: string }) => name).toSorted(), ['Second', 'Wanted'])
  assert.ok(list.projects.some(({ id }: { id: string }) => id === wanted.project.id))

  rmSync(saved)
  const alone = await operate({ dataDir: join(folder, 'alone') }, 'restore', backups, '--at', moment)
  assert.equal(alone.code, 0)
  assert.match(
    alone.output,
    /Not restored: everything but the database.*\nNot restored: secret\.key.*\nNot restored: blobs/,
  )
})

const rm = (folder: string) => rmSync(folder, { recursive: true, force: true })
