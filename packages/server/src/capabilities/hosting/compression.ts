import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'

import type { Background } from '../../platform/background.ts'
import type { BlobStore } from './blobs-store.ts'
import type { Blobs } from './ports.ts'

type CopyDeps = { blobs: Blobs; background: Background; report(failure: object): void }
export type Compressor = ReturnType<typeof createCompressor>

/** A file and the sizes of its compressed copies, which are set when the copies exist. */
type Compressible = { key: string; size: number; brSize: number | null; gzSize: number | null }

const WAITING_MAX = 50_000
/** Above this size the best compression takes too long. */
const BEST_BYTES_MAX = 1024 * 1024
/** A copy that is larger than this share of the file is not stored. */
const WORTH = 0.95

/**
 * Creates compressed copies of text files once and stores them next to the file. One at a time and in the background: zlib uses the
 * few threads that also read and write files. Until the copies exist, browsers get the uncompressed file.
 */
export function createCompressor(rows: BlobStore, { blobs, background, report }: CopyDeps) {
  const waiting = new Map<string, Compressible>()
  let isWorking = false
  let isStopped = false

  async function makeCopy(key: string, copyKey: string, compressed: (bytes: Readable) => Readable) {
    const original = await blobs.open(key)
    if (!original) return undefined
    const copy = compressed(original.stream)
    try {
      return await blobs.put(copyKey, copy)
    } finally {
      // If the store failed, the stream is unread: destroy it, or the file handle leaks (Node exits when a FileHandle is collected open).
      copy.destroy()
    }
  }

  async function makeBoth(file: Compressible) {
    const { key, size } = file
    const br = await makeCopy(key, `${key}.br`, brotli(size))
    const gz = await makeCopy(key, `${key}.gz`, gzip)
    if (!br || !gz) return
    const [brSize, gzSize] = [br.size, gz.size].map((copy) => (copy < size * WORTH ? copy : 0)) as [
      number,
      number,
    ]
    const isStored = await rows.setCopies(key, brSize, gzSize)
    if (brSize === 0 || !isStored) await blobs.remove(`${key}.br`)
    if (gzSize === 0 || !isStored) await blobs.remove(`${key}.gz`)
    if (isStored) Object.assign(file, { brSize, gzSize })
  }

  async function work() {
    if (isWorking) return
    isWorking = true
    for (const [key, file] of waiting) {
      waiting.delete(key)
      // It is tried again when its version is loaded again.
      await makeBoth(file).catch((error: unknown) => report({ err: error, key }))
      if (isStopped) break
    }
    isWorking = false
  }

  return {
    enqueue(files: Iterable<Compressible>) {
      for (const file of files) if (waiting.size < WAITING_MAX) waiting.set(file.key, file)
      if (waiting.size > 0 && !isStopped) background.run(work)
    },
    stop: () => void (isStopped = true),
  }
}

const brotli = (size: number) => (bytes: Readable) =>
  pipeline(
    bytes,
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: size <= BEST_BYTES_MAX ? 11 : 8,
        [constants.BROTLI_PARAM_SIZE_HINT]: size,
      },
    }),
    ignoreFailure,
  )

const gzip = (bytes: Readable) => pipeline(bytes, createGzip({ level: 9 }), ignoreFailure)

/** The reader of the last stream gets the error. */
const ignoreFailure = () => {}
