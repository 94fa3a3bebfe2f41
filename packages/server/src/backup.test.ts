import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { backUp, restore } from './backup.ts'
import { readSettings } from './settings.ts'
import { deployFunctions } from './testing/deployed-functions.ts'
import { type Service, startService } from './testing/service.ts'

const LAST_LINE_BYTES = 'svc-backup sha256 '.length + 64 + '\n'.length

let service: Service
let archive: string
let bytes: Buffer
before(async () => {
  service = await startService('sqlite')
  await service.newProject()
  archive = join(service.dataDir, 'saved.tar')
  await backUp(settingsOf(service.dataDir), archive)
  bytes = await readFile(archive)
})
after(() => service.stop())

const settingsOf = (dataDir: string) => readSettings({ SVC_DATA_DIR: dataDir })

/** Restores these bytes; returns the error, and checks that nothing was written before it. */
async function refusalOf(content: Buffer): Promise<string | undefined> {
  const folder = join(service.dataDir, 'attempt')
  const file = join(service.dataDir, 'damaged.tar')
  await rm(folder, { recursive: true, force: true })
  await writeFile(file, content)
  try {
    await restore(settingsOf(join(folder, 'data')), file)
    return undefined
  } catch (error) {
    await assert.rejects(stat(folder), 'something was written')
    return error instanceof Error ? error.message : String(error)
  }
}

test('a backup restores to the same bytes, and tar lists it', async () => {
  assert.equal(await refusalOf(bytes), undefined)

  const restored = join(service.dataDir, 'attempt/data')
  assert.deepEqual((await readdir(restored)).toSorted(), ['blobs', 'secret.key', 'svc.sqlite'])
  assert.deepEqual(
    await readFile(join(restored, 'secret.key')),
    await readFile(join(service.dataDir, 'secret.key')),
  )
  assert.match(execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }), /svc\.sqlite/)
})

test('a backup of a running service contains the data of functions', async (t) => {
  const source = await startService('sqlite', { settings: { SVC_BILLING: 'off' } })
  t.after(() => source.stop())
  const { development } = await source.newProject()
  const bindings = [{ type: 'db', name: 'DB' }]
  await deployFunctions(development, 'export default { fetch: () => new Response() }', { bindings })
  const query = (server: typeof development.server, sql: string) =>
    server('POST', '/v1/admin/functions/db/DB/query', { sql })
  await query(development.server, 'CREATE TABLE kept (i); INSERT INTO kept VALUES (42)')

  const file = join(source.dataDir, 'functions.tar')
  const dataDir = join(source.dataDir, 'restored')
  await backUp(settingsOf(source.dataDir), file)
  await query(development.server, 'DELETE FROM kept')
  await restore(settingsOf(dataDir), file)
  const restored = await startService('sqlite', {
    clusterOf: { ...source, dataDir },
    settings: { SVC_BILLING: 'off' },
  })
  t.after(() => restored.stop())
  const { body } = await query(restored.withKey(development.secretKey), 'SELECT i FROM kept')
  assert.deepEqual(body.results, [{ i: 42 }])

  const elsewhere = readSettings({ SVC_DATA_DIR: source.dataDir, FUNCTIONS_DIR: '/srv/functions' })
  assert.deepEqual(await backUp(elsewhere, join(source.dataDir, 'other.tar')), [
    'the data of functions in FUNCTIONS_DIR',
  ])
})

test('a backup with one changed bit is rejected before anything is written', async () => {
  const tarBytes = bytes.length - LAST_LINE_BYTES
  const places = [
    0,
    // The header of the first file: name, mode, time, checksum; then its first page, and the padding and the checksum at the end.
    100,
    136,
    148,
    257,
    400,
    512,
    700,
    5_000,
    ...Array.from({ length: 24 }, (_, n) => Math.floor((tarBytes / 24) * n)),
    bytes.length - 2_000,
    tarBytes - 1,
    tarBytes,
    tarBytes + 10,
    bytes.length - 2,
    bytes.length - 1,
  ]
  for (const place of places) {
    const damaged = Buffer.from(bytes)
    damaged[place] = (damaged[place] ?? 0) ^ 1
    assert.match((await refusalOf(damaged)) ?? 'restored', /damaged/, `byte ${place}`)
  }
})

test('a backup that is truncated or has extra bytes is rejected', async () => {
  for (const length of [0, 10, 512, bytes.length - 10_240, bytes.length - LAST_LINE_BYTES, bytes.length - 1])
    assert.match((await refusalOf(bytes.subarray(0, length))) ?? 'restored', /damaged/, `${length} bytes`)
  assert.match((await refusalOf(Buffer.concat([bytes, Buffer.from('\n')]))) ?? 'restored', /damaged/)
})
