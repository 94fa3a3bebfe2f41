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
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { IceServers } from '../../platform/ports/turn.ts'
import { CodeRoom, type CodeRoomDeps } from './code/code-room.ts'
import type { Created, NewCode, NewRoom, JoiningPlayer, RoomProtocol, RoomSnapshot } from './room-protocol.ts'
import { Room } from './room.ts'

type Deps = CodeRoomDeps & {
  /** Null if no relay is available at the moment. */
  relayFor(room: ActorId, player: { playerId: string; localAddress: string }): Promise<IceServers | null>
  /** Throws `code_taken`. */
  reserveCode(environmentId: string, room: NewRoom): Promise<string>
  isDevelopment(environmentId: string): Awaitable<boolean>
  /** Writes the record of a code again, which a restart may lose; the room knows its code. */
  renewCode(environmentId: string, roomId: string, code: string): void
}

export const roomKind = (deps: Deps): ActorKind<RoomProtocol, RoomActor, RoomSnapshot> => ({
  kind: 'room',
  open: (context, snapshot) => new RoomActor(context, deps, snapshot),
  handlers,
  answerTimeoutsMs: { serverMessage: CODE_ANSWER_MS, inspect: CODE_ANSWER_MS },
})

/** A handler of the code may take 10 s. */
const CODE_ANSWER_MS = 16_000

const handlers: Handlers<RoomProtocol, RoomActor> = {
  create: (actor, { room, joiningPlayers, newCode }) =>
    newCode ? actor.createWithCode(room, joiningPlayers, newCode) : actor.create(room, joiningPlayers),
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
  serverMessage: ({ codeRoom }, message) => codeRoom.serverMessage(message),
  inspect: ({ codeRoom }) => codeRoom.inspect(),
  readTurns: ({ codeRoom }) => codeRoom.readTurns(),
  closeCode: ({ codeRoom }) => codeRoom.close('closed'),
}

/** The actor of a room. It has no room before `create`, and if the room was lost with its node. */
export class RoomActor implements Actor<RoomSnapshot> {
  /** Undefined if there is no room. */
  current: Room | CodeRoom | undefined
  readonly #context: ActorContext
  readonly #deps: Deps

  constructor(context: ActorContext, deps: Deps, snapshot: RoomSnapshot | undefined) {
    this.#context = context
    this.#deps = deps
    if (!snapshot) return
    this.current = snapshot.code
      ? new CodeRoom(context, deps, snapshot, snapshot.code)
      : new Room(context, deps, snapshot)
    if (this.current instanceof CodeRoom) this.current.restore()
    deps.renewCode(context.id.environmentId, snapshot.info.id, snapshot.info.code)
  }

  /** An actor without a room ends when it is asked for the room; the caller then finds no room. */
  get room(): Room | CodeRoom {
    if (this.current) return this.current
    this.#context.end()
    throw new ActorMovedError()
  }

  get codeRoom(): CodeRoom {
    const { room } = this
    if (room instanceof CodeRoom) return room
    throw new ApiError('room_not_found')
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

  async beforeRelease(): Promise<void> {
    if (this.current instanceof CodeRoom) await this.current.beforeRelease()
  }

  close() {
    if (this.current instanceof CodeRoom) this.current.stop()
  }

  /**
   * The room reserves its own code. Another `create` that finds the code taken asks this actor, and waits in its mailbox until the
   * room exists.
   */
  async create(room: NewRoom, joiningPlayers: readonly JoiningPlayer[]): Promise<Created> {
    return this.#orEnd(async () => {
      const code = await this.#reserveCode(room)
      const created = Room.create(this.#context, this.#deps, { ...room, code }, joiningPlayers)
      this.current = created
      return { view: created.view(), refused: [] }
    })
  }

  /** The mailbox does not wait for the code. */
  async createWithCode(room: NewRoom, joiningPlayers: readonly JoiningPlayer[], newCode: NewCode) {
    return this.#orEnd(async () => {
      const live = await this.#deps.code.live(this.#context.id.environmentId, newCode.className)
      if (!live) throw new ApiError('mode_unavailable')
      const info = { ...room, code: await this.#reserveCode(room) }
      const { generation, ...version } = live
      const seedBytes = this.#deps.random.bytes(16)
      const seed = [0, 4, 8, 12].map((at) => seedBytes.readUInt32LE(at))
      const empty = { seed, tick: 0, snapshot: null, roster: [], wakeAt: null, handoverAtMs: null }
      const isRecorded = await this.#deps.isDevelopment(this.#context.id.environmentId)
      this.#context.assertStillOwner()
      const code = { ...newCode, ...version, ...empty, isRecorded }
      const created = new CodeRoom(this.#context, this.#deps, Room.emptySnapshot(info, joiningPlayers), code)
      this.current = created
      return new DetachedAnswer(
        created.open(joiningPlayers, generation).catch((error: unknown) => {
          if (!(error instanceof ActorMovedError)) created.close('closed')
          throw error
        }),
      )
    })
  }

  async #reserveCode(room: NewRoom): Promise<string> {
    const code = await this.#deps.reserveCode(this.#context.id.environmentId, room)
    this.#context.assertStillOwner()
    return code
  }

  async #orEnd<T>(work: () => Promise<T>): Promise<T> {
    if (this.current) throw new ApiError('internal_error')
    try {
      return await work()
    } catch (error) {
      this.#context.end()
      throw error
    }
  }
}
