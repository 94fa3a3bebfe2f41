import { SECOND_MS } from '../clock.ts'

/**
 * Messages per second, for the live view. Counting is on the hot path, so it is one addition; the clock is read only when the rate
 * is.
 */
export class MessageRate {
  #count = 0
  #countedMs: number
  #rate = 0

  constructor(nowMs: number) {
    this.#countedMs = nowMs
  }

  add() {
    this.#count++
  }

  /**
   * The rate since the last reading that was at least a second ago; before a second has passed, the same rate is returned again.
   */
  read(nowMs: number): number {
    const ms = nowMs - this.#countedMs
    if (ms < SECOND_MS) return this.#rate
    this.#rate = Math.round((this.#count / ms) * 10_000) / 10
    this.#count = 0
    this.#countedMs = nowMs
    return this.#rate
  }
}
