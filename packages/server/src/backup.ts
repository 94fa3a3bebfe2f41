import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
} from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

import { appendChecksum, requireChecksum } from './backup-checksum.ts'
import type { Settings } from './settings.ts'

type DataSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'blobs' | 'secretKey' | 'functions'>

const DATABASE = 'svc.sqlite'
const SECRET_KEY = 'secret.key'
const BLOBS = 'blobs'
const FUNCTIONS = 'functions'
/** SQLite's files next to a database: a copy of the database includes their content. */
const BESIDE_DATABASE = /-(?:wal|shm|journal)$/
/** Uploads in progress: they are not confirmed to any client yet. */
const UNFINISHED = `${BLOBS}/~incoming`

/** Writes the data folder to one tar file, also while the service runs. Returns what the file does not contain. */
export async function backUp(settings: DataSettings, path: string): Promise<string[]> {
  const { dataDir, databaseUrl, blobs, secretKey, functions } = settings
  const file = resolve(path)
  refusePostgres(databaseUrl, 'pg_dump')
  if (!existsSync(join(dataDir, DATABASE)))
    throw new Error(`There is no database in ${dataDir}. Check SVC_DATA_DIR.`)
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name.`)

  const draft = `${file}.part`
  const staging = await mkdtemp(join(dataDir, 'backup-'))
  try {
    // Copies files after the database, so that every file that the copy refers to exists, unless it was deleted in the meantime.
    await copyDatabase(join(dataDir, DATABASE), join(staging, DATABASE))
    const hasFunctions = functions.folder === join(dataDir, FUNCTIONS) && existsSync(functions.folder)
    if (hasFunctions) await copyFunctions(functions.folder, join(staging, FUNCTIONS))
    const copied = hasFunctions ? [DATABASE, FUNCTIONS] : [DATABASE]
    const kept = [SECRET_KEY, BLOBS].filter((name) => existsSync(join(dataDir, name)))
    await using tar = await open(draft, 'wx+', 0o600)
    await runTar(
      ['-c', `--exclude=${UNFINISHED}`, '-f', '-', '-C', staging, ...copied, '-C', dataDir, ...kept],
      { output: tar },
    )
    await appendChecksum(tar)
    await tar.sync()
    await rename(draft, file)
  } finally {
    await rm(staging, { recursive: true })
    await rm(draft, { force: true })
  }
  return [
    ...(secretKey ? ['SVC_SECRET_KEY: without it nobody can read the secrets in this file'] : []),
    ...(blobs.url ? ['the files in SVC_BLOBS_URL'] : []),
    ...(functions.folder === join(dataDir, FUNCTIONS) ? [] : ['the data of functions in FUNCTIONS_DIR']),
  ]
}

/** Restores a data folder from such a file; never overwrites an existing one. */
export async function restore({ dataDir, databaseUrl }: DataSettings, path: string): Promise<void> {
  const file = resolve(path)
  refusePostgres(databaseUrl, 'pg_restore')
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const present = await readdir(dataDir).catch(() => [])
  if (present.length > 0)
    throw new Error(`${dataDir} is not empty. Move it away, or set SVC_DATA_DIR to another folder.`)

  await using tar = await open(file)
  await requireChecksum(tar, file)
  await mkdir(dirname(dataDir), { recursive: true })
  const staging = await mkdtemp(`${dataDir}.restoring-`)
  try {
    await runTar(['-x', '-f', '-', '-C', staging], { input: tar })
    requireIntact(join(staging, DATABASE), file)
    if (existsSync(join(staging, SECRET_KEY))) await chmod(join(staging, SECRET_KEY), 0o600)
    await rmdir(dataDir).catch(() => {})
    await rename(staging, dataDir)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

function refusePostgres(databaseUrl: string | undefined, tool: string) {
  if (databaseUrl)
    throw new Error(
      `The data is in PostgreSQL (DATABASE_URL): use ${tool}, and copy ${BLOBS}/, ${FUNCTIONS}/ (or FUNCTIONS_DIR) and ${SECRET_KEY} of the data folder.`,
    )
}

async function copyDatabase(from: string, to: string) {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(source, to)
  } finally {
    source.close()
  }
}

/** Copies databases, KV, queues, objects and names of files of every environment, each in a consistent state. */
async function copyFunctions(from: string, to: string) {
  await mkdir(to)
  for (const dataId of await readdir(from)) {
    const data = join(from, dataId, 'data')
    const entries = await readdir(data, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (!entry.isFile() || BESIDE_DATABASE.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      const copy = join(to, relative(from, path))
      await mkdir(dirname(copy), { recursive: true })
      if (entry.name.endsWith('.sqlite')) await copyDatabase(path, copy)
      else await copyFile(path, copy)
    }
  }
}

function requireIntact(path: string, file: string) {
  if (!existsSync(path)) throw new Error(`${file} is not an svc backup: it does not contain ${DATABASE}.`)
  // Immutable: SQLite creates no files while it reads.
  const database = new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })
  try {
    const [result] = Object.values(database.prepare('pragma quick_check').get() ?? {})
    if (result !== 'ok') throw new Error(`The database in ${file} is damaged: ${String(result)}`)
  } finally {
    database.close()
  }
}

/** Passes open files, because tar would interpret a name with a colon as a remote host. */
async function runTar(
  args: readonly string[],
  { input, output }: { input?: FileHandle; output?: FileHandle },
) {
  const tar = spawn('tar', args, { stdio: [input?.fd ?? 'ignore', output?.fd ?? 'ignore', 'pipe'] })
  tar.on('error', () => {})
  if (!tar.stderr) throw new Error('tar could not be started.')
  const [[code], complaint] = await Promise.all([once(tar, 'exit'), text(tar.stderr)])
  // Exit code 1: a file changed while it was read, for example because the running service deleted it.
  if (code !== 0 && !(code === 1 && output)) throw new Error(`tar failed: ${complaint.trim()}`)
}
