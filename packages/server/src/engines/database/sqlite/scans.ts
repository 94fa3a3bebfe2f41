import { ApiError } from '../../../platform/api-error.ts'
import { OWN_FILES } from '../../../platform/own-files.ts'
import type { Value } from '../statement.ts'
import { unavailable } from './connection.ts'
import type { ScanTask } from './scans-worker.ts'
import { startThread, type Thread } from './thread.ts'

type Rows = Record<string, Value>[]

const SCAN_TIMEOUT_MS = 30_000
const SCANS_WAITING_MAX = 200

/**
 * Reads that may take long, in a thread with a connection of its own: on the main thread a count of a million rows would delay every
 * player by a second. The thread is started by the first of them.
 */
export function createScans(path: string) {
  let thread: Thread<ScanTask, Rows> | undefined

  return {
    async all<Row>(sql: string, parameters: Value[]): Promise<Row[]> {
      if (!thread?.isAlive) thread = startThread(OWN_FILES.sqliteScans, path, SCAN_TIMEOUT_MS)
      if (thread.waiting >= SCANS_WAITING_MAX) throw new ApiError('service_unavailable')
      const rows = await thread.ask({ sql, parameters }).catch((error: Error) => {
        throw unavailable(error)
      })
      return rows as Row[]
    },

    /** Rejects the scans that wait; the next one starts another thread. */
    async end(): Promise<void> {
      await thread?.end('the database file is closed')
    },
  }
}
