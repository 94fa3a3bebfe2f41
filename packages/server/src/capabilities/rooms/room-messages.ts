import { LIMITS } from '@svc/contract/common/limits'

import type { ActorContext, ConnectionRef } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf } from '../../platform/clock.ts'
import { MessageRate } from '../../platform/time/message-rate.ts'
import type { Host } from './host.ts'
import type { Message, RoomInfo, Signal } from './room-protocol.ts'
import { objectText, type Patch, State } from './room-state.ts'
import type { Seats } from './seats.ts'

type MessagingRoom = { info: RoomInfo; seats: Seats; host: Host }

const DONE = {}

/** What players send to each other in a room: messages, signals, changes of the state. */
export class RoomMessages {
  readonly state: State
  readonly #rate: MessageRate
  readonly #context: ActorContext
  readonly #clock: Clock
  readonly #info: RoomInfo
  readonly #seats: Seats
  readonly #host: Host

  constructor(context: ActorContext, clock: Clock, { info, seats, host }: MessagingRoom, state: Patch) {
    this.#context = context
    this.#clock = clock
    this.#rate = new MessageRate(clock.elapsedMs())
    this.#info = info
    this.#seats = seats
    this.#host = host
    this.state = new State(LIMITS.roomStateBytesMax, state)
  }

  send(ref: ConnectionRef, { messageType, data, to }: Message) {
    const { playerId } = this.#seats.ofConnection(ref)
    const at = millisecondsOf(this.#clock)
    this.#rate.add()
    // Concatenated, because this is the hot path: parsing and serializing the data again would cost more than everything else.
    const text = `{"t":"message","from":"${playerId}","type":${JSON.stringify(messageType)},"data":${data},"at":${at}}`
    if (to) this.sendTo(to, text, ref)
    else this.#context.members.sendText(text, ref)
    return DONE
  }

  signal(ref: ConnectionRef, { to, kind, data, gen }: Signal) {
    const { playerId } = this.#seats.ofConnection(ref)
    if (this.#info.transport !== 'p2p') throw new ApiError('not_p2p_room')
    if (!this.#seats.find(to)) throw new ApiError('player_not_in_room')
    const text = `{"t":"signal","from":"${playerId}","kind":"${kind}","data":${data},"gen":${gen}}`
    this.sendTo([to], text)
    return DONE
  }

  /** Skips players without a seat or without a connection. */
  sendTo(playerIds: readonly string[], text: string, except?: ConnectionRef) {
    const refs = this.#seats.connectionsOf(playerIds)
    if (except !== undefined) refs.delete(except)
    this.#context.members.sendTo([...refs], text)
  }

  setState(ref: ConnectionRef, patch: Patch) {
    const { playerId } = this.#seats.ofConnection(ref)
    if (this.#info.hostOnlyState) this.#host.require(playerId)
    this.state.apply(patch)
    this.#context.members.sendText(`{"t":"state","patch":${objectText(patch)},"from":"${playerId}"}`)
    this.#context.changed()
    return DONE
  }

  setMyState(ref: ConnectionRef, patch: Patch) {
    const { playerId, state } = this.#seats.ofConnection(ref)
    state.apply(patch)
    const text = `{"t":"player_state","playerId":"${playerId}","patch":${objectText(patch)}}`
    this.#context.members.sendText(text)
    this.#context.changed()
    return DONE
  }

  /** For messages that code gets. */
  count() {
    this.#rate.add()
  }

  get perSecond(): number {
    return this.#rate.read(this.#clock.elapsedMs())
  }
}
