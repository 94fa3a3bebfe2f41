import { SECOND_MS } from './clock.ts'

/**
 * Messages per second, for the live view. To count a message is one addition, because it is the hot path; the time is looked at by
 * those who read the rate.
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

  /** Since the last reading that was at least a second ago; in between the rate stays as it was. */
  read(nowMs: number): number {
    const ms = nowMs - this.#countedMs
    if (ms < SECOND_MS) return this.#rate
    this.#rate = Math.round((this.#count / ms) * 10_000) / 10
    this.#count = 0
    this.#countedMs = nowMs
    return this.#rate
  }
}
