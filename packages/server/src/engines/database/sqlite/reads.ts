import { toApiError, type Connection } from './connection.ts'
import type { SqliteFile } from './file.ts'

/**
 * Reads of one event-loop tick share a snapshot, because opening and closing one takes as long as a small read; only the first needs none, as it is
 * often the only one. The snapshot ends with the tick, or at the next commit, so that a read after an acknowledged write sees it.
 */
export function createReads(file: SqliteFile) {
  let hasRead = false
  let shared: Connection | undefined

  function share() {
    if (!hasRead) {
      hasRead = true
      return void setImmediate(end)
    }
    if (shared === file.reader) return
    file.reader.control('begin')
    shared = file.reader
  }

  function end() {
    if (shared?.native.isOpen && shared.native.isTransaction) shared.control('commit')
    shared = undefined
    hasRead = false
  }

  return {
    end,

    read<T>(run: (reader: Connection) => T): T {
      try {
        share()
        return run(file.reader)
      } catch (error) {
        throw toApiError(error)
      }
    },
  }
}
