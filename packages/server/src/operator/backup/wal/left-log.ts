import { copyFileSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { committedEnd, HEADER_BYTES, readHeader } from './frames.ts'
import { newestChain } from './history.ts'
import { PIECE_BYTES_MAX } from './log-reader.ts'
import type { Item } from './names.ts'
import { decodeSegment, type Segment } from './segment.ts'
import type { WalStore } from './store.ts'

/** A copy, and when it was made: it contains everything that was committed until then, and nothing that the service writes afterwards. */
export type LeftLogCopy = { path: string; at: string }

/**
 * A service that was killed leaves its log. SQLite restarts it when the database is opened, so it is copied before. Undefined if nothing
 * was left.
 */
export function keepLeftLog(path: string, now: () => number): LeftLogCopy | undefined {
  const [log, copy] = [`${path}-wal`, `${path}.left-wal`]
  try {
    rmSync(copy, { force: true })
    if (!existsSync(log) || statSync(log).size <= HEADER_BYTES) return undefined
    copyFileSync(log, copy, constants.COPYFILE_FICLONE)
    return { path: copy, at: new Date(now()).toISOString() }
  } catch {
    // A full disk, for example. A new generation begins.
    rmSync(copy, { force: true })
    return undefined
  }
}

/** The last segment of a generation, and what was committed after it until the service was killed. */
export type LeftLog = {
  last: Item
  snapshot: { atMs: number; bytes: number; bytesSince: number }
  rest: Segment | undefined
}

/** Undefined if the log is not that of the newest generation. */
export async function readLeftLog(store: WalStore, { path, at }: LeftLogCopy): Promise<LeftLog | undefined> {
  const chain = newestChain(await store.list(''))
  const last = chain?.segments.at(-1)
  const snapshot = chain?.snapshots.at(-1)
  if (!last || !snapshot) return undefined
  const { bytes, ...segment } = await decodeSegment(last.name, store.get(last.name))
  const log = await readFile(path)
  const offset = segment.offset + bytes.length
  const end = committedEnd(log)
  const isSame =
    readHeader(log)?.salts === segment.salts && bytes.equals(log.subarray(segment.offset, offset))
  if (!isSame || end < offset || end - offset > PIECE_BYTES_MAX) return undefined

  const since = chain?.segments.filter(({ number }) => number > snapshot.number) ?? []
  const rest = {
    ...segment,
    number: last.number + 1,
    offset,
    from: last.at,
    to: at,
    completeUntil: at,
    isPoint: true,
    bytes: log.subarray(offset, end),
  }
  return {
    last,
    snapshot: {
      atMs: Date.parse(snapshot.at),
      bytes: snapshot.bytes,
      bytesSince: since.reduce((sum, each) => sum + each.bytes, 0),
    },
    rest: end > offset ? rest : undefined,
  }
}
