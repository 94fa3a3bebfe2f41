import type { Timer, Timers } from '../timers.ts'
import { type Actor, type ActorId, type ConnectionRef, nameOf, type ActorContext } from './actor.ts'
import type { Members } from './members.ts'

type Work = () => unknown

export type LocalActorNeeds = {
  id: ActorId
  members: Members
  timers: Timers
  /** Whether a name claimed under this fence is still this node's. */
  isOwned(fence: number): boolean
  tell(connection: ConnectionRef, event: object): void
  ended(localActor: LocalActor): void
  /** Nobody waits for what a timer does or a lost member leads to, so nobody else would hear of its failure. */
  report(error: unknown): void
}

/** The actor has ended or is on another node by now: ask again. */
export class ActorMovedError extends Error {}

/** How long a timer that is due waits while this node may not speak for what it owns. */
const NOT_LIVE_RETRY_MS = 500

/** An actor on this node: its mailbox, its timers and whether there is something new to keep. */
export class LocalActor {
  readonly id: ActorId
  readonly name: string
  readonly context: ActorContext
  fence = 0
  /** Something changed since the snapshot was last kept. */
  isDirty = true
  isOver = false
  #actor: Actor<never, unknown> | undefined
  #busy: Promise<unknown> | undefined
  readonly #timers = new Set<Timer>()
  readonly #needs: LocalActorNeeds

  constructor(needs: LocalActorNeeds) {
    this.id = needs.id
    this.name = nameOf(needs.id)
    this.#needs = needs
    this.context = {
      id: needs.id,
      members: needs.members,
      tell: needs.tell,
      after: (ms, work) => this.#after(ms, work),
      changed: () => void (this.isDirty = true),
      assertStillOwner: () => this.#requireOwned(),
      end: () => this.#end(),
    }
  }

  /** Before it does or says anything: another node may have taken it. */
  get isOwned(): boolean {
    return this.#needs.isOwned(this.fence)
  }

  get actor(): Actor<never, unknown> {
    if (!this.#actor) throw new Error(`${this.name} is not open yet`)
    return this.#actor
  }

  begin(actor: Actor<never, unknown>) {
    this.#actor = actor
  }

  receive(message: unknown): unknown {
    return this.#enqueue(() => this.actor.receive(message as never))
  }

  memberDisconnected(ref: ConnectionRef) {
    this.#runDetached(() => {
      if (this.context.members.forget(ref)) this.actor.memberDisconnected(ref)
    })
  }

  /** Nothing of it happens any more on this node; its name is another's affair. */
  abandon() {
    this.isOver = true
    this.#timers.forEach((timer) => timer.cancel())
    this.#timers.clear()
  }

  /** At once where nothing is under way, which is nearly always; the answer is a promise only if it must be. */
  #enqueue(work: Work): unknown {
    if (this.isOver) throw new ActorMovedError()
    if (this.#busy) {
      const turn = this.#busy.then(() => {
        if (this.isOver) throw new ActorMovedError()
        return work()
      })
      return this.#markBusy(turn)
    }
    const answer = work()
    return answer instanceof Promise ? this.#markBusy(answer) : answer
  }

  #requireOwned() {
    if (this.isOver || !this.isOwned) throw new ActorMovedError()
  }

  #runDetached(work: Work) {
    const report = (error: unknown) => {
      if (!(error instanceof ActorMovedError)) this.#needs.report(error)
    }
    try {
      const answer = this.#enqueue(work)
      if (answer instanceof Promise) answer.catch(report)
    } catch (error) {
      report(error)
    }
  }

  #markBusy(work: Promise<unknown>): Promise<unknown> {
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
      if (this.isOwned) return this.#runDetached(work)
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
    for (const ref of this.context.members.refs()) this.context.members.remove(ref)
    this.#needs.ended(this)
  }
}
