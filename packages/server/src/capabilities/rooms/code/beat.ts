import { type Clock, SECOND_MS } from '../../../platform/clock.ts'
import type { Timer, Timers } from '../../../platform/time/timers.ts'

type BeatDeps<Member> = {
  clock: Clock
  timers: Timers
  /** By the elapsed time of the clock: ticks are at `originMs` plus a multiple of their period. */
  originMs: number
  tickRate: number
  /** Into how many parts of a period the members are spread; may change at any time. */
  slots(): number
  /** `missed` ticks before this one were not made, because this process was late. */
  due(member: Member, missed: number): void
}

/** Rounding must not move a tick to the next millisecond. */
const EPSILON = 1e-6

/** The ticks of all members with one tick rate. A stopped clock makes them one by one, as it is moved. */
export class Beat<Member> {
  readonly #deps: BeatDeps<Member>
  /** Member → its number, which decides its slot. */
  readonly #members = new Map<Member, number>()
  #count = 0
  #timer: Timer | undefined
  /** The last slot that was handled, counted from the origin. */
  #last = 0
  #slots = 1

  constructor(deps: BeatDeps<Member>) {
    this.#deps = deps
  }

  add(member: Member) {
    this.#members.set(member, this.#count++)
    if (this.#timer) return
    this.#slots = this.#deps.slots()
    this.#last = this.#now()
    this.#arm()
  }

  remove(member: Member) {
    this.#members.delete(member)
    if (this.#members.size === 0) this.stop()
  }

  stop() {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#members.clear()
  }

  get #stepMs(): number {
    return SECOND_MS / this.#deps.tickRate / this.#slots
  }

  /** The number of the slot of this moment. */
  #now(): number {
    return Math.floor((this.#deps.clock.elapsedMs() - this.#deps.originMs) / this.#stepMs + EPSILON)
  }

  #arm() {
    const nextMs = this.#deps.originMs + (this.#now() + 1) * this.#stepMs
    const ms = Math.max(1, Math.ceil(nextMs - this.#deps.clock.elapsedMs() - EPSILON))
    this.#timer = this.#deps.timers.after(ms, () => this.#fire())
  }

  #fire() {
    const [from, to] = [this.#last, this.#now()]
    this.#last = to
    for (const [member, number] of this.#members) {
      const slot = number % this.#slots
      const passed = Math.floor((to - slot) / this.#slots) - Math.floor((from - slot) / this.#slots)
      if (passed > 0) this.#deps.due(member, passed - 1)
    }
    if (this.#slots !== this.#deps.slots()) {
      this.#slots = this.#deps.slots()
      this.#last = this.#now()
    }
    if (this.#members.size > 0) this.#arm()
    else this.#timer = undefined
  }
}
