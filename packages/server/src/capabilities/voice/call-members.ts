import type { VoiceMember } from '@svc/contract/realtime/voice'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { CallContext } from '../../platform/ports/channel-call.ts'
import type { Timer } from '../../platform/time/timers.ts'

export type CallMember = {
  ref: ConnectionRef
  playerId: string
  /** Its id at the relay server; random, so that the relay server does not know players. */
  memberId: string
  canSpeak: boolean
  /** Counts its connections to the relay server. */
  gen: number
}

/** Changes are announced at most this often. */
const STATE_INTERVAL_MS = 250

/** The members of a call, and the event that lists them. */
export class CallMembers {
  readonly #context: CallContext
  readonly #members = new Map<ConnectionRef, CallMember>()
  #waiting: Timer | undefined
  #isChanged = false

  constructor(context: CallContext) {
    this.#context = context
  }

  get size(): number {
    return this.#members.size
  }

  [Symbol.iterator](): Iterator<CallMember> {
    return this.#members.values()
  }

  find(ref: ConnectionRef): CallMember | undefined {
    return this.#members.get(ref)
  }

  withPlayer(playerId: string): CallMember | undefined {
    return this.#members.values().find((member) => member.playerId === playerId)
  }

  withMemberId(memberId: string): CallMember | undefined {
    return this.#members.values().find((member) => member.memberId === memberId)
  }

  /** The joiner gets the state immediately, the others soon. */
  add(member: CallMember) {
    this.#members.set(member.ref, member)
    this.#context.sendText([member.ref], this.#state())
    this.changed(member.ref)
  }

  remove(ref: ConnectionRef) {
    this.#members.delete(ref)
    this.changed()
  }

  clear() {
    this.#members.clear()
    this.#waiting?.cancel()
    this.#waiting = undefined
    this.#isChanged = false
  }

  /** Announces the state now, or as soon as the interval allows. */
  changed(except?: ConnectionRef) {
    if (this.#waiting) return void (this.#isChanged = true)
    this.#announce(except)
    this.#waiting = this.#context.after(STATE_INTERVAL_MS, () => {
      this.#waiting = undefined
      if (!this.#isChanged) return
      this.#isChanged = false
      this.changed()
    })
  }

  send(text: string) {
    this.#context.sendText([...this.#members.keys()], text)
  }

  #announce(except: ConnectionRef | undefined) {
    const refs = [...this.#members.keys()].filter((ref) => ref !== except)
    if (refs.length > 0) this.#context.sendText(refs, this.#state())
  }

  #state(): string {
    const members: VoiceMember[] = [...this].map(({ playerId, canSpeak }) => ({ id: playerId, canSpeak }))
    return JSON.stringify({ t: 'voice_state', channel: this.#context.channel, members })
  }
}
