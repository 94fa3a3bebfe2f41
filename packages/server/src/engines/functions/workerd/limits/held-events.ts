import { epochMs } from '../../../../platform/clock.ts'

const HOLD_MS = 5_000
const HOLD_FACTOR = 4
/** Where requests were in progress, one of them may be the reason. */
const HOLD_MS_MAX = { unknown: 10 * 60_000, other: 60_000 }
/** A process that has lived for this long has handled its events. */
const LONG_MS = 15 * 60_000

/**
 * An alarm or a message that ends its process is due again when the next one starts. So after each end that may have this reason, alarms
 * and queues wait for a time that grows; requests are answered in the meantime.
 */
export class HeldEvents {
  /** By the machine's clock. */
  untilMs = 0
  readonly #firstMs: number
  #ends = 0
  #lastAt = 0

  constructor(firstMs = HOLD_MS) {
    this.#firstMs = firstMs
  }

  noteCleanEnd() {
    this.#ends = 0
  }

  /** There is other code. */
  reset() {
    this.#ends = 0
    this.untilMs = 0
  }

  /** `isUnknown`: no request was the reason. */
  noteUncleanEnd(isUnknown: boolean) {
    const now = epochMs()
    if (now - this.#lastAt > LONG_MS) this.#ends = 0
    this.#lastAt = now
    const max = isUnknown ? HOLD_MS_MAX.unknown : HOLD_MS_MAX.other
    this.untilMs = now + Math.min(this.#firstMs * HOLD_FACTOR ** this.#ends, max)
    this.#ends++
  }
}
