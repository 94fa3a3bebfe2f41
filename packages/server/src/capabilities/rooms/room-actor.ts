import {
  type Actor,
  type ActorContext,
  type ActorId,
  type ActorKind,
  ActorMovedError,
  type ConnectionRef,
  DetachedAnswer,
  type Handlers,
} from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { IceServers } from '../../platform/ports/turn.ts'
import type { NewRoom, JoiningPlayer, RoomProtocol, RoomSnapshot } from './room-protocol.ts'
import { Room, type RoomDeps } from './room.ts'

type Deps = RoomDeps & {
  /** Null if no relay is available at the moment. */
  relayFor(room: ActorId, player: { playerId: string; localAddress: string }): Promise<IceServers | null>
  /** Throws `code_taken`. */
  reserveCode(environmentId: string, room: NewRoom): Promise<string>
  /** Writes the record of a code again, which a restart may lose; the room knows its code. */
  renewCode(environmentId: string, roomId: string, code: string): void
}

export const roomKind = (deps: Deps): ActorKind<RoomProtocol, RoomActor, RoomSnapshot> => ({
  kind: 'room',
  open: (context, snapshot) => new RoomActor(context, deps, snapshot),
  handlers,
})

const handlers: Handlers<RoomProtocol, RoomActor> = {
  create: (actor, { room, joiningPlayers }) => actor.create(room, joiningPlayers),
  // Detached, so that the room does not wait for the relay.
  relay: (actor, player) => new DetachedAnswer(actor.relayFor(player)),
  join: ({ room }, { joiningPlayer }) => room.join(joiningPlayer),
  resume: ({ room }, { ref, playerId, displayName }) => room.resume(ref, playerId, displayName),
  rename: ({ room }, { playerId, displayName }) => room.rename(playerId, displayName),
  fill: ({ room }, { joiningPlayers }) => room.fill(joiningPlayers),
  leave: ({ room }, { ref }) => room.leave(ref),
  send: ({ room }, message) => room.send(message.ref, message),
  signal: ({ room }, message) => room.signal(message.ref, message),
  setState: ({ room }, { ref, patch }) => room.setState(ref, patch),
  setMyState: ({ room }, { ref, patch }) => room.setMyState(ref, patch),
  lock: ({ room }, { ref, locked }) => room.lock(ref, locked),
  describe: ({ room }) => room.info,
  hasSeat: ({ room }, { playerId }) => room.hasSeat(playerId),
  removePlayer: ({ room }, { playerId, reason, ref }) => room.removePlayer(playerId, reason, ref),
  close: ({ room }, { reason }) => room.close(reason),
}

/** The actor of a room. It has no room before `create`, and if the room was lost with its node. */
export class RoomActor implements Actor<RoomSnapshot> {
  /** Undefined if there is no room. */
  current: Room | undefined
  readonly #context: ActorContext
  readonly #deps: Deps

  constructor(context: ActorContext, deps: Deps, snapshot: RoomSnapshot | undefined) {
    this.#context = context
    this.#deps = deps
    if (!snapshot) return
    this.current = new Room(context, deps, snapshot)
    deps.renewCode(context.id.environmentId, snapshot.info.id, snapshot.info.code)
  }

  /** An actor without a room ends when it is asked for the room; the caller then finds no room. */
  get room(): Room {
    if (this.current) return this.current
    this.#context.end()
    throw new ActorMovedError()
  }

  relayFor(player: { playerId: string; localAddress: string }): Promise<IceServers | null> {
    return this.#deps.relayFor(this.#context.id, player)
  }

  memberDisconnected(ref: ConnectionRef) {
    this.current?.memberDisconnected(ref)
  }

  snapshot(): RoomSnapshot | undefined {
    return this.current?.snapshot()
  }

  /**
   * The room reserves its own code. Another `create` that finds the code taken asks this actor, and waits in its mailbox until the
   * room exists.
   */
  async create(room: NewRoom, joiningPlayers: readonly JoiningPlayer[]): Promise<string> {
    if (this.current) throw new ApiError('internal_error')
    try {
      const code = await this.#deps.reserveCode(this.#context.id.environmentId, room)
      this.#context.assertStillOwner()
      this.current = Room.create(this.#context, this.#deps, { ...room, code }, joiningPlayers)
      return this.current.view()
    } catch (error) {
      this.#context.end()
      throw error
    }
  }
}
