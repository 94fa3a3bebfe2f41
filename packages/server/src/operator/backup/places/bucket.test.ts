import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { openS3 } from '../../../engines/blobs/s3.ts'
import { createStoppedClock, DAY_MS, type MovableClock } from '../../../platform/clock.ts'
import { systemRandom } from '../../../platform/random.ts'
import { readSettings } from '../../../settings.ts'
import { copySqliteTemplate, newDataDir } from '../../../testing/databases.ts'
import { s3Credentials, startS3Server } from '../../../testing/s3-server.ts'
import { restore } from '../restore.ts'
import { runBackup } from '../run.ts'
import { openBucketPlace } from './bucket.ts'
import { nameOf } from './place.ts'

let server: Awaited<ReturnType<typeof startS3Server>>
let clock: MovableClock
let dataDir: string
before(async () => {
  server = await startS3Server()
  clock = createStoppedClock()
  dataDir = await newDataDir()
})
after(async () => {
  await server.close()
  await rm(dataDir, { recursive: true })
})

const openPlace = () => openBucketPlace(server.url, s3Credentials, clock)
const joined = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream))
async function* chunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}
const timeNow = () => clock.now().toISOString()
async function keys() {
  const bucket = await openS3(server.url, s3Credentials, undefined)
  const found = await Array.fromAsync(bucket.list(''))
  await bucket.close()
  return found.toSorted()
}

test('[OPS-22] a backup of several objects is complete with its index, and is removed completely', async () => {
  await using place = await openPlace()
  const bytes = systemRandom.bytes(16 * 1024 * 1024 + 5)
  const name = nameOf(timeNow(), true)
  assert.equal(await place.write(name, chunks(bytes)), bytes.length)
  assert.deepEqual(await keys(), [`${name}.json`, `${name}/000001`, `${name}/000002`].toSorted())
  assert.ok((await joined(place.read(name))).equals(bytes))
  const report = { verifiedAt: timeNow(), failures: [], notices: [] }
  await place.report(name, report)
  await using other = await openPlace()
  assert.deepEqual(await other.list(), [{ name, createdAt: timeNow(), bytes: bytes.length, report }])
  await place.remove(name)
  assert.deepEqual(await keys(), [])
  await assert.rejects(joined(other.read('svc-none')), /no backup svc-none/)
})

test('[OPS-18] [OPS-22] an upload that fails leaves nothing; one that was killed does not count and is removed a day later', async () => {
  await using place = await openPlace()
  async function* failing() {
    yield Buffer.alloc(17 * 1024 * 1024)
    throw new Error('the disk failed')
  }
  await assert.rejects(place.write(nameOf(timeNow(), true), failing()), /the disk failed/)
  assert.deepEqual(await keys(), [])

  const bucket = await openS3(server.url, s3Credentials, undefined)
  const killed = nameOf(timeNow(), true)
  await bucket.put(`${killed}/000001`, Buffer.from('half a backup'))
  await bucket.close()
  assert.deepEqual(await place.list(), [])
  await place.removeIncomplete()
  assert.equal((await keys()).length, 1)
  clock.advance(DAY_MS + 1)
  await place.removeIncomplete()
  assert.deepEqual(await keys(), [])
})

test('[OPS-22] the service writes sealed backups to S3, and the newest verified one is restored from there', async () => {
  const settings = (folder: string) =>
    readSettings({
      SVC_DATA_DIR: folder,
      SVC_BACKUP_URL: server.url,
      SVC_BACKUP_KEY: 'ab'.repeat(32),
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    })
  await copySqliteTemplate(dataDir)
  const blob = join(dataDir, 'blobs/a/b')
  await mkdir(dirname(blob), { recursive: true })
  await writeFile(blob, 'a blob')
  const createdAt = timeNow()
  const { report, name } = await runBackup(settings(dataDir), { name: nameOf(createdAt, true), createdAt })
  assert.deepEqual(report.failures, [])
  const restored = join(dataDir, 'restored')
  await assert.rejects(
    restore(settings(restored), 'svc-none.tar'),
    /there is no such backup at SVC_BACKUP_URL/,
  )
  await restore(settings(restored), 'latest')
  assert.equal(await readFile(join(restored, 'blobs/a/b'), 'utf8'), 'a blob')
  assert.deepEqual((await readdir(restored)).toSorted(), ['blobs', 'svc.sqlite'])

  // An object that is damaged at the provider.
  const bucket = await openS3(server.url, s3Credentials, undefined)
  await bucket.put(`${name}/000001`, Buffer.from('other'))
  await bucket.close()
  const again = join(dataDir, 'again')
  await assert.rejects(restore(settings(again), name), /cannot be restored: .*damaged/)
  assert.equal((await readdir(dataDir)).includes('again'), false)
})
