import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import type { Database } from '../engines/database/database.ts'
import { readFact, writeFact } from '../engines/database/installation.ts'
import type { Settings } from '../settings.ts'
import { openPlace } from './backup/places/open.ts'
import { backupSettingsOf } from './backup/settings.ts'

export type DataFolder = ReturnType<typeof openDataFolder>

/** The data folder of this node and the backups of the service, for operators. */
export function openDataFolder(settings: Settings, db: Database) {
  const { dataDir, databaseUrl, backup } = settings

  return {
    async storage() {
      const { bavail, bsize } = await statfs(dataDir)
      const size = databaseUrl === undefined ? (await stat(join(dataDir, 'svc.sqlite'))).size : null
      return { databaseBytes: size, freeBytes: bavail * bsize }
    },

    archives: {
      where: backup.url === undefined ? ('folder' as const) : ('s3' as const),
      isSealed: backup.key !== undefined,
      everyHours: backup.everyHours,

      /** With PostgreSQL, backups need its tools. */
      async isAvailable(): Promise<boolean> {
        if (databaseUrl === undefined) return true
        const { requireTools } = await import('./backup/archive/postgres.ts')
        return requireTools().then(
          () => true,
          () => false,
        )
      },

      async list() {
        await using place = await openPlace(settings)
        return await place.list()
      },

      async create(archive: { name: string; createdAt: string }, stopping: AbortSignal) {
        const { runInProcess } = await import('./backup/run-in-process.ts')
        return runInProcess({ settings: backupSettingsOf(settings), ...archive }, stopping)
      },

      /** The state that all nodes share. */
      readState: () => readFact(db, 'backup'),
      writeState: (state: string) => writeFact(db, 'backup', state),
    },
  }
}
