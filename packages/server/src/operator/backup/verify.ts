import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Blobs } from '../../engines/blobs/blobs.ts'
import { systemClock, timestamp } from '../../platform/clock.ts'
import { randomBase32, systemRandom } from '../../platform/random.ts'
import { keyIdOf, parseSecretKeys } from '../../platform/security/vault.ts'
import { readSettings } from '../../settings.ts'
import { DUMP_FILE, SQLITE_FILE } from './archive/database-facts.ts'
import { countRows, damageOf, openImmutable } from './archive/database.ts'
import { filesIn } from './archive/functions-data.ts'
import type { Manifest } from './archive/manifest.ts'
import { readArchive } from './archive/read.ts'
import type { Report } from './places/place.ts'
import { backupKeysOf, type BackupSettings } from './settings.ts'
import { createStaging } from './staging.ts'

const BLOBS_CHECKED = 50
const FAILURES_MAX = 20
const SECRET_KEY = 'secret.key'

type Copy = { settings: BackupSettings; folder: string; manifest: Manifest }
type Problems = Pick<Report, 'failures' | 'notices'>
type StoredBlob = { key: string; sha256: string }

/**
 * Reads a backup as a restore would, and starts a service on it that does nothing but answer. `workDir` is a folder with space for a
 * copy of the database.
 */
export async function verifyArchive(
  settings: BackupSettings,
  bytes: AsyncIterable<Buffer>,
  workDir: string,
): Promise<Report & { manifest: Manifest | undefined }> {
  const problems: Problems = { failures: [], notices: [] }
  let manifest: Manifest | undefined
  try {
    await using staging = await createStaging(workDir)
    const { folder } = staging
    const isUnpacked = (name: string) => !name.startsWith('blobs/')
    manifest = await readArchive(bytes, {
      keys: backupKeysOf(settings),
      pathOf: (name) => (isUnpacked(name) ? join(folder, name) : undefined),
    })
    problems.notices.push(...manifest.missing)
    await checkFunctions(folder, problems)
    const copy = { settings, folder, manifest }
    if (manifest.engine === 'sqlite') await checkSqlite(copy, problems)
    else await checkDump(copy, problems)
  } catch (error) {
    problems.failures.push(error instanceof Error ? error.message : String(error))
  }
  const failures = problems.failures.slice(0, FAILURES_MAX)
  const verifiedAt = failures.length === 0 ? timestamp(systemClock) : null
  return { verifiedAt, failures, notices: problems.notices.slice(0, FAILURES_MAX), manifest }
}

async function checkSqlite(copy: Copy, problems: Problems) {
  const path = join(copy.folder, SQLITE_FILE)
  const damage = damageOf(path)
  if (damage !== undefined) return void problems.failures.push(`its database is damaged: ${damage}`)
  let blobs: StoredBlob[]
  {
    using database = openImmutable(path)
    compareCounts(copy.manifest, countRows(database), problems)
    blobs = database.prepare(SOME_BLOBS).all() as StoredBlob[]
  }
  await checkBlobs(copy, blobs, problems)
  await checkService(copy, undefined, problems)
}

const SOME_BLOBS = `select key, sha256 from hosting_blobs where state = 'stored' order by random() limit ${BLOBS_CHECKED}`

async function checkDump(copy: Copy, problems: Problems) {
  const { settings, folder, manifest } = copy
  const { countDumpedRows, createScratchDatabase, queryAll, restoreDump } =
    await import('./archive/postgres.ts')
  const dump = join(folder, DUMP_FILE)
  compareCounts(manifest, await countDumpedRows(dump), problems)
  const { databaseUrl } = settings
  if (databaseUrl === undefined)
    return void problems.notices.push('Its chains were not checked: that needs DATABASE_URL.')
  const name = `svc_verify_${manifest.installation.toLowerCase()}_${randomBase32(systemRandom, 8)}`
  await using scratch = await createScratchDatabase(databaseUrl, name)
  if (!scratch)
    return void problems.notices.push(
      'Its chains were not checked, and no service was started on it: the role in DATABASE_URL may not create databases (alter role … createdb).',
    )
  await restoreDump(scratch.url, dump)
  await checkBlobs(copy, (await queryAll(scratch.url, SOME_BLOBS)) as StoredBlob[], problems)
  await checkService(copy, scratch.url, problems)
}

function compareCounts({ tables }: Manifest, counted: Record<string, number>, { failures }: Problems) {
  for (const [name, rows] of Object.entries(tables))
    if (counted[name] !== rows)
      failures.push(`its table ${name} has ${counted[name] ?? 'no'} rows, not ${rows}`)
}

/** The service has the same damage: that is no reason to keep no backup of everything else. */
async function checkFunctions(folder: string, { notices }: Problems) {
  for await (const path of filesIn(join(folder, 'functions'))) {
    const damage = path.endsWith('.sqlite') ? damageOf(path) : undefined
    if (damage !== undefined)
      notices.push(`The database of functions ${path.slice(folder.length + 1)} is damaged: ${damage}`)
  }
}

async function checkBlobs({ settings, manifest }: Copy, blobs: readonly StoredBlob[], problems: Problems) {
  if (manifest.hasBlobs) {
    for (const { key, sha256 } of blobs) {
      const found = manifest.files[`blobs/${key}`]
      if (found && found.sha256 !== sha256)
        problems.failures.push(`its file blobs/${key} has other bytes than it had`)
      else if (!found && manifest.missing.length === 0)
        problems.failures.push(`its file blobs/${key} is missing`)
    }
    return
  }
  const { url, credentials } = settings.blobs
  if (url === undefined || !credentials)
    return void problems.notices.push(
      'The files of the service are in S3; they were not checked, because SVC_BLOBS_URL is not set.',
    )
  const { openS3 } = await import('../../engines/blobs/s3.ts')
  const store = await openS3(url, credentials, undefined)
  try {
    for (const { key, sha256 } of blobs)
      if ((await hashOf(store, key)) !== sha256)
        problems.failures.push(`the file ${key} in SVC_BLOBS_URL is missing or has other bytes`)
  } finally {
    await store.close()
  }
}

async function hashOf(store: Blobs, key: string): Promise<string | undefined> {
  const blob = await store.open(key)
  if (!blob) return undefined
  const hash = createHash('sha256')
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** Starts a service on the copy that has no effect outside: no mail, no webhooks, no functions, no jobs, no Redis, no S3. */
async function checkService(
  { settings, folder, manifest }: Copy,
  databaseUrl: string | undefined,
  problems: Problems,
) {
  const secretKey = await secretKeyFor(settings, folder, manifest)
  if (secretKey === undefined)
    return void problems.notices.push(
      `Its chains were not checked, and no service was started on it: that needs the secret key ${manifest.secretKeyId ?? ''}.`,
    )
  const { openService } = await import('../../service.ts')
  const copied = readSettings({
    SVC_DATA_DIR: folder,
    SVC_SECRET_KEY: secretKey,
    LOG_LEVEL: 'silent',
    LOG_FORMAT: 'json',
    SVC_BILLING: 'off',
    SVC_CARDS: 'off',
    TURN_PROVIDER: 'none',
    SVC_BACKUP_HOURS: '0',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  })
  const service = await openService(copied, { isCopy: true })
  try {
    for (const broken of (await service.audit.verify()).broken)
      problems.failures.push(`its audit chain ${broken}`)
    for (const mismatch of await service.money.verifyLedger())
      problems.failures.push(`its money ledger: ${mismatch}`)
    const address = await service.http.listen({ host: '127.0.0.1', port: 0 })
    const { status } = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(10_000) })
    if (status !== 200)
      problems.failures.push(`a service that was started on it answered ${status} to /readyz`)
  } finally {
    await service.close()
  }
}

/** The key of the backup, from the backup itself, the settings or the data folder. */
async function secretKeyFor(settings: BackupSettings, folder: string, { secretKeyId }: Manifest) {
  const inFile = async (path: string) => (existsSync(path) ? readFile(path, 'utf8') : undefined)
  for (const text of [
    await inFile(join(folder, SECRET_KEY)),
    settings.secretKey,
    await inFile(join(settings.dataDir, SECRET_KEY)),
  ]) {
    const keys = text === undefined ? undefined : parseSecretKeys(text)
    if (keys && [keys.current, ...keys.previous].some((key) => keyIdOf(key) === secretKeyId))
      return text?.trim()
  }
  return undefined
}
