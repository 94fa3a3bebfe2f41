const PACKETS_PER_SECOND_MAX = 80
const BYTES_PER_SECOND_MAX = 64_000 / 8

/** How much one member may send: a token bucket of one second. */
export class PublisherLimit {
  #packets = PACKETS_PER_SECOND_MAX
  #bytes = BYTES_PER_SECOND_MAX
  #atMs = 0

  /** False: too much. */
  admits(bytes: number, nowMs: number): boolean {
    const seconds = (nowMs - this.#atMs) / 1_000
    this.#atMs = nowMs
    this.#packets = Math.min(PACKETS_PER_SECOND_MAX, this.#packets + seconds * PACKETS_PER_SECOND_MAX)
    this.#bytes = Math.min(BYTES_PER_SECOND_MAX, this.#bytes + seconds * BYTES_PER_SECOND_MAX)
    if (this.#packets < 1 || this.#bytes < bytes) return false
    this.#packets--
    this.#bytes -= bytes
    return true
  }
}
