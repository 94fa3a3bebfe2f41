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
import type { KeptRooms } from './code/kept-rooms.ts'
import type {
  CodeSnapshot,
  Created,
  JoiningPlayer,
  NewCode,
  NewRoom,
  RoomProtocol,
  RoomSnapshot,
} from './room-protocol.ts'
import { Room } from './room.ts'

type Deps = Omit<CodeRoomDeps, 'kept'> & {
  kept: KeptRooms
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
  open: (context, snapshot) =>
    snapshot?.code?.keepDays === undefined
      ? new RoomActor(context, deps, snapshot)
      : openNewest(context, deps, snapshot),
  handlers,
  answerTimeoutsMs: { serverMessage: CODE_ANSWER_MS, inspect: CODE_ANSWER_MS },
})

/** The previous owner may have stored the room, or ended it, after it saved this snapshot. */
async function openNewest(context: ActorContext, deps: Deps, snapshot: RoomSnapshot): Promise<RoomActor> {
  const { environmentId, key: id } = context.id
  const newest = await deps.kept.newest({ environmentId, id }, snapshot)
  context.assertStillOwner()
  return new RoomActor(context, deps, newest)
}

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
  leave: ({ room }, { ref, keepSeat }) => room.leave(ref, keepSeat),
  send: ({ room }, message) => room.messages.send(message.ref, message),
  signal: ({ room }, message) => room.messages.signal(message.ref, message),
  setState: ({ room }, { ref, patch }) => room.messages.setState(ref, patch),
  setMyState: ({ room }, { ref, patch }) => room.messages.setMyState(ref, patch),
  lock: ({ room }, { ref, locked }) => room.lock(ref, locked),
  describe: ({ room }) => room.info,
  hasSeat: ({ room }, { playerId, by }) =>
    by === undefined ? room.hasSeat(playerId) : room.mayReturn(playerId, by),
  removePlayer: ({ room }, { playerId, reason, ref }) => room.removePlayer(playerId, reason, ref),
  close: ({ room }, { reason }) => room.close(reason),
  serverMessage: ({ codeRoom }, message) => codeRoom.messages.serverMessage(message),
  inspect: ({ codeRoom }) => codeRoom.messages.inspect(),
  readTurns: ({ codeRoom }) => codeRoom.readTurns(),
  closeCode: ({ codeRoom }) => codeRoom.close('closed'),
  openKept: (actor) => actor.openKept(),
  dropKept: (actor, { isExpired }) => actor.dropKept(isExpired),
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
    this.#renewCode(snapshot)
  }

  #renewCode({ info }: RoomSnapshot) {
    this.#deps.renewCode(this.#context.id.environmentId, info.id, info.code)
  }

  get #key() {
    const { environmentId, key: id } = this.#context.id
    return { environmentId, id }
  }

  /** It runs in the live version. If that has no such class, the room is over. */
  async openKept(): Promise<boolean> {
    if (this.current) return true
    return this.#orEnd(async () => {
      const { environmentId } = this.#key
      const snapshot = await this.#deps.kept.read(this.#key)
      if (!snapshot?.code) return this.#gone()
      const live = await this.#deps.code.live(environmentId, snapshot.code.className)
      const mayRun = live !== undefined || (await this.#deps.code.current(environmentId)).runs
      if (!mayRun) throw new ApiError('mode_unavailable')
      this.#context.assertStillOwner()
      if (!live) {
        await this.#deps.kept.remove(this.#key, this.#context.assertStillOwner)
        return this.#gone()
      }
      const opened = new CodeRoom(this.#context, this.#deps, snapshot, snapshot.code)
      this.current = opened
      opened.reopen(live)
      this.#renewCode(snapshot)
      return true
    })
  }

  #gone(): false {
    this.#context.end()
    return false
  }

  async dropKept(isExpired: boolean): Promise<boolean> {
    const { current } = this
    if (current instanceof CodeRoom) {
      if (isExpired) current.saveNow()
      else current.close('closed')
      return !isExpired
    }
    const { kept } = this.#deps
    const remove = isExpired ? kept.removeExpired : kept.remove
    return this.#orEnd(async () => {
      const isRemoved = await remove(this.#key, this.#context.assertStillOwner)
      this.#context.end()
      return isRemoved
    })
  }

  /** An actor without a room ends when it is asked for the room; the caller then finds no room. */
  get room(): Room | CodeRoom {
    if (this.current) return this.current
    this.#context.end()
    throw new ActorMovedError()
  }

  get id(): string {
    return this.#context.id.key
  }

  /** Also while it is being opened. */
  get mayBeKept(): boolean {
    return !this.current || (this.current instanceof CodeRoom && this.current.keepsSeats())
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
      const snapshot = Room.emptySnapshot(info, joiningPlayers)
      const code: CodeSnapshot = { ...newCode, ...version, ...empty, isRecorded }
      if (code.keepDays !== undefined && !(await this.#keep({ ...snapshot, code }, joiningPlayers)))
        delete code.keepDays
      const created = new CodeRoom(this.#context, this.#deps, snapshot, code)
      this.current = created
      return new DetachedAnswer(
        created.open(joiningPlayers, generation).catch((error: unknown) => {
          if (!(error instanceof ActorMovedError)) created.close('closed')
          throw error
        }),
      )
    })
  }

  /** The room is stored from now on, so that its seats and its code are known. False if it cannot be kept. */
  async #keep(snapshot: RoomSnapshot, joiningPlayers: readonly JoiningPlayer[]): Promise<boolean> {
    const { environmentId } = this.#context.id
    try {
      const isKept = await this.#deps.kept.add(environmentId, snapshot, joiningPlayers)
      this.#context.assertStillOwner()
      return isKept
    } catch (error) {
      this.#deps.over(environmentId, snapshot.info)
      throw error
    }
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
