import type { ActorContext } from '../../../platform/actors/actor.ts'
import type { Effect } from './answers.ts'

export type HeldAnswer = { effects: readonly Effect[]; turn: number; atMs: number }

/**
 * Answers that came while another node may have owned the room: nothing of them is sent until this node owns it again, and then in the same
 * order.
 */
export class HeldAnswers {
  #held: HeldAnswer[] = []
  readonly #context: ActorContext
  readonly #apply: (held: readonly HeldAnswer[]) => void

  constructor(context: ActorContext, apply: (held: readonly HeldAnswer[]) => void) {
    this.#context = context
    this.#apply = apply
  }

  get isEmpty(): boolean {
    return this.#held.length === 0
  }

  /** Reads only memory. */
  get isOwned(): boolean {
    try {
      this.#context.assertStillOwner()
      return true
    } catch {
      return false
    }
  }

  add(held: HeldAnswer) {
    this.#held.push(held)
    if (this.#held.length === 1) this.#context.whenOwned(() => this.#applyAll())
  }

  #applyAll() {
    const held = this.#held
    this.#held = []
    if (held.length > 0) this.#apply(held)
  }

  clear() {
    this.#held = []
  }
}
