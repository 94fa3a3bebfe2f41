import { monotonicMs, SECOND_MS } from '../../../platform/clock.ts'
import { BrokenAnswerError } from './answers.ts'

const MESSAGES_MAX = 10_000
const BYTES_MAX = 32 * 1024 * 1024

/** What the code does after an `await` comes by itself: more in a second is a flood, which would keep this service busy. */
export class LaterMessages {
  #messages = 0
  #bytes = 0
  #sinceMs = 0

  /** Throws BrokenAnswerError. */
  count(bytes: number) {
    const nowMs = monotonicMs()
    if (nowMs - this.#sinceMs >= SECOND_MS) [this.#messages, this.#bytes, this.#sinceMs] = [0, 0, nowMs]
    this.#messages++
    this.#bytes += bytes
    if (this.#messages > MESSAGES_MAX || this.#bytes > BYTES_MAX)
      throw new BrokenAnswerError('a flood of messages')
  }
}
