import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** The part of the blob store that responses need. */
export type BlobReader = {
  open(
    key: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; stream: Readable } | undefined>
}
export type FileCacheLimits = { bytesMax: number; fileBytesMax: number }

/** The memory of an entry besides its bytes, so that very many very small files are bounded, too. */
const ENTRY_BYTES = 512

const costOf = (content: Buffer) => content.length + ENTRY_BYTES

/** Small files that were requested recently, so that most requests do not read from disk; bounded by their bytes. */
export function createFileCache(blobs: BlobReader, { bytesMax, fileBytesMax }: FileCacheLimits) {
  /** Least recently used first. */
  const cached = new Map<string, Buffer>()
  const reading = new Map<string, Promise<Buffer | undefined>>()
  let bytes = 0

  function add(key: string, content: Buffer) {
    bytes += costOf(content)
    cached.set(key, content)
    for (const [oldest, content] of cached) {
      if (bytes <= bytesMax) break
      cached.delete(oldest)
      bytes -= costOf(content)
    }
  }

  async function load(key: string): Promise<Buffer | undefined> {
    const blob = await blobs.open(key)
    if (!blob) return undefined
    const content = await buffer(blob.stream)
    add(key, content)
    return content
  }

  return {
    isSmall: (size: number) => size <= fileBytesMax,

    find(key: string): Buffer | undefined {
      const content = cached.get(key)
      if (content) {
        cached.delete(key)
        cached.set(key, content)
      }
      return content
    },

    /** Concurrent callers share one read. */
    read(key: string): Promise<Buffer | undefined> {
      const read = reading.get(key) ?? load(key).finally(() => reading.delete(key))
      reading.set(key, read)
      return read
    },
  }
}
