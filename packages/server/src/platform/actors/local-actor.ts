import type { Timer, Timers } from '../time/timers.ts'
import {
  type Actor,
  type ActorContext,
  type ActorId,
  ActorMovedError,
  type ConnectionRef,
  DetachedAnswer,
  nameOf,
} from './actor.ts'
import type { Members } from './members.ts'

type Work = () => unknown
type Message = { type: string }

/** The handlers of an actor kind, without its types. */
export type AnyHandlers = Record<string, (actor: never, message: never) => unknown>

/** What an actor on this node needs. `ended` is called when the actor ends itself, not when it moves. */
export type LocalActorDeps = {
  id: ActorId
  handlers: AnyHandlers
  members: Members
  timers: Timers
  /** Whether a name claimed under this fence still belongs to this node. */
  isLive(fence: number): boolean
  sendText(connection: ConnectionRef, text: string): void
  save(localActor: LocalActor): void
  ended(localActor: LocalActor): void
  /** Timers and disconnects have no caller, so their errors are reported here. */
  report(error: unknown): void
}

/** A due timer runs again after this time if this node may not act for its actors at the moment. */
const NOT_LIVE_RETRY_MS = 500

/** An actor on this node: its mailbox, its timers, and whether its snapshot must be saved. */
export class LocalActor {
  readonly id: ActorId
  readonly name: string
  readonly context: ActorContext
  fence = 0
  /** Changed since the snapshot was last saved. */
  isDirty = true
  isOver = false
  #actor: Actor<unknown> | undefined
  #busy: Promise<unknown> | undefined
  readonly #timers = new Set<Timer>()
  readonly #deps: LocalActorDeps

  constructor(deps: LocalActorDeps) {
    this.id = deps.id
    this.name = nameOf(deps.id)
    this.#deps = deps
    this.context = {
      id: deps.id,
      members: deps.members,
      sendEvent: (connection, event) => deps.sendText(connection, JSON.stringify(event)),
      sendText: deps.sendText,
      after: (ms, work) => this.#after(ms, work),
      changed: () => void (this.isDirty = true),
      save: () => deps.save(this),
      assertStillOwner: () => this.#assertStillOwner(),
      whenOwned: (work) => this.#whenOwned(work),
      end: (first) => this.#end(first),
    }
  }

  /** Whether this node still owns the actor. Check before sending anything. */
  get isOwned(): boolean {
    return this.#deps.isLive(this.fence)
  }

  get actor(): Actor<unknown> {
    if (!this.#actor) throw new Error(`${this.name} is not open yet`)
    return this.#actor
  }

  begin(actor: Actor<unknown>) {
    this.#actor = actor
  }

  receive(message: Message): unknown {
    return this.#enqueue(() => this.#handle(message))
  }

  memberDisconnected(ref: ConnectionRef, wasLost: boolean) {
    this.#runDetached(() => {
      if (this.context.members.forget(ref)) this.actor.memberDisconnected(ref, wasLost)
    })
  }

  /** Stops the actor on this node: cancels its timers and rejects queued messages. Does not release the name. */
  stop() {
    if (this.isOver) return
    this.isOver = true
    this.#timers.forEach((timer) => timer.cancel())
    this.#timers.clear()
    try {
      this.#actor?.close?.()
    } catch (error) {
      this.#deps.report(error)
    }
  }

  #handle(message: Message): unknown {
    const handler = this.#deps.handlers[message.type]
    if (!handler) throw new Error(`${this.id.kind} does not know messages of the type ${message.type}`)
    return handler(this.actor as never, message as never)
  }

  /** Runs synchronously when the mailbox is idle (the usual case); returns a promise only when it must wait. */
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
    return answer instanceof Promise ? this.#markBusy(answer) : attached(answer)
  }

  #assertStillOwner() {
    if (this.isOver || !this.isOwned) throw new ActorMovedError()
  }

  #whenOwned(work: () => void): boolean {
    if (this.isOver) return false
    const { isOwned } = this
    if (isOwned) work()
    else this.#after(0, work)
    return isOwned
  }

  readonly #report = (error: unknown) => {
    if (!(error instanceof ActorMovedError)) this.#deps.report(error)
  }

  #runDetached(work: Work) {
    try {
      const answer = this.#enqueue(work)
      if (answer instanceof Promise) answer.catch(this.#report)
    } catch (error) {
      this.#report(error)
    }
  }

  /** The mailbox waits for `work` only, the caller also for a detached answer. */
  #markBusy(work: Promise<unknown>): Promise<unknown> {
    // A handler may have ended the actor, which then waits for something else than its answer.
    const settled = Promise.allSettled([this.#busy, work])
    const busy = settled.then(() => {
      if (this.#busy === busy) this.#busy = undefined
    })
    this.#busy = busy
    return work.then(attached)
  }

  #after(ms: number, work: () => unknown): Timer {
    const due = () => {
      this.#timers.delete(timer)
      if (this.isOver) return
      if (this.isOwned) return this.#runDetached(work)
      inner = this.#deps.timers.after(NOT_LIVE_RETRY_MS, due)
      this.#timers.add(timer)
    }
    let inner = this.#deps.timers.after(ms, due)
    const timer: Timer = {
      cancel: () => {
        inner.cancel()
        this.#timers.delete(timer)
      },
    }
    this.#timers.add(timer)
    return timer
  }

  #end(first?: () => Promise<unknown>) {
    if (this.isOver) return
    if (first)
      return this.#runDetached(async () => {
        await first().catch(this.#report)
        this.#end()
      })
    this.stop()
    for (const ref of this.context.members.refs()) this.context.members.remove(ref)
    this.#deps.ended(this)
  }
}

const attached = (answer: unknown) => (answer instanceof DetachedAnswer ? answer.promise : answer)
