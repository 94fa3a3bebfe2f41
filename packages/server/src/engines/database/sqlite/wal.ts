import type { DatabaseSync } from 'node:sqlite'

/** "svc" in the header of the file. */
const APPLICATION_ID = 0x737663

/** Sets the value that is already set; SQLite still writes one page. */
export const SMALLEST_WRITE = `pragma application_id = ${APPLICATION_ID}`

/**
 * Checkpoints the whole write-ahead log and restarts it, synced: from then on commits only append. Returns false if another
 * connection still reads the log.
 */
export function restartWal(database: DatabaseSync): boolean {
  database.exec('pragma synchronous = full')
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
  if (busy) return false
  // Makes SQLite write the log's header, which it syncs.
  database.exec(SMALLEST_WRITE)
  return true
}

const SQLITE_FULL = 13

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL
