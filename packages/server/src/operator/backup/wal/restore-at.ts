import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

import { createFolder } from '../../private-data.ts'
import { SQLITE_FILE } from '../archive/database-facts.ts'
import { damageOf } from '../archive/database.ts'
import { openFolderPlace } from '../places/folder.ts'
import { openPlace } from '../places/open.ts'
import { restore } from '../restore.ts'
import type { BackupSettings } from '../settings.ts'
import { planFor, type Range } from './history.ts'
import { WAL_FOLDER } from './names.ts'
import { openStore } from './open-store.ts'
import { replay } from './replay.ts'

export type RestoredAt = { at: string; notes: string[] }

const BACKUPS = 'backups'
const FUNCTIONS = 'functions'
const SECRET_KEY = 'secret.key'
const RESTORING = 'restoring-'
const OF_THE_VOLUME = 'lost+found'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Restores the database of one moment from the copies of its log, and everything else from the newest backup before it. `from`: the folder
 * of backups, or one backup in it; by default SVC_BACKUP_URL, or `backups/` in the data folder. Nothing is changed if there is no copy of
 * that moment.
 */
export async function restoreAt(settings: BackupSettings, time: string, from?: string): Promise<RestoredAt> {
  const { dataDir, databaseUrl } = settings
  if (databaseUrl)
    throw new Error('The data is in PostgreSQL (DATABASE_URL): use its own archive of the log.')
  const atMs = TIME.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(atMs))
    throw new Error('--at must be a time with its time zone, such as 2026-11-17T18:30:00Z.')
  const source = await sourceOf(settings, from)
  await requireEmpty(dataDir, source.folder)

  const store = await openStore(settings, source.folder)
  try {
    const plan = planFor(await store.list(''), new Date(atMs).toISOString())
    if (Array.isArray(plan)) throw new Error(refusal(time, plan, source.folder))
    const at = plan.segments.at(-1)?.at ?? plan.snapshot.at
    const archive = source.archive ?? (await newestArchive(settings, source.folder, at))
    const notes: string[] = []
    await fillFolder(dataDir, async (staging) => {
      if (archive !== undefined) notes.push(...(await restore(withFolder(settings, staging), archive)))
      await rm(join(staging, SQLITE_FILE), { force: true })
      await replay(store, plan, join(staging, SQLITE_FILE))
      const damage = damageOf(join(staging, SQLITE_FILE))
      if (damage !== undefined) throw new Error(`The restored database is damaged: ${damage}`)
      notes.forEach((note, index) => (notes[index] = note.replaceAll(staging, dataDir)))
    })
    const missing =
      archive === undefined
        ? withoutArchive(settings)
        : [`changes of files and of the data of functions after the backup ${basename(archive)}`]
    return { at, notes: [...missing.map((what) => `Not restored: ${what}`), ...notes] }
  } finally {
    await store.close()
  }
}

/** The folder is undefined if the copies are in SVC_BACKUP_URL. */
async function sourceOf(
  { dataDir, backup }: BackupSettings,
  from: string | undefined,
): Promise<{ folder: string | undefined; archive?: string }> {
  if (from === undefined) return { folder: backup.url === undefined ? join(dataDir, BACKUPS) : undefined }
  const path = resolve(from)
  const isFile = (await stat(path).catch(() => undefined))?.isFile() === true
  return isFile ? { folder: dirname(path), archive: path } : { folder: path }
}

const withFolder = (settings: BackupSettings, dataDir: string): BackupSettings => ({
  ...settings,
  dataDir,
  functions:
    settings.functions.folder === join(settings.dataDir, FUNCTIONS)
      ? { ...settings.functions, folder: join(dataDir, FUNCTIONS) }
      : settings.functions,
})

function refusal(time: string, ranges: readonly Range[], folder: string | undefined): string {
  const where = folder === undefined ? 'SVC_BACKUP_URL' : join(folder, WAL_FOLDER)
  if (ranges.length === 0) return `There are no copies of the log in ${where}. Nothing was restored.`
  const shown = ranges.map(({ from, to }) => `from ${from} to ${to}`).join(', or ')
  return `The database of ${time} cannot be restored: choose a time ${shown}. Nothing was restored.`
}

/** The secret key may be there already: it is not in backups that are not sealed. */
async function requireEmpty(dataDir: string, source: string | undefined) {
  const present = await readdir(dataDir).catch(() => [])
  const isOther = (name: string) =>
    name !== OF_THE_VOLUME &&
    name !== SECRET_KEY &&
    !name.startsWith(RESTORING) &&
    join(dataDir, name) !== source
  if (present.some(isOther))
    throw new Error(`${dataDir} is not empty. Move its content away, or set SVC_DATA_DIR to another folder.`)
}

/** Its path, or its name in SVC_BACKUP_URL. A backup whose verification failed does not count. */
async function newestArchive(settings: BackupSettings, folder: string | undefined, at: string) {
  await using place = folder === undefined ? await openPlace(settings) : openFolderPlace(folder)
  const newest = (await place.list()).find(
    ({ createdAt, report }) => createdAt <= at && (report === undefined || report.verifiedAt !== null),
  )
  return newest && (folder === undefined ? newest.name : join(folder, newest.name))
}

/** Moves what `fill` writes into the folder, the database last: without it nothing counts as restored. */
async function fillFolder(dataDir: string, fill: (staging: string) => Promise<void>) {
  const isNew = !existsSync(dataDir)
  await createFolder(dataDir)
  for (const name of await readdir(dataDir))
    if (name.startsWith(RESTORING)) await rm(join(dataDir, name), { recursive: true })
  const staging = await mkdtemp(join(dataDir, RESTORING))
  try {
    await fill(staging)
    if (existsSync(join(staging, SECRET_KEY)) && existsSync(join(dataDir, SECRET_KEY)))
      throw new Error(
        `${join(dataDir, SECRET_KEY)} exists, and the backup contains another one. Move it away.`,
      )
    const names = (await readdir(staging)).filter((name) => name !== SQLITE_FILE)
    for (const name of [...names, SQLITE_FILE]) await rename(join(staging, name), join(dataDir, name))
  } finally {
    await rm(staging, { recursive: true, force: true })
    // Only if it is empty.
    if (isNew) await rmdir(dataDir).catch(() => {})
  }
}

const withoutArchive = ({ blobs, secretKey, functions, dataDir }: BackupSettings) => [
  'everything but the database, because there is no backup from before that time',
  ...(secretKey
    ? []
    : [`${SECRET_KEY}: put that of the old data folder into ${dataDir}, the service needs it`]),
  ...(blobs.url ? [] : ['blobs/: the files of hosted apps and of functions']),
  ...(functions.folder === join(dataDir, FUNCTIONS) ? [`${FUNCTIONS}/: the data of functions`] : []),
]
