import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Names of folders in the data folder in which backups are prepared. */
const STAGING = /^backup-\w{6}$/
/**
 * An empty SQLite database that a backup keeps locked: the operating system releases the lock when the process ends, however it ends.
 * Folders without this file were not created here, and nobody removes them.
 */
const LOCK = 'svc-backup.lock'

/** A private folder in the data folder, for the copies of one backup. Dispose it afterwards. */
export async function createStaging(dataDir: string): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(dataDir, 'backup-'))
  const lock = lockOf(folder)
  lock.exec('begin exclusive')
  return {
    folder,
    async [Symbol.asyncDispose]() {
      lock.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Removes what backups have left that were killed. */
export async function removeLeftStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const folder = join(dataDir, name)
    if (STAGING.test(name) && existsSync(join(folder, LOCK)) && !isLocked(folder))
      await rm(folder, { recursive: true, force: true })
  }
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
