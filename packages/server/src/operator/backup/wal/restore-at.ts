import { mkdir, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import type { Settings } from '../../../settings.ts'
import { restore } from '../backup.ts'
import { planFor, type Range } from './history.ts'
import { WAL_FOLDER } from './names.ts'
import { replay } from './replay.ts'
import { createFolderStore } from './store.ts'

type DataSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'blobs' | 'secretKey' | 'functions'>

export type RestoredAt = { at: string; notIncluded: string[] }

const BACKUPS = 'backups'
const DATABASE = 'svc.sqlite'
const FUNCTIONS = 'functions'
const RESTORING = 'restoring-'
const OF_THE_VOLUME = 'lost+found'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/
const ARCHIVE = /^svc-(?<day>\d{4}-\d\d-\d\d)T(?<time>\d\d-\d\d-\d\d)(?:-(?<ms>\d{3}))?Z\.tar(?:\.sealed)?$/

/**
 * Restores the database of one moment from the copies of its log, and everything else from the newest backup before it. `from`: the folder
 * of backups, or one backup in it. Nothing is changed if there is no copy of that moment.
 */
export async function restoreAt(settings: DataSettings, time: string, from?: string): Promise<RestoredAt> {
  const { dataDir, databaseUrl } = settings
  if (databaseUrl)
    throw new Error('The data is in PostgreSQL (DATABASE_URL): restore it with its own archive of the log.')
  const atMs = TIME.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(atMs))
    throw new Error('--at must be a time with its time zone, such as 2026-11-17T18:30:00Z.')
  const source = resolve(from ?? join(dataDir, BACKUPS))
  const isArchive = (await stat(source).catch(() => undefined))?.isFile() === true
  const folder = isArchive ? dirname(source) : source
  await requireEmpty(dataDir, folder)

  const store = createFolderStore(join(folder, WAL_FOLDER))
  const plan = planFor(await store.list(''), new Date(atMs).toISOString())
  if (Array.isArray(plan)) throw new Error(refusal(time, plan, folder))
  const at = plan.segments.at(-1)?.at ?? plan.snapshot.at
  const archive = isArchive ? source : await newestArchive(folder, at)
  await fillFolder(dataDir, async (staging) => {
    if (archive !== undefined) await restore(withFolder(settings, staging), archive)
    await rm(join(staging, DATABASE), { force: true })
    await replay(store, plan, join(staging, DATABASE))
    requireIntact(join(staging, DATABASE))
  })
  const notIncluded =
    archive === undefined
      ? withoutArchive(settings, folder)
      : [`changes of files and of the data of functions after the backup ${basename(archive)}`]
  return { at, notIncluded }
}

const withFolder = (settings: DataSettings, dataDir: string): DataSettings => ({
  ...settings,
  dataDir,
  functions:
    settings.functions.folder === join(settings.dataDir, FUNCTIONS)
      ? { ...settings.functions, folder: join(dataDir, FUNCTIONS) }
      : settings.functions,
})

function refusal(time: string, ranges: readonly Range[], folder: string): string {
  if (ranges.length === 0)
    return `There are no copies of the log in ${join(folder, WAL_FOLDER)}. Nothing was restored.`
  const shown = ranges.map(({ from, to }) => `from ${from} to ${to}`).join(', or ')
  return `The database of ${time} cannot be restored: choose a time ${shown}. Nothing was restored.`
}

async function requireEmpty(dataDir: string, source: string) {
  const present = await readdir(dataDir).catch(() => [])
  const isOther = (name: string) =>
    name !== OF_THE_VOLUME && !name.startsWith(RESTORING) && join(dataDir, name) !== source
  if (present.some(isOther))
    throw new Error(`${dataDir} is not empty. Move its content away, or set SVC_DATA_DIR to another folder.`)
}

async function newestArchive(folder: string, at: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  const newest = names
    .filter((name) => timeOf(name) <= at)
    .toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1))
    .at(-1)
  return newest === undefined ? undefined : join(folder, newest)
}

/** Later than every time if the file is no backup. */
function timeOf(name: string): string {
  const { day, time, ms = '000' } = ARCHIVE.exec(name)?.groups ?? {}
  return day && time ? `${day}T${time.replaceAll('-', ':')}.${ms}Z` : '~'
}

/** Moves what `fill` writes into the folder, the database last: without it nothing counts as restored. */
async function fillFolder(dataDir: string, fill: (staging: string) => Promise<void>) {
  const isNew = (await mkdir(dataDir, { recursive: true, mode: 0o700 })) !== undefined
  for (const name of await readdir(dataDir))
    if (name.startsWith(RESTORING)) await rm(join(dataDir, name), { recursive: true })
  const staging = await mkdtemp(join(dataDir, RESTORING))
  try {
    await fill(staging)
    const names = (await readdir(staging)).filter((name) => name !== DATABASE)
    for (const name of [...names, DATABASE]) await rename(join(staging, name), join(dataDir, name))
  } finally {
    await rm(staging, { recursive: true, force: true })
    // Only if it is empty.
    if (isNew) await rmdir(dataDir).catch(() => {})
  }
}

function requireIntact(path: string) {
  using database = new DatabaseSync(path)
  const [result] = Object.values(database.prepare('pragma quick_check').get() ?? {})
  if (result !== 'ok') throw new Error(`The restored database is damaged: ${String(result)}`)
}

const withoutArchive = ({ blobs, secretKey, functions, dataDir }: DataSettings, folder: string) => [
  `everything but the database, because ${folder} contains no backup from before that time`,
  ...(secretKey ? [] : ['secret.key: without it nobody can read the secrets in the database']),
  ...(blobs.url ? [] : ['blobs/: the files of players, apps and functions']),
  ...(functions.folder === join(dataDir, FUNCTIONS) ? ['functions/: the data of functions'] : []),
]
