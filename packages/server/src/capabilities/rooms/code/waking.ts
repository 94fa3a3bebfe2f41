import type { ActorContext } from '../../../platform/actors/actor.ts'
import { type Clock, millisecondsOf } from '../../../platform/clock.ts'
import type { Timer } from '../../../platform/time/timers.ts'

/** As often as the fastest ticks: code that wakes itself at once would keep this service busy. */
const WAKE_MS_MIN = 1_000 / 60

/**
 * When the code of a room runs by itself next (`this.wakeAt`). The time is kept until a snapshot has what the code did then, so that no
 * restart loses it.
 */
export class Waking {
  atMs: number | null
  /** The event waits in the inbox. */
  isWaiting = false
  #wasHanded = false
  #timer: Timer | undefined
  readonly #context: ActorContext
  readonly #clock: Clock
  readonly #push: () => void

  constructor(context: ActorContext, clock: Clock, atMs: number | null, push: () => void) {
    this.#context = context
    this.#clock = clock
    this.atMs = atMs
    this.#push = push
  }

  set(atMs: number | null) {
    this.atMs = atMs
    this.#wasHanded = false
    this.plan()
  }

  plan(leastMs = WAKE_MS_MIN) {
    this.cancel()
    if (this.atMs === null) return
    const inMs = Math.max(leastMs, this.atMs - millisecondsOf(this.#clock))
    this.#timer = this.#context.after(inMs, () => this.#due())
  }

  #due() {
    if (this.isWaiting || this.atMs === null) return
    // The clock was set back: the code must not run before the date that it has chosen.
    if (millisecondsOf(this.#clock) < this.atMs) return this.plan(1)
    this.isWaiting = true
    this.#push()
  }

  /** The code gets the event in the turn that is sent now. */
  handed() {
    this.isWaiting = false
    this.#wasHanded = true
  }

  /** A snapshot has what the code did with everything that was handed over. Returns whether the time has passed by it. */
  saved(): boolean {
    if (!this.#wasHanded) return false
    this.#wasHanded = false
    this.atMs = null
    return true
  }

  /** The code starts again from its last snapshot. */
  restarted() {
    this.isWaiting = this.#wasHanded = false
    this.plan()
  }

  cancel() {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
