const EMPTY: Buffer = Buffer.of()

/**
 * Bytes that come in pieces, however small, kept in one piece of memory at most twice as large. The memory is their own: a slice of
 * Node's shared pool would hold 64 KiB for as long as its few bytes are kept.
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
