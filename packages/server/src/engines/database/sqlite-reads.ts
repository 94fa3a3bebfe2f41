import { toApiError, type Connection } from './sqlite-connection.ts'
import type { SqliteFile } from './sqlite-file.ts'

/**
 * The reads of one turn of the event loop share a snapshot: to take one and to leave it again costs as much as a small read.
 * It ends with the turn, and before that when something is committed: whoever is told of a write finds it.
 */
export function createReads(file: SqliteFile) {
  let shared: Connection | undefined

  function share() {
    if (shared === file.reader) return
    file.reader.control('begin')
    shared = file.reader
    setImmediate(end)
  }

  function end() {
    if (shared?.native.isOpen && shared.native.isTransaction) shared.control('commit')
    shared = undefined
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
