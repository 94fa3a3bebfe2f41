import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'

import { copySqlite } from '../../../engines/database/sqlite/copy.ts'
import { createStaging } from '../staging.ts'
import { itemsOf, removable } from './history.ts'
import { type LeftLogCopy, readLeftLog } from './left-log.ts'
import { BrokenChainError, type LogReader, openLogReader } from './log-reader.ts'
import { generationAt, nameOf } from './names.ts'
import { encodeSegment, type Segment } from './segment.ts'
import { NoSpaceError, type WalStore } from './store.ts'

export type ShipperLimits = {
  /** A new snapshot after this time: fewer segments to replay, and older ones can be removed. */
  snapshotEveryMs: number
  /** After a failed snapshot: a large one must not be copied again at every attempt. */
  snapshotRetryMs: number
  /** Times older than this cannot be restored. */
  keepMs: number
  /** Above it the oldest snapshot is removed with its segments; the newest stays. */
  bytesMax: number
}

/** Where a generation goes on after the service was stopped. */
export type Resumed = {
  generation: string
  run: number
  number: number
  at: string
  /** When the newest snapshot was taken, its size, and what was stored since. */
  snapshot: { atMs: number; bytes: number; bytesSince: number }
}

export type ShipperOptions = {
  /** The database file, and the folder in which copies are prepared. */
  path: string
  dataDir: string
  store: WalStore
  limits: ShipperLimits
  now(): number
  resumed?: Resumed | undefined
  /** A copy of the log of a service that was killed. */
  leftLog?: LeftLogCopy | undefined
  onStatus(status: ShipperStatus): void
}

/** `at`: everything that was committed until then is stored. */
export type ShipperStatus = { at?: string | undefined; error?: string | undefined }

type Chain = Omit<Resumed, 'snapshot'> & {
  snapshot: Resumed['snapshot'] | undefined
  /** Of the current run; undefined until its first bytes were read. */
  salts: string | undefined
  /** How much of the current run was read. */
  offset: number
  /** The log may have been restarted when this much was read; `onRestart` says so afterwards. */
  restartableAt: number | undefined
  /** Read, but not stored yet. */
  captured: Segment | undefined
}

const CHUNK_BYTES = 1024 * 1024
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const STORE_TIMEOUT_MS = 60_000
const SNAPSHOT_TIMEOUT_MS = 6 * 3_600_000
class StoreError extends Error {}

/** Copies the log of a database to a store, segment by segment, and snapshots of the database from time to time. */
export function createShipper(options: ShipperOptions) {
  const { path, dataDir, store, limits, now, resumed, onStatus } = options
  let reader: LogReader | undefined
  let chain: Chain | undefined = resumed && { ...resumed, run: resumed.run + 1, ...UNREAD }
  let shipping: Promise<void> | undefined
  let snapshotting: Promise<void> | undefined
  let snapshotTimer: NodeJS.Timeout | undefined
  let isCopying = false
  let snapshotRetryAtMs = 0
  let lastAt = ''
  let { leftLog } = options

  /** Never goes back, so that the order of segments is the order of their times. */
  function timestamp(): string {
    const at = new Date(now()).toISOString()
    return (lastAt = at > lastAt ? at : lastAt)
  }

  const log = () => (reader ??= openLogReader(path, timestamp))

  function begin(): Chain {
    const at = timestamp()
    return { generation: generationAt(at), run: 1, number: 0, at, ...UNREAD, snapshot: undefined }
  }

  /** Goes on with the generation of a service that was killed. */
  async function goOn(copy: LeftLogCopy): Promise<Chain | undefined> {
    // Whatever is wrong with it: a new generation begins.
    const left = await readLeftLog(store, copy).catch(() => undefined)
    await rm(copy.path, { force: true })
    // Meanwhile the log may have had to be restarted.
    if (!left || leftLog !== copy) return undefined
    const { last, snapshot: newest, rest } = left
    const { generation, number, to: at } = rest ?? { ...last, to: last.at }
    return { generation, number, at, run: last.run + 1, snapshot: newest, ...UNREAD, captured: rest }
  }

  const isRestarting = (mine: Chain) => mine.restartableAt === mine.offset && log().salts() !== mine.salts

  /** Reads the next segment of the log. */
  function capture(mine: Chain) {
    const piece = log().read(mine.offset, mine.salts)
    if (!piece) return undefined
    const { salts, bytes, at, ...ends } = piece
    const { generation, run, offset, at: from } = mine
    mine.captured = { generation, run, salts, offset, from, to: at, number: mine.number + 1, bytes, ...ends }
    Object.assign(mine, { salts, offset: offset + bytes.length, number: mine.number + 1, at })
    return mine.captured
  }

  async function storeAll(mine: Chain): Promise<void> {
    for (;;) {
      const segment = mine.captured ?? (isRestarting(mine) ? undefined : capture(mine))
      if (!segment) return
      const { generation, number, run, to: at, isPoint } = segment
      const content = encodeSegment(segment)
      await put(nameOf({ generation, number, run, at, kind: isPoint ? 'wal' : 'frames' }), content)
      if (chain !== mine) return
      mine.captured = undefined
      if (mine.snapshot) mine.snapshot.bytesSince += content.length
    }
  }

  async function put(
    name: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    timeoutMs = STORE_TIMEOUT_MS,
  ): Promise<void> {
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => timeout.reject(new Error(`${name} was not stored in ${timeoutMs / 1_000} s`)),
      timeoutMs,
    )
    try {
      await Promise.race([store.put(name, content), timeout.promise])
    } catch (error) {
      if (error instanceof BrokenChainError || error instanceof NoSpaceError) throw error
      throw new StoreError(messageOf(error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async function work(): Promise<void> {
    if (leftLog !== undefined) {
      const continued = await goOn(leftLog).catch(() => undefined)
      if (leftLog !== undefined) chain = continued
      leftLog = undefined
    }
    const mine = (chain ??= begin())
    try {
      await storeAll(mine)
      if (chain === mine && isSnapshotDue(mine)) takeSnapshot(mine)
      if (mine.snapshot) onStatus({ at: log().checkedAt })
    } catch (error) {
      fail(mine, error)
    }
  }

  /**
   * Only a store that does not answer may answer later, and then everything is still in the log. A full disk must not become fuller by a
   * log that is kept.
   */
  function fail(mine: Chain, error: unknown) {
    if (chain === mine && !(error instanceof StoreError && mine.snapshot)) chain = undefined
    onStatus({ error: messageOf(error) })
  }

  function isSnapshotDue({ snapshot: last }: Chain): boolean {
    if (!last) return true
    return (
      now() - last.atMs >= limits.snapshotEveryMs ||
      last.bytesSince >= Math.max(limits.bytesMax / 2, last.bytes)
    )
  }

  /** One at a time. If it cannot begin now, it is tried again later, also without writes. */
  function takeSnapshot(mine: Chain) {
    if (snapshotting) return
    const waitMs = snapshotRetryAtMs - now()
    if (waitMs > 0) {
      snapshotTimer ??= setTimeout(() => {
        snapshotTimer = undefined
        void ship()
      }, waitMs)
      return
    }
    snapshotting = snapshot(mine).finally(() => {
      snapshotting = undefined
      // Meanwhile another generation may have begun.
      if (chain && chain !== mine) void ship()
    })
  }

  async function snapshot(mine: Chain): Promise<void> {
    try {
      await using staging = await createStaging(dataDir)
      const file = join(staging.folder, 'snapshot.sqlite')
      const atMs = now()
      isCopying = true
      // The copy begins at once, and the log cannot be restarted before it ends: the segments of this run complete it.
      const copied = copySqlite(path, file).finally(() => (isCopying = false))
      const run = isRestarting(mine) ? mine.run + 1 : mine.run
      await copied
      // It counts from the end of the next segment.
      await shipping
      await ship()
      if (chain !== mine || mine.captured) return
      const item = { generation: mine.generation, number: mine.number, run, at: mine.at }
      const { content, result } = compressed(file)
      await put(nameOf({ ...item, kind: 'sqlite' }), content, SNAPSHOT_TIMEOUT_MS)
      const { storedBytes, ...described } = result()
      await put(
        nameOf({ ...item, kind: 'json' }),
        Buffer.from(JSON.stringify({ svcSnapshot: 1, ...described })),
      )
      mine.snapshot = { atMs, bytes: storedBytes, bytesSince: 0 }
      // Reports the time.
      void ship()
    } catch (error) {
      snapshotRetryAtMs = now() + limits.snapshotRetryMs
      // An older snapshot and its segments can still be used.
      if (mine.snapshot) onStatus({ error: messageOf(error) })
      else fail(mine, error)
      return
    }
    // What cannot be removed now is removed after the next snapshot.
    await removeOld(mine).catch((error: unknown) => onStatus({ error: messageOf(error) }))
  }

  async function removeOld({ generation }: Chain) {
    const keepFrom = new Date(now() - limits.keepMs).toISOString()
    const items = itemsOf(await store.list(''))
    for (const { name } of removable(items, { current: generation, keepFrom, bytesMax: limits.bytesMax }))
      await store.remove(name)
  }

  /** Stores everything that is committed. Never rejects; the status says what failed. */
  function ship(): Promise<void> {
    return (shipping ??= work().finally(() => (shipping = undefined)))
  }

  return {
    ship,

    /**
     * Whether the log may be restarted: all of it is read. With `isForced` the answer is always yes; if something is missing then, a new
     * generation begins.
     */
    mayRestart(isForced: boolean): boolean {
      if (leftLog !== undefined && !isForced) {
        void ship()
        return false
      }
      leftLog = undefined
      const mine = chain
      if (!mine) return true
      try {
        const isBusy = isCopying || shipping !== undefined || mine.captured !== undefined
        const isReady = !isBusy && (capture(mine)?.isPoint ?? true)
        if (isReady) mine.restartableAt = mine.offset
        if (mine.captured) void ship()
        if (!isReady && isForced) chain = undefined
        return isReady || isForced
      } catch (error) {
        fail(mine, error)
        return true
      }
    },

    /** The log was restarted, and `mayRestart` had allowed it. */
    onRestart() {
      if (!chain) return
      try {
        Object.assign(chain, {
          ...UNREAD,
          captured: chain.captured,
          run: chain.run + 1,
          salts: log().salts(),
        })
      } catch (error) {
        fail(chain, error)
      }
    },

    /** Stores the rest. Returns where the generation can go on if the database is closed now and not changed by anybody else. */
    async finish(): Promise<Resumed | undefined> {
      clearTimeout(snapshotTimer)
      await shipping
      await ship()
      reader?.close()
      reader = undefined
      if (!chain?.snapshot || chain.captured) return undefined
      const { generation, run, number, at, snapshot: last } = chain
      return { generation, run, number, at, snapshot: last }
    },
  }
}

const UNREAD = { salts: undefined, offset: 0, restartableAt: undefined, captured: undefined }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The compressed bytes of a file; `result` is known after the last of them. */
function compressed(file: string) {
  const hash = createHash('sha256')
  let bytes = 0
  let storedBytes = 0
  async function* count(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  async function* read(): AsyncGenerator<Buffer> {
    const output = createZstdCompress(FAST)
    // Its errors arrive at the reader of the last stream.
    pipeline(createReadStream(file, { highWaterMark: CHUNK_BYTES }), count, output, () => {})
    for await (const chunk of output as AsyncIterable<Buffer>) {
      storedBytes += chunk.length
      yield chunk
    }
  }
  return { content: read(), result: () => ({ bytes, storedBytes, sha256: hash.digest('hex') }) }
}
