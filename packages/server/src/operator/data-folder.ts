import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import type { Settings } from '../settings.ts'

const BACKUPS = 'backups'
const BACKUP_NAME = /^svc-[\dTZ-]+\.tar$/

/** `verifiedAt`: when the newest backup that was verified was made. */
export type BackupState = { createdAt: Date; verifiedAt: Date | undefined; bytes: number }

export type DataFolder = ReturnType<typeof openDataFolder>

/** The data folder of this node, for operators. */
export function openDataFolder(settings: Settings) {
  const { dataDir, databaseUrl } = settings
  const folder = join(dataDir, BACKUPS)

  return {
    async storage() {
      const { bavail, bsize } = await statfs(dataDir)
      const size = databaseUrl === undefined ? (await stat(join(dataDir, 'svc.sqlite'))).size : null
      return { databaseBytes: size, freeBytes: bavail * bsize }
    },

    /** The newest backup that this machine has. Undefined: there is none. */
    async backupState(): Promise<BackupState | undefined> {
      const [newest] = await listBackups(folder)
      return newest && { createdAt: new Date(newest.createdAt), verifiedAt: undefined, bytes: newest.bytes }
    },

    backups:
      databaseUrl !== undefined
        ? undefined
        : {
            list: () => listBackups(folder),
            async create(name: string) {
              const { backUp } = await import('./backup/backup.ts')
              await mkdir(folder, { recursive: true, mode: 0o700 })
              await backUp(settings, join(folder, name))
            },
            remove: (name: string) => rm(join(folder, name), { force: true }),
          },
  }
}

/** Newest first: the names contain the time. */
async function listBackups(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => BACKUP_NAME.test(name))
  return Promise.all(
    names
      .sort()
      .reverse()
      .map(async (name) => {
        const { size, birthtime } = await stat(join(folder, name))
        return { name, createdAt: birthtime.toISOString(), bytes: size }
      }),
  )
}
