import {
  type ActorContext,
  ActorMovedError,
  type ConnectionRef,
  DetachedAnswer,
} from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { CallsSnapshot, Message, Signal } from '../room-protocol.ts'
import type { Room } from '../room.ts'
import { CodeAsks, type OnAnswer } from './asks.ts'
import { CodeCalls, endOf } from './calls.ts'
import { Commits } from './commits.ts'
import type { Keeping } from './keeping.ts'
import type { CodeRunner } from './runner.ts'
import type { CodeViewers } from './viewers.ts'

type MessagesDeps = {
  clock: Clock
  room: Room
  runner: CodeRunner
  viewers: CodeViewers
  calls: CallsSnapshot
  keeping: Keeping | undefined
  report(error: unknown): void
}

const DONE = {}
const LATER = { isLater: true } as const

/** What players and servers send to the code of a room, and the replies of the code. */
export class CodeMessages {
  readonly asks = new CodeAsks()
  readonly calls: CodeCalls
  /** Only of a kept room. */
  readonly commits: Commits | undefined
  #isReleasing = false
  readonly #context: ActorContext
  readonly #clock: Clock
  readonly #room: Room
  readonly #runner: CodeRunner
  readonly #viewers: CodeViewers

  constructor(context: ActorContext, deps: MessagesDeps) {
    const { clock, room, runner, viewers, calls, keeping, report } = deps
    this.calls = new CodeCalls(calls)
    this.commits = keeping && new Commits(context, { runner, keeping, report })
    this.#context = context
    this.#clock = clock
    this.#room = room
    this.#runner = runner
    this.#viewers = viewers
  }

  // Players

  send(ref: ConnectionRef, { messageType, data, seq, rid, call }: Message) {
    const playerId = this.#senderOf(ref)
    const fields = `"${playerId}",${seq ?? null},${JSON.stringify(messageType)},${data}]`
    this.#room.messages.count()
    if (rid === undefined) {
      this.#push(`["in",${fields}`, { playerId })
      return DONE
    }
    const head = `{"t":"reply","rid":${JSON.stringify(rid)}`
    const reply = (end: string) => this.#context.sendText(ref, `${head}${end}`)
    if (call === undefined)
      this.#ask(askOf(fields), (answer, isOfCode) => {
        const held = { send: () => reply(endOf(answer)), refuse: reply }
        if (isOfCode && this.commits) this.commits.hold(held)
        else held.send()
      })
    else if (this.calls.begin(playerId, call, reply)) this.#call(playerId, call, fields)
    return LATER
  }

  #call(playerId: string, call: number, fields: string) {
    const { calls } = this
    try {
      this.#ask(askOf(fields), (answer, isOfCode) => {
        const end = endOf(answer)
        if (!isOfCode) return calls.refused(playerId, call, end)
        const send = calls.answered(playerId, call, end)
        if (!this.commits) return send()
        this.commits.hold({ send, refuse: (refusal) => calls.refused(playerId, call, refusal) })
      })
    } catch (error) {
      calls.forget(playerId, call)
      throw error
    }
  }

  #senderOf(ref: ConnectionRef): string {
    try {
      return this.#room.playerOf(ref)
    } catch (error) {
      const playerId = this.#viewers.playerOf(ref) ?? this.#playerBefore(ref)
      if (playerId !== undefined) return playerId
      throw this.#runner.isRunning ? error : new ApiError('service_unavailable')
    }
  }

  /** The room has come from another node, and this connection is about to ask for its seat. Refs of a node that restarts are used again. */
  #playerBefore(ref: ConnectionRef): string | undefined {
    const [seat, ...others] = [...this.#room.seats].filter(
      ({ takenBy, presence }) => takenBy === ref && !presence.connected,
    )
    return others.length === 0 ? seat?.playerId : undefined
  }

  signal(ref: ConnectionRef, signal: Signal) {
    return this.#room.messages.signal(ref, signal)
  }

  setState(ref: ConnectionRef): never {
    return this.refuse(ref)
  }

  setMyState(ref: ConnectionRef): never {
    return this.refuse(ref)
  }

  /** For what only the code may do. */
  refuse(ref: ConnectionRef): never {
    this.#room.playerOf(ref)
    throw new ApiError('room_decides')
  }

  // Servers and developers

  serverMessage({ messageType, data }: { messageType: string; data: string }): DetachedAnswer<string> {
    return this.#asked((id) => `["msg",${id},${JSON.stringify(messageType)},${data}]`)
  }

  inspect(): DetachedAnswer<string> {
    return this.#asked((id) => `["inspect",${id}]`)
  }

  #asked(textOf: (id: number) => string): DetachedAnswer<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#ask(textOf, (answer) => (answer instanceof ApiError ? reject(answer) : resolve(answer)))
    return new DetachedAnswer(promise)
  }

  #ask(textOf: (id: number) => string, answer: OnAnswer) {
    // Asked again at the next owner of the room.
    if (this.#isReleasing) throw new ActorMovedError()
    if (this.commits?.isFull) throw new ApiError('room_busy')
    const ask = this.asks.add(answer, this.#clock.elapsedMs())
    try {
      this.#push(textOf(ask), { ask })
    } catch (error) {
      this.asks.remove(ask)
      throw error
    }
  }

  #push(text: string, of: { playerId?: string; ask?: number }) {
    this.#runner.inbox.pushMessage(text, of)
    this.#runner.wake()
  }

  // The end

  /** The code starts again from its last snapshot. */
  codeEnded() {
    const refusal = new ApiError('room_error')
    this.asks.refuseHanded(refusal)
    this.commits?.refuseAll(refusal)
    this.calls.rollBack()
  }

  stop() {
    const refusal = new ApiError('service_unavailable')
    this.asks.refuseAll(refusal)
    this.commits?.refuseAll(refusal)
  }

  /** The room moves: the code gets no more questions here. */
  release() {
    this.#isReleasing = true
  }
}

const askOf = (fields: string) => (id: number) => `["ask",${id},${fields}`
