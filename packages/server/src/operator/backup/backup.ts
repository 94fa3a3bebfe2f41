import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, open, opendir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { copySqlite } from '../../engines/database/sqlite/copy.ts'
import { namedBodies } from '../../engines/functions/workerd/data/named-bodies.ts'
import type { Settings } from '../../settings.ts'
import { appendChecksum, requireChecksum } from './checksum.ts'
import { createStaging, removeLeftStaging } from './staging.ts'
import { pack, unpack } from './tar.ts'

type DataSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'blobs' | 'secretKey' | 'functions'>

const DATABASE = 'svc.sqlite'
const SECRET_KEY = 'secret.key'
const BLOBS = 'blobs'
const FUNCTIONS = 'functions'
/** SQLite's files next to a database: a copy of the database includes their content. */
const BESIDE_DATABASE = /-(?:wal|shm|journal)$/
/** Uploads in progress: they are not confirmed to any client yet. */
const UNFINISHED = `${BLOBS}/~incoming`
/** In the data folder while a backup is unpacked. */
const RESTORING = 'restoring-'
/** A volume that was just created contains this folder. */
const OF_THE_VOLUME = 'lost+found'
/** The content of a file of functions stays for an hour after it was replaced; if that was too short, all is copied again. */
const ATTEMPTS_MAX = 3

/**
 * Writes the data folder to one tar file, also while the service runs. Returns what the file does not contain. Throws if the content
 * of a file of functions is missing, unless `mayLackFiles`.
 */
export async function backUp(
  settings: DataSettings,
  path: string,
  { mayLackFiles = false } = {},
): Promise<string[]> {
  const { dataDir, databaseUrl, blobs, secretKey, functions } = settings
  const file = resolve(path)
  refusePostgres(databaseUrl, 'pg_dump')
  if (!existsSync(join(dataDir, DATABASE)))
    throw new Error(`There is no database in ${dataDir}. Check SVC_DATA_DIR.`)
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name.`)
  await removeLeftStaging(dataDir)

  const draft = `${file}.part`
  let lost: string[] = []
  try {
    for (let attempt = 1; ; attempt++) {
      lost = await writeArchive(settings, draft)
      if (lost.length === 0 || (mayLackFiles && attempt > 1)) break
      if (attempt === ATTEMPTS_MAX) throw new Error(withoutContent(lost))
    }
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return [
    ...(secretKey ? ['SVC_SECRET_KEY: without it nobody can read the secrets in this file'] : []),
    ...(blobs.url ? ['the files in SVC_BLOBS_URL'] : []),
    ...(functions.folder === join(dataDir, FUNCTIONS) ? [] : ['the data of functions in FUNCTIONS_DIR']),
    ...(lost.length > 0 ? [withoutContent(lost)] : []),
  ]
}

/** Returns the files of functions whose content is not in the archive. */
async function writeArchive(settings: DataSettings, draft: string): Promise<string[]> {
  const { dataDir, blobs, functions } = settings
  await using prepared = await createStaging(dataDir)
  const staging = prepared.folder
  // Copies files after the database, so that every file that the copy refers to exists.
  await copySqlite(join(dataDir, DATABASE), join(staging, DATABASE))
  const hasFunctions = functions.folder === join(dataDir, FUNCTIONS) && existsSync(functions.folder)
  if (hasFunctions) await copyFunctions(functions.folder, join(staging, FUNCTIONS))
  const missing = new Map<string, string>()
  if (hasFunctions && !blobs.url)
    for (const { blob, dataId, key } of namedBodies(join(staging, FUNCTIONS)))
      missing.set(`${BLOBS}/${blob}`, `${key} in ${dataId}`)

  await rm(draft, { force: true })
  await using tar = await open(draft, 'wx+', 0o600)
  await pack(
    tar,
    [
      { folder: staging, names: hasFunctions ? [DATABASE, FUNCTIONS] : [DATABASE] },
      {
        folder: dataDir,
        names: [SECRET_KEY, BLOBS].filter((name) => existsSync(join(dataDir, name))),
      },
    ],
    { exclude: UNFINISHED, onName: (name) => missing.delete(name) },
  )
  await appendChecksum(tar)
  await tar.sync()
  return [...new Set(missing.values())]
}

const withoutContent = (lost: readonly string[]) =>
  `The content of ${lost.length} ${lost.length === 1 ? 'file' : 'files'} of functions is missing in ${BLOBS}/, for example ${lost[0]}. ` +
  `Such a file cannot be read in the service either: delete it, or back up the rest with --incomplete.`

/** Restores a data folder from such a file; never overwrites an existing one. */
export async function restore({ dataDir, databaseUrl }: DataSettings, path: string): Promise<void> {
  const file = resolve(path)
  refusePostgres(databaseUrl, 'pg_restore')
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const present = await readdir(dataDir).catch(() => undefined)
  // A restore that was killed while it unpacked.
  const leftovers = present?.filter((name) => name.startsWith(RESTORING)) ?? []
  if (present?.some((name) => name !== OF_THE_VOLUME && !leftovers.includes(name)))
    throw new Error(`${dataDir} is not empty. Move its content away, or set SVC_DATA_DIR to another folder.`)

  await using tar = await open(file)
  await requireChecksum(tar, file)
  try {
    for (const name of leftovers) await rm(join(dataDir, name), { recursive: true })
    await mkdir(dataDir, { recursive: true })
    // In the data folder, because that may be a volume of its own, and nothing else may be writable.
    const staging = await mkdtemp(join(dataDir, RESTORING))
    try {
      await unpack(tar, staging)
      requireIntact(join(staging, DATABASE), file)
      if (existsSync(join(staging, SECRET_KEY))) await chmod(join(staging, SECRET_KEY), 0o600)
      // The database last: without it nothing counts as restored.
      const names = (await readdir(staging)).filter((name) => name !== DATABASE)
      for (const name of [...names, DATABASE]) await rename(join(staging, name), join(dataDir, name))
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  } catch (error) {
    if (present === undefined) await rmdir(dataDir).catch(() => {})
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${basename(file)} could not be restored to ${dataDir}: ${reason}`, { cause: error })
  }
}

function refusePostgres(databaseUrl: string | undefined, tool: string) {
  if (databaseUrl)
    throw new Error(
      `The data is in PostgreSQL (DATABASE_URL): use ${tool}, and copy ${BLOBS}/, ${FUNCTIONS}/ (or FUNCTIONS_DIR) and ${SECRET_KEY} of the data folder.`,
    )
}

/**
 * Copies databases, KV, queues, objects and names of files of every environment, each in a consistent state. A file that the service
 * removes meanwhile is left out.
 */
async function copyFunctions(from: string, to: string) {
  await mkdir(to)
  for (const dataId of await readdir(from))
    for await (const path of filesIn(join(from, dataId, 'data'))) {
      const copy = join(to, relative(from, path))
      await mkdir(dirname(copy), { recursive: true })
      try {
        if (path.endsWith('.sqlite')) await copySqlite(path, copy)
        else await copyFile(path, copy)
      } catch (error) {
        if (existsSync(path)) throw error
        await rm(copy, { force: true })
      }
    }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* filesIn(path)
      else if (entry.isFile() && !BESIDE_DATABASE.test(entry.name)) yield path
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (existsSync(folder) || (code !== 'ENOENT' && code !== 'ENOTDIR')) throw error
  }
}

function requireIntact(path: string, file: string) {
  if (!existsSync(path)) throw new Error(`${file} is not an svc backup: it does not contain ${DATABASE}.`)
  // Immutable: SQLite creates no files while it reads.
  using database = new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })
  const [result] = Object.values(database.prepare('pragma quick_check').get() ?? {})
  if (result !== 'ok') throw new Error(`The database in ${file} is damaged: ${String(result)}`)
}
