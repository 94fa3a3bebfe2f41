import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { removeInSteps } from './remove-in-steps.ts'

/** Names of folders in the data folder in which backups are prepared. */
const STAGING = /^backup-\w{6}$/
/**
 * An empty SQLite database that a backup keeps locked: the operating system releases the lock when the process ends, however it ends.
 * Folders without this file were not created here, and nobody removes them.
 */
const LOCK = 'svc-backup.lock'
/** Contains the path of a file elsewhere that the backup writes. */
const DRAFT = 'draft'

/**
 * A private folder in the data folder, for the copies of one backup. Dispose it afterwards. `draft` is a file elsewhere that is removed
 * with it if this process is killed.
 */
export async function createStaging(
  dataDir: string,
  draft?: string,
): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(dataDir, 'backup-')).catch(notUsable(dataDir))
  const lock = lockOf(folder)
  lock.exec('begin exclusive')
  if (draft !== undefined) await writeFile(join(folder, DRAFT), draft)
  return {
    folder,
    async [Symbol.asyncDispose]() {
      lock.close()
      await removeInSteps(folder)
    },
  }
}

/** Removes what backups have left that were killed. */
export async function removeLeftStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(notUsable(dataDir))) {
    const folder = join(dataDir, name)
    if (!STAGING.test(name) || !existsSync(join(folder, LOCK)) || isLocked(folder)) continue
    const draft = await readFile(join(folder, DRAFT), 'utf8').catch(() => '')
    if (draft.endsWith('.part')) await rm(draft, { force: true }).catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
}

/** For `catch`: names the data folder and its setting, not the random name of a folder in it. */
export const notUsable =
  (dataDir: string) =>
  (error: NodeJS.ErrnoException): never => {
    const { code } = error
    if (code === undefined) throw error
    const fix =
      code === 'ENOSPC' ? 'Free some disk space.' : 'Check SVC_DATA_DIR, and use the service’s own account.'
    throw new Error(`The data folder ${dataDir} cannot be read or written (${code}). ${fix}`)
  }

function isLocked(folder: string): boolean {
  using lock = lockOf(folder)
  try {
    lock.exec('begin exclusive')
    return false
  } catch {
    return true
  }
}

const lockOf = (folder: string) => new DatabaseSync(join(folder, LOCK), { timeout: 0 })
