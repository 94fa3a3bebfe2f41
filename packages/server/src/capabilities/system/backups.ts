import type { Actor } from '@svc/contract/common/schemas'
import type { Backup } from '@svc/contract/operator'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, HOUR_MS, timestamp } from '../../platform/clock.ts'

type Report = { verifiedAt: string | null; failures: string[]; notices: string[] }
type Archive = { name: string; createdAt: string; bytes: number; report: Report | undefined }

/** Where backups are, and the process that writes them. */
type Archives = {
  where: 'folder' | 's3'
  isSealed: boolean
  /** 0: only when an operator asks. */
  everyHours: number
  isAvailable(): Promise<boolean>
  /** Newest first. */
  list(): Promise<Archive[]>
  /** Writes, verifies and removes old ones. Throws if there is no new one. */
  create(
    archive: { name: string; createdAt: string },
    stopping: AbortSignal,
  ): Promise<{ name: string; bytes: number; report: Report }>
  readState(): Promise<string | undefined>
  writeState(state: string): Promise<unknown>
}

/** The state of backups, which all nodes share. Times are ISO timestamps. */
export type BackupState = {
  /** When the next period is counted from: the last backup, or the time of the first start. */
  countedFrom: string
  /** The newest one that was written; null if there was none yet. */
  writtenAt: string | null
  /** When the newest verified one was written, and its size. */
  verified: { at: string; bytes: number } | null
  /** Why the newest attempt gave no verified backup; null if it did. */
  failure: string | null
}

type BackupDeps = {
  clock: Clock
  background: Pick<Background, 'run' | 'stopping'>
  archives: Archives
  /** Writes to the audit log that one was begun. */
  recordBegun(actor: Actor, name: string): Promise<void>
  reportDone(done: object): void
  reportNotice(notice: object): void
  reportFailure(failure: object): void
}

export type Backups = ReturnType<typeof createBackups>

/** Creates backups one at a time, in the background: they may take hours. */
export function createBackups(deps: BackupDeps) {
  const { clock, background, archives, recordBegun } = deps
  /** The one that runs, or the last one if there is no archive of it. */
  let latest: Backup | undefined
  let running: Promise<void> | undefined
  let state: BackupState | undefined

  async function refresh(): Promise<BackupState | undefined> {
    const text = await archives.readState()
    if (text !== undefined) state = JSON.parse(text) as BackupState
    return state
  }

  async function change(changes: Partial<BackupState>) {
    const known = await refresh()
    const { countedFrom = timestamp(clock), writtenAt = null, verified = null, failure = null } = known ?? {}
    state = { countedFrom, writtenAt, verified, failure, ...changes }
    await archives.writeState(JSON.stringify(state))
  }

  function begin(): Backup {
    const createdAt = timestamp(clock)
    const name = `svc-${createdAt.replaceAll(/[:.]/g, '-')}.tar${archives.isSealed ? '.sealed' : ''}`
    return (latest = {
      name,
      status: 'running',
      createdAt,
      bytes: null,
      error: null,
      verifiedAt: null,
      where: archives.where,
    })
  }

  /** Throws if the attempt gave no verified backup. */
  async function create(backup: Backup): Promise<void> {
    const { name, createdAt } = backup
    try {
      const { bytes, report } = await archives.create({ name, createdAt }, background.stopping)
      latest = undefined
      const { failures, notices } = report
      await change(
        failures.length > 0
          ? { countedFrom: createdAt, writtenAt: createdAt, failure: failures.join('; ') }
          : {
              countedFrom: createdAt,
              writtenAt: createdAt,
              failure: null,
              verified: { at: createdAt, bytes },
            },
      )
      for (const notice of notices) deps.reportNotice({ backup: name, notice })
      if (failures.length > 0)
        throw new Error(`The backup ${name} cannot be restored: ${failures.join('; ')}`)
      deps.reportDone({ backup: name, bytes })
    } catch (error) {
      if (background.stopping.aborted) {
        latest = undefined
        throw error
      }
      const message = error instanceof Error ? error.message : String(error)
      if (latest) latest = { ...backup, status: 'failed', error: message }
      await change({ failure: message }).catch(() => {})
      deps.reportFailure({ err: error, backup: name })
      throw error
    }
  }

  const run = (backup: Backup) => (running = create(backup).finally(() => (running = undefined)))

  /** When the next one is due; undefined if none is. */
  const dueMs = () =>
    state === undefined || archives.everyHours === 0
      ? undefined
      : Date.parse(state.countedFrom) + archives.everyHours * HOUR_MS

  return {
    /** As this node knows it: at most a minute old. Undefined before the first start has noted a time. */
    state: (): BackupState | undefined => state,
    refresh,

    /** For monitoring: how the newest backup went. */
    health(): 'off' | 'waiting' | 'verified' | 'failed' {
      if (state?.failure != null) return 'failed'
      if (state?.verified) return 'verified'
      return archives.everyHours === 0 ? 'off' : 'waiting'
    },

    async list() {
      const nextMs = dueMs()
      const done = (await archives.list()).map(({ name, createdAt, bytes, report }) => ({
        name,
        createdAt,
        bytes,
        status: 'done' as const,
        error: report && report.verifiedAt === null ? report.failures.join('; ') : null,
        verifiedAt: report?.verifiedAt ?? null,
        where: archives.where,
      }))
      return {
        available: await archives.isAvailable(),
        nextAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
        // The one that runs is stored before it is verified.
        backups: [...(latest ? [latest] : []), ...done.filter(({ name }) => name !== latest?.name)],
      }
    },

    async create(actor: Actor): Promise<{ backup: Backup }> {
      if (!(await archives.isAvailable())) throw new ApiError('backup_not_available')
      if (latest?.status === 'running') throw new ApiError('backup_running')
      const backup = begin()
      try {
        await recordBegun(actor, backup.name)
      } catch (error) {
        latest = undefined
        throw error
      }
      background.run(() => run(backup).catch(() => {}))
      return { backup }
    },

    /**
     * Called every hour, on one node. The first backup is written an hour after the first start; a restart does not change when the
     * next one is due.
     */
    async createIfDue(slotAtMs: number): Promise<void> {
      const { everyHours } = archives
      if (everyHours === 0) return
      const known = await refresh()
      if (!known) {
        const countedFrom = new Date(slotAtMs - (everyHours - 1) * HOUR_MS).toISOString()
        return change({ countedFrom })
      }
      await running?.catch(() => {})
      // A slot begins with its hour, backups a little later.
      const isDue = (dueMs() ?? Infinity) < slotAtMs + HOUR_MS
      if (isDue) await run(begin())
    },
  }
}
