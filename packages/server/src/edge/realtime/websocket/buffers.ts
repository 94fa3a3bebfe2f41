const BLOCK_BYTES_MIN = 1_024
const BLOCK_BYTES_MAX = 64 * 1_024
const EMPTY: Buffer = Buffer.of()

/**
 * Bytes that a slow peer has not read yet, copied into separate blocks: little more memory than the bytes themselves, and no
 * copying when they grow, which would create garbage of the same size.
 */
export class Backlog {
  readonly #blocks: Buffer[] = []
  /** The free part of the last block. */
  #free = EMPTY
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0;) {
      if (this.#free.length === 0) this.#addBlock()
      const part = rest.subarray(0, this.#free.length)
      this.#free.set(part)
      this.#free = this.#free.subarray(part.length)
      this.#length += part.length
      rest = rest.subarray(part.length)
    }
  }

  /** All that was appended, in order. */
  pieces(): Buffer[] {
    const last = this.#blocks.at(-1)
    if (!last) return []
    return [...this.#blocks.slice(0, -1), last.subarray(0, last.length - this.#free.length)]
  }

  #addBlock(): void {
    const bytes = Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, this.#length))
    // Not from Node's pool: a few bytes would keep 64 KiB in memory.
    this.#free = Buffer.allocUnsafeSlow(bytes)
    this.#blocks.push(this.#free)
  }
}

/**
 * Collects pieces of any size in one buffer of at most twice their size. Not a slice of Node's shared pool, of which a few bytes
 * would keep 64 KiB in memory.
 */
export class GrowingBuffer {
  #memory = EMPTY
  #length = 0

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#length))
      larger.set(this.bytes)
      this.#memory = larger
    }
    this.#memory.set(piece, this.#length)
    this.#length = length
  }
}
