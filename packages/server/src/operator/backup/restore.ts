import { createReadStream, existsSync } from 'node:fs'
import { chmod, mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

import { createFolder } from '../private-data.ts'
import { DUMP_FILE, SQLITE_FILE } from './archive/database-facts.ts'
import { damageOf } from './archive/database.ts'
import type { Manifest } from './archive/manifest.ts'
import { readArchive } from './archive/read.ts'
import { openPlace } from './places/open.ts'
import { backupKeysOf, type BackupSettings } from './settings.ts'

const SECRET_KEY = 'secret.key'
const FUNCTIONS = 'functions'
/** In the data folder while a backup is unpacked. */
const RESTORING = 'restoring-'
/** A volume that was just created contains this folder. */
const OF_THE_VOLUME = 'lost+found'
const CHUNK_BYTES = 1024 * 1024

/** A backup that can be read several times. */
export type Source = { name: string; read(): AsyncIterable<Buffer> }

/** Opens a file, or a backup by its name in SVC_BACKUP_URL; `latest` is the newest verified one. Dispose it afterwards. */
export async function openSource(
  settings: Pick<BackupSettings, 'dataDir' | 'backup'>,
  given: string,
): Promise<Source & AsyncDisposable> {
  const path = resolve(given)
  if (existsSync(path))
    return {
      name: basename(path),
      read: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
      async [Symbol.asyncDispose]() {},
    }
  const place = await openPlace(settings)
  const stored = await place.list()
  const found = stored.find(({ name, report }) =>
    given === 'latest' ? report?.verifiedAt != null : name === given,
  )
  if (found)
    return {
      name: found.name,
      read: () => place.read(found.name),
      [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
    }
  await place[Symbol.asyncDispose]()
  const where = settings.backup.url === undefined ? '' : ', and there is no such backup at SVC_BACKUP_URL'
  throw new Error(given === 'latest' ? 'There is no verified backup.' : `${path} does not exist${where}.`)
}

/**
 * Restores a data folder from a backup, and with PostgreSQL an empty database. Reads all of it before it writes anything; never
 * overwrites an existing folder or database. Returns what the operator has to do before the start.
 */
export async function restore(settings: BackupSettings, given: string): Promise<string[]> {
  await using source = await openSource(settings, given)
  await requireEmptyTarget(settings)
  const manifest = await checkedManifest(settings, source)
  const { dataDir } = settings
  if (Object.hasOwn(manifest.files, SECRET_KEY) && existsSync(join(dataDir, SECRET_KEY)))
    throw new Error(
      `${join(dataDir, SECRET_KEY)} exists, and ${source.name} contains another one. Move it away.`,
    )
  try {
    await unpackTo(settings, manifest, source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${source.name} could not be restored to ${dataDir}: ${reason}`, { cause: error })
  }
  const hasKey = Object.hasOwn(manifest.files, SECRET_KEY) || existsSync(join(dataDir, SECRET_KEY))
  return [
    ...(settings.secretKey === undefined && !hasKey && manifest.secretKeyId !== null
      ? [
          `Put secret.key of the old data folder into ${dataDir}, or set SVC_SECRET_KEY: it is not in this backup.`,
        ]
      : []),
    ...manifest.missing,
  ]
}

async function checkedManifest(settings: BackupSettings, source: Source): Promise<Manifest> {
  let manifest: Manifest
  try {
    manifest = await readArchive(source.read(), { keys: backupKeysOf(settings) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${source.name} cannot be restored: ${reason}. Nothing was restored.`, { cause: error })
  }
  const engine = settings.databaseUrl === undefined ? 'sqlite' : 'postgres'
  if (engine !== manifest.engine)
    throw new Error(
      engine === 'sqlite'
        ? `${source.name} is a backup of PostgreSQL: set DATABASE_URL to an empty database. Nothing was restored.`
        : `${source.name} is a backup of SQLite: restore it without DATABASE_URL. Nothing was restored.`,
    )
  return manifest
}

/** The secret key may be there already: it is not in backups that are not sealed. */
async function requireEmptyTarget({ dataDir, databaseUrl, functions }: BackupSettings) {
  const present = await readdir(dataDir).catch(() => [])
  if (present.some((name) => !isLeft(name) && name !== SECRET_KEY))
    throw new Error(`${dataDir} is not empty. Move its content away, or set SVC_DATA_DIR to another folder.`)
  if (functions.folder !== join(dataDir, FUNCTIONS)) {
    const there = await readdir(functions.folder).catch(() => [])
    if (there.some((name) => !isLeft(name)))
      throw new Error(
        `${functions.folder} is not empty. Move its content away, or set FUNCTIONS_DIR to another folder.`,
      )
  }
  if (databaseUrl !== undefined) await (await import('./archive/postgres.ts')).requireEmpty(databaseUrl)
}

/** Of the volume, or of a restore that was killed while it unpacked. */
const isLeft = (name: string) => name === OF_THE_VOLUME || name.startsWith(RESTORING)

async function unpackTo(settings: BackupSettings, manifest: Manifest, source: Source) {
  const { dataDir, databaseUrl, functions } = settings
  const hasOwnFolder = functions.folder !== join(dataDir, FUNCTIONS)
  // In the folders themselves, because each may be a volume of its own, and nothing else may be writable.
  await using data = await stagingIn(dataDir)
  await using ofFunctions = hasOwnFolder ? await stagingIn(functions.folder) : undefined
  await readArchive(source.read(), {
    keys: backupKeysOf(settings),
    pathOf: (name) =>
      ofFunctions && name.startsWith(`${FUNCTIONS}/`)
        ? join(ofFunctions.folder, name.slice(FUNCTIONS.length + 1))
        : join(data.folder, name),
  })
  const damage = manifest.engine === 'sqlite' ? damageOf(join(data.folder, SQLITE_FILE)) : undefined
  if (damage !== undefined) throw new Error(`its database is damaged: ${damage}`)
  if (existsSync(join(data.folder, SECRET_KEY))) await chmod(join(data.folder, SECRET_KEY), 0o600)
  await ofFunctions?.moveOut(() => true)
  await data.moveOut((name) => name !== SQLITE_FILE && name !== DUMP_FILE)
  // The database last: without it nothing counts as restored.
  if (databaseUrl !== undefined)
    await (await import('./archive/postgres.ts')).restoreDump(databaseUrl, join(data.folder, DUMP_FILE))
  else await data.moveOut((name) => name === SQLITE_FILE)
  data.keep()
  ofFunctions?.keep()
}

/** A folder in `folder` for files that are unpacked. Unless `keep` was called, what was moved out of it is removed again. */
async function stagingIn(folder: string) {
  const isNew = !existsSync(folder)
  await createFolder(folder)
  for (const name of await readdir(folder))
    if (name.startsWith(RESTORING)) await rm(join(folder, name), { recursive: true })
  const staging = await mkdtemp(join(folder, RESTORING))
  const moved: string[] = []
  let isKept = false
  return {
    folder: staging,
    async moveOut(isWanted: (name: string) => boolean) {
      for (const name of (await readdir(staging)).filter(isWanted)) {
        await sync(join(staging, name))
        moved.push(join(folder, name))
        await rename(join(staging, name), join(folder, name))
      }
      await sync(folder)
    },
    keep: () => void (isKept = true),
    async [Symbol.asyncDispose]() {
      await rm(staging, { recursive: true, force: true })
      if (isKept) return
      for (const path of moved) await rm(path, { recursive: true, force: true })
      if (isNew) await rmdir(folder).catch(() => {})
    },
  }
}

/** A file or folder: durable under its name. */
async function sync(path: string) {
  await using file = await open(path)
  await file.sync()
}
