import { closeSync, fdatasyncSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { areFramesOf, endOf, endsTransaction, HEADER_BYTES, readHeader } from './frames.ts'

/** At most this many bytes are in memory. */
export const PIECE_BYTES_MAX = 16 * 1024 * 1024

/** The log is not the continuation of what was read before. */
export class BrokenChainError extends Error {}

export type Piece = { salts: string; bytes: Buffer; isPoint: boolean; at: string; completeUntil: string }

/**
 * Reads what SQLite has committed to the write-ahead log. It has a connection of its own, because only SQLite knows where the last commit
 * ends: after a rollback there may be more frames in the file.
 */
export function openLogReader(path: string, now: () => string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 250 })
  // Returns the number of frames, and checkpoints nothing.
  const countFrames = database.prepare('pragma wal_checkpoint(noop)')
  const log = openSync(`${path}-wal`, 'r')
  let checkedAt: string | undefined

  function bytesAt(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length;) {
      const read = readSync(log, bytes, filled, length - filled, offset + filled)
      if (read === 0) return bytes.subarray(0, filled)
      filled += read
    }
    return bytes
  }

  const header = () => readHeader(bytesAt(0, HEADER_BYTES))

  return {
    /** All commits until then were read, or are read by the next calls. */
    get checkedAt() {
      return checkedAt
    },

    /** Undefined while the log is empty. */
    salts: (): string | undefined => header()?.salts,

    /** The next bytes of committed transactions from `offset`, synced; undefined if there are none. */
    read(offset: number, salts: string | undefined): Piece | undefined {
      const found = header()
      if (!found) return undefined
      if (salts !== undefined && found.salts !== salts)
        throw new BrokenChainError('another program has restarted the log of the database')
      const asked = now()
      const end = endOf(Number(countFrames.get()?.['log']), found.pageBytes)
      checkedAt = asked
      const at = now()
      if (end <= Math.max(offset, HEADER_BYTES)) return undefined
      fdatasyncSync(log)
      const begin = Math.max(offset, HEADER_BYTES)
      const framesMax = Math.floor(PIECE_BYTES_MAX / (endOf(1, found.pageBytes) - HEADER_BYTES))
      const until = Math.min(end, endOf(framesMax, found.pageBytes) - HEADER_BYTES + begin)
      const bytes = bytesAt(offset, until - offset)
      const frames = bytes.subarray(begin - offset)
      const isPoint = until === end
      if (bytes.length !== until - offset || !areFramesOf(found, frames) || header()?.salts !== found.salts)
        throw new BrokenChainError('the log of the database was restarted while it was read')
      if (isPoint && !endsTransaction(frames, found.pageBytes))
        throw new BrokenChainError('the log of the database does not end with a commit')
      return { salts: found.salts, bytes, isPoint, at, completeUntil: asked }
    },

    close() {
      database.close()
      closeSync(log)
    },
  }
}

export type LogReader = ReturnType<typeof openLogReader>
