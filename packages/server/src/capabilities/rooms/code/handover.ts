import type { ActorContext } from '../../../platform/actors/actor.ts'
import { type Clock, millisecondsOf } from '../../../platform/clock.ts'
import type { Timer } from '../../../platform/time/timers.ts'

/** When a room moves to the live version of the functions. */
export class Handover {
  /** Null: it stays in its version. */
  atMs: number | null
  #timer: Timer | undefined
  readonly #context: ActorContext
  readonly #clock: Clock
  readonly #due: () => void

  constructor(context: ActorContext, clock: Clock, atMs: number | null, due: () => void) {
    this.#context = context
    this.#clock = clock
    this.atMs = atMs
    this.#due = due
  }

  /** An earlier plan stays. */
  plan(atMs: number) {
    this.atMs = Math.min(this.atMs ?? Infinity, atMs)
    this.retryIn(Math.max(0, this.atMs - millisecondsOf(this.#clock)))
  }

  retryIn(ms: number) {
    this.stop()
    this.#timer = this.#context.after(ms, this.#due)
  }

  cancel() {
    this.stop()
    this.atMs = null
  }

  stop() {
    this.#timer?.cancel()
  }
}
