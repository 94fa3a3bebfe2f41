import { buffer } from 'node:stream/consumers'

import type { Blobs } from './needs.ts'

export type HotFiles = ReturnType<typeof createHotFiles>

/** What an entry takes beside its bytes, so that very many very small files are bounded as well. */
const ENTRY_BYTES = 512

const costOf = (content: Buffer) => content.length + ENTRY_BYTES

/** Small files that were asked for lately, so that most visits touch no disk; bounded by their bytes. */
export function createHotFiles(blobs: Pick<Blobs, 'open'>, { bytesMax, fileBytesMax }: HotLimits) {
  /** The one asked for longest ago first. */
  const kept = new Map<string, Buffer>()
  const arriving = new Map<string, Promise<Buffer | undefined>>()
  let bytes = 0

  function keep(key: string, content: Buffer) {
    bytes += costOf(content)
    kept.set(key, content)
    for (const [oldest, content] of kept) {
      if (bytes <= bytesMax) break
      kept.delete(oldest)
      bytes -= costOf(content)
    }
  }

  async function read(key: string): Promise<Buffer | undefined> {
    const blob = await blobs.open(key)
    if (!blob) return undefined
    const content = await buffer(blob.stream)
    keep(key, content)
    return content
  }

  return {
    isSmall: (size: number) => size <= fileBytesMax,

    known(key: string): Buffer | undefined {
      const content = kept.get(key)
      if (content) {
        kept.delete(key)
        kept.set(key, content)
      }
      return content
    },

    /** Whoever asks while it is being read waits for the same. */
    read(key: string): Promise<Buffer | undefined> {
      const reading = arriving.get(key) ?? read(key).finally(() => arriving.delete(key))
      arriving.set(key, reading)
      return reading
    },
  }
}

export type HotLimits = { bytesMax: number; fileBytesMax: number }
