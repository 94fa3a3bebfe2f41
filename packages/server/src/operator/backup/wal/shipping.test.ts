import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { columns, type Database, statement, type Tables } from '../../../engines/database/database.ts'
import { openDatabase } from '../../../engines/database/open.ts'
import type { LogLimits, Sync } from '../../../engines/database/sqlite/file.ts'
import { DAY_MS, systemClock } from '../../../platform/clock.ts'
import { readSettings } from '../../../settings.ts'
import { copySqliteTemplate } from '../../../testing/databases.ts'
import { itemsOf } from './history.ts'
import { restoreAt } from './restore-at.ts'
import { createShipping, type Shipping, type ShippingOptions } from './shipping.ts'
import { createFolderStore } from './store.ts'

const write = statement((q, secret: Pick<Tables['secrets'], 'id' | 'sealed'>) =>
  q.insertInto('secrets').values({ ...columns(secret, ['id', 'sealed']), updatedAt: '' }),
)

const MIB = 1024 * 1024
let dataDir: string
let db: Database | undefined
let shipping: Shipping
let lines: string[]
let written: number

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-wal-'))
  await copySqliteTemplate(dataDir)
  lines = []
  written = 0
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
    folder: walFolder(),
    everyMs: 20,
    limits: { keepMs: DAY_MS, snapshotEveryMs: DAY_MS, bytesMax: 1_000 * MIB },
    now: () => systemClock.now().getTime(),
    log: (line) => lines.push(line),
    ...options,
  })
  db = await openDatabase({ dataDir, clock: systemClock, log: () => {}, sqlite: { ...sqlite, shipping } })
  return db
}

async function add(rows: number, size = 200): Promise<void> {
  const sealed = 'x'.repeat(size)
  await Promise.all(
    Array.from({ length: rows }, () => db?.run(write, { id: `row ${written++}`, sealed })),
  )
}

async function until(holds: () => boolean) {
  for (const deadline = performance.now() + 30_000; !holds(); await sleep(5))
    assert.ok(performance.now() < deadline, `waited too long: ${JSON.stringify([shipping.status(), lines])}`)
}

/** Resolves with a moment at which exactly the rows that are written now are stored. */
async function stored(): Promise<string> {
  const writtenAt = systemClock.now().toISOString()
  await until(() => (shipping.status().storedAt ?? '') > writtenAt)
  const at = systemClock.now().toISOString()
  // The next write is in a later millisecond.
  await sleep(2)
  return at
}

/** The number of rows in the database of that moment, which has to be intact. */
async function rowsAt(at: string): Promise<number> {
  const target = mkdtempSync(join(tmpdir(), 'svc-wal-restored-'))
  try {
    await restoreAt(readSettings({ SVC_DATA_DIR: join(target, 'data') }), at, join(dataDir, 'backups'))
    using restored = new DatabaseSync(join(target, 'data/svc.sqlite'))
    assert.deepEqual(Object.values(restored.prepare('pragma integrity_check').get() ?? {}), ['ok'])
    return Number(restored.prepare('select count(*) as rows from secrets').get()?.['rows'])
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

const items = async () => itemsOf(await createFolderStore(walFolder()).list(''))
const generations = async () => new Set((await items()).map(({ generation }) => generation)).size
const runs = async () => new Set((await items()).map(({ run }) => run)).size

test('[OPS-25] the database of every stored moment can be restored, across restarts of the log', async () => {
  await open({ logLimits: { checkpointEveryBytes: 50_000, checkpointPauseMs: 0, truncateAtBytes: 400_000 } })
  const moments = new Map<string, number>()
  for (let round = 0; round < 12; round++) {
    await add(round % 3 === 0 ? 1 : 40, round % 4 === 1 ? 20_000 : 200)
    moments.set(await stored(), written)
  }
  // The last moment is that of the last segment.
  await add(1)
  await stored()
  await db?.close()

  assert.ok((await runs()) > 1, 'the log was never restarted')
  assert.equal(await generations(), 1)
  for (const [at, rows] of moments) assert.equal(await rowsAt(at), rows, at)
  assert.deepEqual(lines, [])
})
