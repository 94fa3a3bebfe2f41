export type ByteReader = ReturnType<typeof createByteReader>

/** Reads a stream of chunks by numbers of bytes. */
export function createByteReader(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** The next bytes, at most `bytesMax`; undefined at the end. */
  async function some(bytesMax: number): Promise<Buffer | undefined> {
    while (held.length === 0) {
      const next = await iterator.next()
      if (next.done) return undefined
      held = next.value
    }
    const taken = held.subarray(0, bytesMax)
    held = held.subarray(taken.length)
    return taken
  }

  /** The next bytes, exactly that many unless the stream ends. */
  async function upTo(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = bytes; left > 0;) {
      const part = await some(left)
      if (!part) break
      parts.push(part)
      left -= part.length
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)
  }

  return {
    upTo,

    /** The next bytes; throws if the stream ends before. */
    async take(bytes: number): Promise<Buffer> {
      const taken = await upTo(bytes)
      if (taken.length < bytes) throw truncated()
      return taken
    },

    /** The next bytes as chunks, for one reader; a second loop over them continues where the first one ended. */
    stream(bytes: number): AsyncIterable<Buffer> {
      let left = bytes
      return {
        [Symbol.asyncIterator]: () => ({
          async next() {
            if (left === 0) return { done: true, value: undefined }
            const value = await some(left)
            if (!value) throw truncated()
            left -= value.length
            return { done: false, value }
          },
        }),
      }
    },

    async *rest(): AsyncGenerator<Buffer> {
      for (let part = await some(Infinity); part; part = await some(Infinity)) yield part
    },

    /** Ends the stream, also before its end: files are closed. */
    async end(): Promise<void> {
      await iterator.return?.()
    },
  }
}

const truncated = () => new Error('the backup is truncated')
