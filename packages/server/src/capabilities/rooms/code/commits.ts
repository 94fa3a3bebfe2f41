import { LIMITS } from '@svc/contract/common/limits'

import { type ActorContext, ActorMovedError } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { SECOND_MS } from '../../../platform/clock.ts'
import { endOf } from './calls.ts'
import type { Waiting } from './inbox.ts'
import type { Keeping } from './keeping.ts'
import type { CodeRunner } from './runner.ts'

type CommitsDeps = {
  runner: Pick<CodeRunner, 'progress' | 'wake'>
  keeping: Pick<Keeping, 'saveNext'>
  report(error: unknown): void
}

/** An answer that is not sent yet. */
type Held = { send(): void; refuse(end: string): void }

/**
 * The answers of a kept room without ticks. They are sent when the database has what was answered, so that no move is lost that its player
 * has seen confirmed. One write at a time: the answers that come meanwhile share the next one.
 */
export class Commits {
  /** Those that no snapshot has. */
  #held: Held[] = []
  #isSaving = false
  /** The turn that is not answered yet ends with a snapshot. */
  #isAsked = false
  #isOver = false
  readonly #context: ActorContext
  readonly #deps: CommitsDeps

  constructor(context: ActorContext, deps: CommitsDeps) {
    this.#context = context
    this.#deps = deps
  }

  get #isUsed(): boolean {
    return !this.#isOver && this.#deps.runner.progress.code.tickRate === 0
  }

  get isFull(): boolean {
    return this.#held.length >= LIMITS.roomWaitingInputsMax
  }

  hold(held: Held) {
    if (this.#isUsed) this.#held.push(held)
    else held.send()
  }

  /** `waiting`: what the code gets in the turn that could end with a snapshot. */
  wantsSnapshot(waiting: readonly Waiting[]): boolean {
    if (this.#isSaving || !this.#isUsed) return false
    this.#isAsked = this.#held.length > 0 || waiting.some(({ ask }) => ask !== undefined)
    return this.#isAsked
  }

  /** `hasFailed`: the code has made no snapshot in this turn. If it was to make one, it threw an error, and nothing can be written. */
  turnDone(hasFailed: boolean) {
    if (this.#isAsked && hasFailed) {
      this.#isAsked = false
      this.#sendAll()
    }
    if (this.#held.length > 0 && !this.#isSaving) this.#deps.runner.wake()
  }

  /** The code has made a snapshot after these answers. */
  snapped() {
    this.#isAsked = false
    if (this.#isSaving || this.#held.length === 0) return
    this.#isSaving = true
    this.#commit(this.#held.splice(0))
  }

  #commit(answers: readonly Held[]) {
    this.#deps.keeping.saveNext().then(
      () => {
        this.#isSaving = false
        for (const { send } of answers) send()
        if (this.#held.length > 0) this.#deps.runner.wake()
      },
      (error: unknown) => {
        if (error instanceof ActorMovedError) return refuse(answers, new ApiError('service_unavailable'))
        this.#deps.report(error)
        this.#context.after(SECOND_MS, () => this.#commit(answers))
      },
    )
  }

  /** The code ends the room: there is nothing to write. */
  end() {
    this.#isOver = true
    this.#sendAll()
  }

  #sendAll() {
    for (const { send } of this.#held.splice(0)) send()
  }

  /** No snapshot will have them. */
  refuseAll(refusal: ApiError) {
    refuse(this.#held.splice(0), refusal)
  }
}

function refuse(answers: readonly Held[], refusal: ApiError) {
  for (const held of answers) held.refuse(endOf(refusal))
}
