import type { Actor, ActorId, ActorKind, ConnectionRef, ActorContext } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { NewRoom, JoiningPlayer, RoomMessage, RoomSnapshot } from './room-protocol.ts'
import { Room, type RoomNeeds } from './room.ts'

type Needs = RoomNeeds & {
  /** Null: there is none just now. */
  relayFor(room: ActorId, who: { playerId: string; localAddress: string }): Promise<object | null>
  /** Throws `code_taken`. */
  reserveCode(environmentId: string, room: NewRoom): Promise<string>
  /** What nodes remember may be lost in a restart; the room itself knows better. */
  renewCode(environmentId: string, roomId: string, code: string): void
}

/** What `survey` asks the rooms of a node. */
export type RoomQuestion = { ask: 'open'; mode: string | null; most: number } | { ask: 'all'; most: number }

export const roomKind = (needs: Needs): ActorKind<RoomMessage, RoomSnapshot> => ({
  kind: 'room',
  // An earlier version kept the values of the state instead of their texts: such a room is over.
  open: (context, snapshot) =>
    new RoomActor(context, needs, Array.isArray(snapshot?.state) ? snapshot : undefined),
  survey: (actors, question) => answerTo(question as RoomQuestion, actors as Iterable<RoomActor>),
})

/** The mailbox of a room. Until it is created, and when it was lost with its node, there is no room behind it. */
class RoomActor implements Actor<RoomMessage, RoomSnapshot> {
  room: Room | undefined
  readonly #context: ActorContext
  readonly #needs: Needs

  constructor(context: ActorContext, needs: Needs, snapshot: RoomSnapshot | undefined) {
    this.#context = context
    this.#needs = needs
    if (!snapshot) return
    this.room = new Room(context, needs, snapshot)
    needs.renewCode(context.id.environmentId, snapshot.info.id, snapshot.info.code)
  }

  receive(message: RoomMessage): unknown {
    if (message.do === 'create') return this.#create(message.room, message.joiningPlayers)
    if (message.do === 'relay') return this.#needs.relayFor(this.#context.id, message)
    if (this.room) return handle(this.room, message)
    this.#context.end()
    return undefined
  }

  memberDisconnected(ref: ConnectionRef) {
    this.room?.memberDisconnected(ref)
  }

  snapshot(): RoomSnapshot | undefined {
    return this.room?.snapshot()
  }

  /** The code is reserved by the room that holds it: whoever finds it taken waits here for an answer, until there is a room. */
  async #create(room: NewRoom, joiningPlayers: readonly JoiningPlayer[]) {
    if (this.room) throw new ApiError('internal_error')
    try {
      const code = await this.#needs.reserveCode(this.#context.id.environmentId, room)
      this.#context.assertStillOwner()
      this.room = Room.create(this.#context, this.#needs, { ...room, code }, joiningPlayers)
      return this.room.view()
    } catch (error) {
      this.#context.end()
      throw error
    }
  }
}

function handle(room: Room, message: Exclude<RoomMessage, { do: 'create' | 'relay' }>): unknown {
  switch (message.do) {
    case 'join':
      return room.join(message.joiningPlayer)
    case 'resume':
      return room.resume(message.ref, message.playerId, message.displayName)
    case 'rename':
      return room.rename(message.playerId, message.displayName)
    case 'fill':
      return room.fill(message.joiningPlayer, message.minPlayers)
    case 'leave':
      return room.leave(message.ref)
    case 'send':
      return room.send(message.ref, message)
    case 'signal':
      return room.signal(message.ref, message)
    case 'setState':
      return room.setState(message.ref, message.patch)
    case 'setMyState':
      return room.setMyState(message.ref, message.patch)
    case 'lock':
      return room.lock(message.ref, message.locked)
    case 'describe':
      return room.info
    case 'hasSeat':
      return room.hasSeat(message.playerId)
    case 'expel':
      return room.removePlayer(message.playerId, message.reason, message.ref)
    case 'close':
      return room.close(message.reason)
  }
}

function answerTo(question: RoomQuestion, actors: Iterable<RoomActor>) {
  const rooms = [...actors].flatMap(({ room }) => room ?? [])
  if (question.ask === 'all') return newest(rooms, question.most).map((room) => room.liveView())
  const { mode, most } = question
  const open = rooms.filter(({ isOpenToAll, info }) => isOpenToAll && (mode ?? info.mode) === info.mode)
  return newest(open, most).map((room) => room.summary())
}

const newest = (rooms: Room[], most: number) =>
  rooms.sort((a, b) => (a.info.id < b.info.id ? 1 : -1)).slice(0, most)
