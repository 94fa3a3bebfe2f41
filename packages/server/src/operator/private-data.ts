import { existsSync } from 'node:fs'
import { access, chmod, constants, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Settings } from '../settings.ts'
import { notUsable } from './backup/staging.ts'

/** What the service itself creates in the data folder. */
const OWN =
  /^(?:svc\.sqlite(?:\..+|-.+)?|secret\.key(?:\..+)?|realtime-snapshots\.json(?:\..+)?|operator\.sock|blobs|compile-cache|backups|backup-.+)$/
/** Its own modes are those of `engines/functions/workerd/process/folders.ts`. */
const FUNCTIONS = 'functions'

/**
 * Other accounts of this machine cannot read the data, whatever the mode of an existing folder is: everything in it is 0700 or 0600.
 * As root the folder itself can be entered (0711), because processes of functions have an account of their own.
 */
export const keepPrivate = (settings: Pick<Settings, 'dataDir' | 'databaseUrl'>): Promise<void> =>
  restrictAll(settings).catch(notUsable(settings.dataDir))

async function restrictAll({ dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>) {
  await createFolder(dataDir)
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const names = await readdir(dataDir)
  for (const name of names) if (OWN.test(name)) await restrict(join(dataDir, name))
  // SQLite would create it with the mode of any other file; those beside it get the mode of this one.
  if (databaseUrl === undefined) await createFile(join(dataDir, 'svc.sqlite'))
  const isOursAlone = names.every((name) => OWN.test(name) || name === FUNCTIONS)
  if (process.getuid?.() === 0 && isOursAlone) {
    const { mode } = await lstat(dataDir)
    await chmod(dataDir, (mode & 0o7777) | 0o011)
  }
}

/** Step by step: for a folder that cannot exist, such as one in /proc, `recursive` of Node tries forever. */
export async function createFolder(path: string): Promise<void> {
  if (existsSync(path)) return
  await createFolder(dirname(path))
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

async function restrict(path: string) {
  const found = await lstat(path)
  const mode = found.isDirectory() ? 0o700 : 0o600
  if (found.isSymbolicLink() || (found.mode & 0o077) === 0) return
  // The data may belong to another account, or be on a volume without modes.
  await chmod(path, mode).catch(() => {})
}

async function createFile(path: string) {
  const file = await open(path, 'a', 0o600)
  await file.close()
}
