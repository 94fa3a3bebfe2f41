import { ApiError } from '../../../../platform/api-error.ts'

const CRASHES_MAX = 5
const WINDOW_MS = 60_000
const START_AGAIN_MS = 30_000

/** The crashes of an environment: a process that crashes again and again is started rarely. */
export class Crashes {
  #times: number[] = []

  note() {
    this.#times.push(performance.now())
  }

  /** There is other code. */
  reset() {
    this.#times = []
  }

  /** Throws `functions_unavailable` while no process may start. */
  assertMayStart() {
    const now = performance.now()
    this.#times = this.#times.filter((at) => now - at < WINDOW_MS)
    const last = this.#times.at(-1) ?? -Infinity
    if (this.#times.length >= CRASHES_MAX && now - last < START_AGAIN_MS)
      throw new ApiError('functions_unavailable')
  }
}
