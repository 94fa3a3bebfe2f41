const BLOCK_BYTES_MIN = 1_024
const BLOCK_BYTES_MAX = 64 * 1_024
const EMPTY: Buffer = Buffer.of()

/**
 * Bytes that a slow peer has yet to take, copied into blocks of their own: memory for little more than them, and nothing is moved when
 * they become many, which would leave as much again to the garbage collector.
 */
export class Backlog {
  readonly #blocks: Buffer[] = []
  /** What is left of the last block. */
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

  /** In order; together they are all that was appended. */
  pieces(): Buffer[] {
    const last = this.#blocks.at(-1)
    if (!last) return []
    return [...this.#blocks.slice(0, -1), last.subarray(0, last.length - this.#free.length)]
  }

  #addBlock(): void {
    const bytes = Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, this.#length))
    // Not from Node's pool, of which a few bytes would hold 64 KiB.
    this.#free = Buffer.allocUnsafeSlow(bytes)
    this.#blocks.push(this.#free)
  }
}
