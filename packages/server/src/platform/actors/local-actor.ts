import type { Timer, Timers } from '../timers.ts'
import { type Actor, type ActorId, type ConnectionRef, nameOf, type Stage } from './actor.ts'
import type { Members } from './members.ts'

type Work = () => unknown

export type LivingNeeds = {
  id: ActorId
  members: Members
  timers: Timers
  /** Whether a name claimed under this fence is still this node's. */
  isLive(fence: number): boolean
  tell(connection: ConnectionRef, event: object): void
  ended(living: Living): void
  /** Nobody waits for what a timer does or a lost member leads to, so nobody else would hear of its failure. */
  report(error: unknown): void
}

/** The actor has ended or is on another node by now: ask again. */
export class Moved extends Error {}

/** How long a timer that is due waits while this node may not speak for what it owns. */
const NOT_LIVE_RETRY_MS = 500

/** An actor on this node: its mailbox, its timers and whether there is something new to keep. */
export class Living {
  readonly id: ActorId
  readonly name: string
  readonly stage: Stage
  fence = 0
  /** Something changed since the snapshot was last kept. */
  isDirty = true
  isOver = false
  #actor: Actor<never, unknown> | undefined
  #busy: Promise<unknown> | undefined
  readonly #timers = new Set<Timer>()
  readonly #needs: LivingNeeds

  constructor(needs: LivingNeeds) {
    this.id = needs.id
    this.name = nameOf(needs.id)
    this.#needs = needs
    this.stage = {
      id: needs.id,
      members: needs.members,
      tell: needs.tell,
      after: (ms, work) => this.#after(ms, work),
      changed: () => void (this.isDirty = true),
      requireOwned: () => this.#requireOwned(),
      end: () => this.#end(),
    }
  }

  /** Before it does or says anything: another node may have taken it. */
  get isLive(): boolean {
    return this.#needs.isLive(this.fence)
  }

  get actor(): Actor<never, unknown> {
    if (!this.#actor) throw new Error(`${this.name} is not open yet`)
    return this.#actor
  }

  begin(actor: Actor<never, unknown>) {
    this.#actor = actor
  }

  receive(message: unknown): unknown {
    return this.#inTurn(() => this.actor.receive(message as never))
  }

  gone(ref: ConnectionRef) {
    this.#quietly(() => {
      if (this.stage.members.forget(ref)) this.actor.gone(ref)
    })
  }

  /** Nothing of it happens any more on this node; its name is another's affair. */
  abandon() {
    this.isOver = true
    this.#timers.forEach((timer) => timer.cancel())
    this.#timers.clear()
  }

  /** At once where nothing is under way, which is nearly always; the answer is a promise only if it must be. */
  #inTurn(work: Work): unknown {
    if (this.isOver) throw new Moved()
    if (this.#busy) {
      const turn = this.#busy.then(() => {
        if (this.isOver) throw new Moved()
        return work()
      })
      return this.#hold(turn)
    }
    const answer = work()
    return answer instanceof Promise ? this.#hold(answer) : answer
  }

  #requireOwned() {
    if (this.isOver || !this.isLive) throw new Moved()
  }

  #quietly(work: Work) {
    const report = (error: unknown) => {
      if (!(error instanceof Moved)) this.#needs.report(error)
    }
    try {
      const answer = this.#inTurn(work)
      if (answer instanceof Promise) answer.catch(report)
    } catch (error) {
      report(error)
    }
  }

  #hold(work: Promise<unknown>): Promise<unknown> {
    const settled = work.then(
      () => {},
      () => {},
    )
    const busy = settled.then(() => {
      if (this.#busy === busy) this.#busy = undefined
    })
    this.#busy = busy
    return work
  }

  #after(ms: number, work: () => unknown): Timer {
    const due = () => {
      this.#timers.delete(timer)
      if (this.isOver) return
      if (this.isLive) return this.#quietly(work)
      inner = this.#needs.timers.after(NOT_LIVE_RETRY_MS, due)
      this.#timers.add(timer)
    }
    let inner = this.#needs.timers.after(ms, due)
    const timer: Timer = {
      cancel: () => {
        inner.cancel()
        this.#timers.delete(timer)
      },
    }
    this.#timers.add(timer)
    return timer
  }

  #end() {
    if (this.isOver) return
    this.abandon()
    for (const ref of this.stage.members.refs()) this.stage.members.remove(ref)
    this.#needs.ended(this)
  }
}
