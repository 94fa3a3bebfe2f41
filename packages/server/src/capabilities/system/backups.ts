import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { Backup } from '@svc/contract/operator'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'

/** Backups in the data folder; undefined if the data is stored elsewhere. */
type BackupFolder = {
  /** Finished backups, newest first. */
  list(): Promise<{ name: string; createdAt: string; bytes: number }[]>
  create(name: string): Promise<void>
  remove(name: string): Promise<void>
}

type BackupDeps = {
  clock: Clock
  background: Pick<Background, 'run'>
  folder: BackupFolder | undefined
  /** Writes to the audit log that one was begun. */
  recordBegun(actor: Actor, name: string): Promise<void>
  report(failure: object): void
}

export type Backups = ReturnType<typeof createBackups>

/** Creates backups one at a time, in the background: they may take minutes. */
export function createBackups({ clock, background, folder, recordBegun, report }: BackupDeps) {
  /** The one that runs, or the last one if it failed. */
  let latest: Backup | undefined

  async function create(own: BackupFolder, backup: Backup) {
    try {
      await own.create(backup.name)
      latest = undefined
      for (const { name } of (await own.list()).slice(LIMITS.backupsKeptMax)) await own.remove(name)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      latest = { ...backup, status: 'failed', error: message }
      report({ err: error, backup: backup.name })
    }
  }

  return {
    async list() {
      if (!folder) return { available: false, backups: [] }
      const done = (await folder.list()).map((file) => ({ ...file, status: 'done' as const, error: null }))
      return { available: true, backups: [...(latest ? [latest] : []), ...done] }
    },

    async create(actor: Actor): Promise<{ backup: Backup }> {
      if (!folder) throw new ApiError('backup_not_available')
      if (latest?.status === 'running') throw new ApiError('backup_running')
      const createdAt = timestamp(clock)
      const name = `svc-${createdAt.replaceAll(/[:.]/g, '-')}.tar`
      const backup: Backup = { name, status: 'running', createdAt, bytes: null, error: null }
      latest = backup
      try {
        await recordBegun(actor, name)
      } catch (error) {
        latest = undefined
        throw error
      }
      background.run(() => create(folder, backup))
      return { backup }
    },
  }
}
