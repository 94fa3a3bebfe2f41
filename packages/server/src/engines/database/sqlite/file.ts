import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs'

import { monotonicMs } from '../../../platform/clock.ts'
import { Durations, type Metric, single } from '../../../platform/metrics/metrics.ts'
import { OWN_FILES } from '../../../platform/own-files.ts'
import type { CheckpointTask } from './checkpoints-worker.ts'
import { openConnection } from './connection.ts'
import { createScans } from './scans.ts'
import type { LogShipping } from './shipping.ts'
import { startThread, type Thread } from './thread.ts'
import { restartWal } from './wal.ts'

/** Syncs the write-ahead log; tests replace it with a slow, counting or failing disk. */
export type Sync = (descriptor: number, done: (error: Error | null) => void) => void

/**
 * When a commit is synced. `group`: commits only append to the write-ahead log; waiting writes resolve together after a sync in the
 * thread pool. `each`: every write is a separate commit, which SQLite syncs itself (`synchronous = full`).
 */
export type SyncMode = 'group' | 'each'

export type LogLimits = {
  /** Each time the log has grown by this much it is copied into the database file, while writers continue. */
  checkpointEveryBytes: number
  checkpointPauseMs: number
  /** At this size the log is truncated, while the writers wait. */
  truncateAtBytes: number
  /** This long after a write the log is truncated even if it is small: it contains pages of deleted rows until then. */
  keepMs: number
}

const MIB = 1024 * 1024
const LIMITS: LogLimits = {
  checkpointEveryBytes: 4 * MIB,
  checkpointPauseMs: 1_000,
  truncateAtBytes: 64 * MIB,
  keepMs: 30_000,
}
const SYNC_TIMEOUT_MS = 10_000
const CHECKPOINT_TIMEOUT_MS = 30_000

export type FileOptions = {
  sync?: Sync
  logLimits?: Partial<LogLimits>
  syncMode?: SyncMode
  shipping?: LogShipping | undefined
}
export type SqliteFile = ReturnType<typeof openFile>

/**
 * A database file: one connection for writes, one for reads, a file descriptor to sync the log, threads for
 * checkpoints and scans.
 */
export function openFile(path: string, options: FileOptions = {}) {
  const { sync = fdatasync, logLimits, syncMode = 'group', shipping } = options
  const synchronous = syncMode === 'each' ? 'full' : 'normal'
  const limits = { ...LIMITS, ...logLimits }
  let writer = openWriter()
  restartWal(writer.native)
  // With `normal`, a commit only appends from here on; its writes resolve after a sync by `file.sync`.
  writer.native.exec(`pragma synchronous = ${synchronous}`)
  let reader = openConnection(path, { readOnly: true })
  let log = openSync(`${path}-wal`, 'r')

  /** Started by the first checkpoint: a small service never needs it. */
  let checkpoints: Thread<CheckpointTask, boolean> | undefined
  const scans = createScans(path)
  const syncs = new Durations('svc_sqlite_sync_seconds')
  let isCheckpointing = false
  let checkpointAtSize = limits.checkpointEveryBytes
  let truncateAtSize = limits.truncateAtBytes

  function openWriter() {
    const connection = openConnection(path, { readOnly: false })
    // secure_delete overwrites deleted rows, so that no data of a deleted player remains. Its cost is not measurable.
    connection.native.exec(`
      pragma journal_mode = wal;
      pragma wal_autocheckpoint = 0;
      pragma journal_size_limit = ${limits.truncateAtBytes};
      pragma secure_delete = on;
      pragma synchronous = ${synchronous}`)
    return connection
  }

  function ask(task: CheckpointTask): Promise<boolean> {
    if (!checkpoints?.isAlive)
      checkpoints = startThread(OWN_FILES.sqliteCheckpoints, path, CHECKPOINT_TIMEOUT_MS)
    return checkpoints.ask(task)
  }

  async function releaseThreads(): Promise<void> {
    await scans.end()
    if (!checkpoints?.isAlive) return
    await checkpoints.ask('release').catch(() => {})
    void checkpoints.end('released')
  }

  async function checkpoint(sizeBytes: number): Promise<void> {
    isCheckpointing = true
    checkpointAtSize = sizeBytes + limits.checkpointEveryBytes
    // Errors are ignored here; the same error fails `truncate`, which rejects the writers.
    await ask('copy').catch(() => {})
    setTimeout(() => (isCheckpointing = false), limits.checkpointPauseMs).unref()
  }

  async function truncate(sizeBytes: number): Promise<boolean> {
    requireSameLog()
    if (shipping && !(await shipping.mayRestart(sizeBytes))) {
      truncateAtSize = Math.max(truncateAtSize, sizeBytes + limits.checkpointEveryBytes)
      return false
    }
    const isTruncated = await ask('truncate')
    if (isTruncated) shipping?.onRestart()
    checkpointAtSize = (isTruncated ? 0 : sizeBytes) + limits.checkpointEveryBytes
    truncateAtSize = (isTruncated ? 0 : sizeBytes) + limits.truncateAtBytes
    return isTruncated
  }

  /** SQLite writes to the file that it opened; if another file is at the path now, syncs would not cover the writes. */
  function requireSameLog() {
    if (fstatSync(log).ino !== statSync(`${path}-wal`).ino) throw new Error(`${path}-wal was replaced`)
  }

  return {
    get writer() {
      return writer
    },
    get reader() {
      return reader
    },

    syncMode,
    metrics: [
      single('svc_sqlite_wal_bytes', () => fstatSync(log).size),
      syncs,
      ...(shipping ? [single('svc_backup_wal_age_seconds', shipping.ageSeconds)] : []),
    ] satisfies Metric[],

    onCommit: () => shipping?.onCommit(),

    /** Reads in another thread. */
    scan: scans.all,

    /** Calls `done` when everything committed before the call is on the disk, or with an error, always within 10 s. */
    sync(done: (error: Error | null) => void): void {
      if (syncMode === 'each') return done(null)
      let ended = false
      const startedAt = monotonicMs()
      const end = (error: Error | null) => {
        if (ended) return
        ended = true
        clearTimeout(timeout)
        syncs.add(monotonicMs() - startedAt)
        done(error)
      }
      const timeout = setTimeout(
        end,
        SYNC_TIMEOUT_MS,
        new Error(`no sync of ${path}-wal in ${SYNC_TIMEOUT_MS} ms`),
      )
      sync(log, end)
    },

    /** Called between two batches. Returns a promise if the log must be truncated first. */
    checkpointIfNeeded(): Promise<unknown> | undefined {
      const { size } = fstatSync(log)
      shipping?.onSize(size)
      if (size >= truncateAtSize) return truncate(size)
      if (size >= checkpointAtSize && !isCheckpointing) void checkpoint(size)
    },

    /** How long a write may stay in the log. */
    keepMs: limits.keepMs,

    /** Called between two batches, in place of `checkpointIfNeeded`. Returns false if it must be tried again later. */
    emptyLog: (): Promise<boolean> => truncate(fstatSync(log).size),

    /**
     * After a failed fsync the kernel may have dropped dirty WAL pages. Close every connection so that SQLite re-reads and verifies
     * the WAL.
     */
    async abandon(): Promise<void> {
      if (writer.native.isOpen) writer.native.close()
      await shipping?.abandon()
      await releaseThreads()
      // The last connection to close would checkpoint the log unverified; a read-only one cannot.
      if (reader.native.isOpen) reader.native.close()
      reader = openConnection(path, { readOnly: true })
    },

    /** Checkpoints the valid frames of the log, synced, and starts a new log. */
    async resume(): Promise<void> {
      if (!(await ask('truncate'))) throw new Error(`${path}-wal is being read by another process`)
      const fresh = openSync(`${path}-wal`, 'r')
      closeSync(log)
      log = fresh
      checkpointAtSize = limits.checkpointEveryBytes
      truncateAtSize = limits.truncateAtBytes
      writer = openWriter()
    },

    async close(): Promise<void> {
      // The last connection checkpoints and removes the log, and only the writer and the thread of checkpoints can do that.
      await shipping?.finish()
      await scans.end()
      if (reader.native.isOpen) reader.native.close()
      if (writer.native.isOpen) writer.native.close()
      await releaseThreads()
      closeSync(log)
      shipping?.onClosed()
    },
  }
}
