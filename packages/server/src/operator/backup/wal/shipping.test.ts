import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test, type TestContext } from 'node:test'

import { columns, type Database, statement, type Tables } from '../../../engines/database/database.ts'
import { openDatabase } from '../../../engines/database/open.ts'
import type { LogLimits, Sync } from '../../../engines/database/sqlite/file.ts'
import { DAY_MS, systemClock } from '../../../platform/clock.ts'
import { readSettings } from '../../../settings.ts'
import { copySqliteTemplate } from '../../../testing/databases.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { s3Credentials, startS3Server } from '../../../testing/s3-server.ts'
import { itemsOf } from './history.ts'
import { openStore } from './open-store.ts'
import { restoreAt } from './restore-at.ts'
import { createShipping, type Shipping, type ShippingOptions } from './shipping.ts'
import { createFolderStore, NoSpaceError } from './store.ts'

const write = statement((q, secret: Pick<Tables['secrets'], 'id' | 'sealed'>) =>
  q.insertInto('secrets').values({ ...columns(secret, ['id', 'sealed']), updatedAt: '' }),
)

const MIB = 1024 * 1024
/** A disk that many programs use takes up to a second for each part of the log. */
const DISK_WAIT_MS = 120_000
let dataDir: string
let db: Database | undefined
let shipping: Shipping
let lines: string[]
let written: number
let variables: Record<string, string>

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-wal-'))
  await copySqliteTemplate(dataDir)
  lines = []
  written = 0
  variables = {}
})
afterEach(async () => {
  await db?.close()
  db = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

const path = () => join(dataDir, 'svc.sqlite')
const walFolder = () => join(dataDir, 'backups/wal')

type Open = { shipping?: Partial<ShippingOptions>; logLimits?: Partial<LogLimits>; sync?: Sync }

async function open({ shipping: options, ...sqlite }: Open = {}): Promise<Database> {
  shipping = createShipping({
    path: path(),
    store: readSettings({ SVC_DATA_DIR: dataDir, ...variables }),
    everyMs: 20,
    retryMs: 20,
    limits: { keepMs: DAY_MS, snapshotEveryMs: DAY_MS, snapshotRetryMs: 0, bytesMax: 1_000 * MIB },
    now: () => systemClock.now().getTime(),
    log: (line) => lines.push(line),
    ...options,
  })
  db = await openDatabase({ dataDir, clock: systemClock, log: () => {}, sqlite: { ...sqlite, shipping } })
  return db
}

async function add(rows: number, size = 200): Promise<void> {
  const sealed = 'x'.repeat(size)
  const insert = async () => db?.run(write, { id: `row ${written++}`, sealed })
  await Promise.all(Array.from({ length: rows }, insert))
}

const until = (holds: () => boolean) =>
  comesTrue('the log is shipped', holds, DISK_WAIT_MS).catch((cause: unknown) => {
    throw new Error(JSON.stringify([shipping.status(), lines]), { cause })
  })

/** Resolves with the moment to which the database can be restored with all rows that are written now. */
async function stored(): Promise<string> {
  const writtenAt = systemClock.now().toISOString()
  await until(() => (shipping.status().storedAt ?? '') > writtenAt)
  return (await items()).findLast(({ kind }) => kind === 'wal')?.at ?? ''
}

/** The number of rows in the database of that moment, which has to be intact. */
async function rowsAt(at: string, into?: string): Promise<number> {
  const target = mkdtempSync(join(tmpdir(), 'svc-wal-restored-'))
  try {
    await restoreAt(
      readSettings({ SVC_DATA_DIR: into ?? join(target, 'data'), ...variables }),
      at,
      variables['SVC_BACKUP_URL'] === undefined ? join(dataDir, 'backups') : undefined,
    )
    using restored = new DatabaseSync(join(target, 'data/svc.sqlite'))
    assert.deepEqual(Object.values(restored.prepare('pragma integrity_check').get() ?? {}), ['ok'])
    return Number(restored.prepare('select count(*) as rows from secrets').get()?.['rows'])
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

const items = async () =>
  itemsOf(await (await openStore(readSettings({ SVC_DATA_DIR: dataDir, ...variables }))).list(''))
const generations = async () => new Set((await items()).map(({ generation }) => generation)).size
const runs = async () => new Set((await items()).map(({ run }) => run)).size

test('[OPS-25] the database of every stored moment can be restored, across restarts of the log', async () => {
  await open({ logLimits: { checkpointEveryBytes: 50_000, checkpointPauseMs: 0, truncateAtBytes: 400_000 } })
  const moments = new Map<string, number>()
  for (let round = 0; round < 12; round++) {
    await add(round % 3 === 0 ? 1 : 40, round % 4 === 1 ? 20_000 : 200)
    moments.set(await stored(), written)
  }
  await db?.close()

  assert.ok((await runs()) > 1, 'the log was never restarted')
  assert.equal(await generations(), 1)
  for (const [at, rows] of moments) assert.equal(await rowsAt(at), rows, at)
  assert.deepEqual(lines, [])
})

test('[OPS-26] a time that is not stored is refused with the times that are, and nothing is changed', async () => {
  await open()
  await add(1)
  const at = await stored()
  await db?.close()
  const from = join(dataDir, 'backups')
  const target = join(dataDir, 'new')
  const restore = (time: string) => restoreAt(readSettings({ SVC_DATA_DIR: target }), time, from)

  const iso = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
  const range = new RegExp(`choose a time from ${iso} to (${iso})\\. Nothing was restored\\.$`)
  await assert.rejects(restore('2020-01-01T00:00:00Z'), range)
  const refused = await restore('2120-01-01T00:00:00+02:00').then(
    () => 'restored',
    (error: Error) => error.message,
  )
  assert.match(refused, range)
  await assert.rejects(restore('yesterday'), /--at must be a time with its time zone/)
  await assert.rejects(
    restoreAt(readSettings({ SVC_DATA_DIR: target }), at, target),
    /There are no copies of the log/,
  )
  await assert.rejects(rowsAt(at, dataDir), /is not empty/)
  assert.equal(existsSync(target), false)

  const [, newest = ''] = range.exec(refused) ?? []
  assert.equal(await rowsAt(newest), 1)
})

test('a segment that is missing, cut or changed is never restored', async () => {
  await open()
  const moments: string[] = []
  for (let round = 0; round < 4; round++) {
    await add(10)
    moments.push(await stored())
  }
  await db?.close()
  const points = (await items()).filter(({ kind }) => kind === 'wal')
  const [, second = ''] = moments
  const damaged = points.findLast(({ at }) => at <= second)
  assert.ok(damaged)
  const file = join(walFolder(), damaged.name)
  const bytes = readFileSync(file)

  for (const [length, flipped] of [
    [bytes.length - 1, -1],
    [bytes.length >> 1, -1],
    [10, -1],
    [0, -1],
    [bytes.length, 20],
    [bytes.length, bytes.length - 5],
  ] as const) {
    const changed = Buffer.from(bytes.subarray(0, length))
    if (flipped >= 0) changed[flipped] = (changed[flipped] ?? 0) ^ 1
    writeFileSync(file, changed)
    await assert.rejects(
      rowsAt(second),
      /is damaged|does not continue/,
      `${length} bytes, changed at ${flipped}`,
    )
  }
  rmSync(file)
  await assert.rejects(rowsAt(second), /choose a time from .* to/)
  const [first = ''] = moments
  const restorable = points.filter(({ number }) => number < damaged.number).length > 0
  if (restorable && first < damaged.at) assert.equal(await rowsAt(first).catch(() => 10), 10)
})

test('[OPS-27] a service that stops and starts goes on with the generation; after a change by somebody else it begins another', async () => {
  await open()
  await add(5)
  const before = await stored()
  await db?.close()
  await open()
  await add(5)
  const after = await stored()
  await db?.close()
  assert.equal(await generations(), 1)
  assert.deepEqual([await rowsAt(before), await rowsAt(after)], [5, 10])

  using other = new DatabaseSync(path())
  other.exec(`insert into secrets (id, sealed, "updatedAt") values ('by hand', '', '')`)
  other.close()
  written++
  await open()
  await add(5)
  const last = await stored()
  await db?.close()
  assert.equal(await generations(), 2)
  assert.deepEqual([await rowsAt(before), await rowsAt(after), await rowsAt(last)], [5, 10, 16])
})

test('[OPS-28] a store that fails is reported once, writes go on, and the log is kept only up to its limit', async () => {
  const logBytesMax = 2 * MIB
  await open({
    shipping: { logBytesMax },
    logLimits: { checkpointEveryBytes: 200_000, checkpointPauseMs: 0, truncateAtBytes: 500_000 },
  })
  await add(5)
  const before = await stored()
  // A file in the place of the folder: nothing can be stored.
  const [generation = ''] = readdirSync(walFolder())
  renameSync(walFolder(), `${walFolder()}.away`)
  writeFileSync(walFolder(), '')

  let largest = 0
  for (let round = 0; round < 60; round++) {
    await add(10, 10_000)
    largest = Math.max(largest, statSync(`${path()}-wal`).size)
  }
  assert.ok(largest > 1.5 * MIB, `the log was restarted at ${largest} bytes`)
  assert.ok(largest < logBytesMax + 2 * MIB, `the log reached ${largest} bytes`)
  await until(() => shipping.status().lastError !== null)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /cannot be copied; writes go on/)

  rmSync(walFolder())
  renameSync(`${walFolder()}.away`, walFolder())
  await add(5)
  const after = await stored()
  assert.deepEqual([lines.length, shipping.status().lastError], [2, null])
  await db?.close()
  assert.notDeepEqual(readdirSync(walFolder()), [generation])
  assert.deepEqual([await rowsAt(before), await rowsAt(after)], [5, 610])
})

test('[OPS-28] shipping never takes the last space of the disk', async () => {
  const store = createFolderStore(join(dataDir, 'full'), { freeBytesMin: 2 ** 60 })
  await assert.rejects(store.put('a/b', Buffer.alloc(1)), NoSpaceError)
  assert.deepEqual(await store.list(''), [])
  assert.deepEqual(readdirSync(join(dataDir, 'full'), { recursive: true }), [])
})

/** From now on copies are stored there. */
async function useS3(t: TestContext) {
  const server = await startS3Server()
  t.after(() => server.close())
  variables = {
    SVC_BACKUP_URL: server.url,
    SVC_BACKUP_KEY: 'ab'.repeat(32),
    SVC_BACKUP_ACCESS_KEY_ID: s3Credentials.accessKeyId,
    SVC_BACKUP_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
  }
}

for (const place of ['the data folder', 'S3'])
  test(`[OPS-29] a new snapshot replaces the oldest one when the copies in ${place} have become too large`, async (t) => {
    if (place === 'S3') await useS3(t)
    await open({
      shipping: {
        limits: { keepMs: DAY_MS, snapshotEveryMs: DAY_MS, snapshotRetryMs: 0, bytesMax: 100_000 },
      },
      logLimits: { checkpointEveryBytes: 200_000, checkpointPauseMs: 0, truncateAtBytes: 500_000 },
    })
    const oldest = async () => (await items()).find(({ kind }) => kind === 'json')?.number
    await add(1)
    const first = await stored()
    const firstSnapshot = await oldest()
    for (let round = 0; round < 200 && (await oldest()) === firstSnapshot; round++) {
      const noise = randomBytes(20_000).toString('base64')
      await db?.run(write, { id: `noise ${round}`, sealed: noise })
      await stored()
      written++
    }
    assert.notEqual(await oldest(), firstSnapshot)
    await add(1)
    const last = await stored()
    await db?.close()
    assert.equal(await rowsAt(last), written)
    await assert.rejects(rowsAt(first), /choose a time from/)
  })

test('[OPS-25] [OPS-58] copies in S3 are sealed, and can be restored with the key only', async (t) => {
  await useS3(t)
  await open()
  await add(20)
  const first = await stored()
  await add(20)
  const last = await stored()
  await db?.close()

  assert.equal(existsSync(walFolder()), false)
  assert.deepEqual([await rowsAt(first), await rowsAt(last)], [20, 40])
  variables['SVC_BACKUP_KEY'] = 'cd'.repeat(32)
  await assert.rejects(rowsAt(first), /is sealed with the key/)
})
