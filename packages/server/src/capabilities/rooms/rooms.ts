import type { FieldsOf } from '@svc/contract/common/frame'
import { LIMITS } from '@svc/contract/common/limits'
import type { create, join, leave, LeaveReason, send } from '@svc/contract/realtime/rooms'

import { idOf, type MessageOf } from '../../platform/actors/actor.ts'
import type { Actors } from '../../platform/actors/actors.ts'
import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { copyOf } from '../../platform/memory/copied-text.ts'
import type { Player } from '../../platform/player.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { REPLY_FOLLOWS } from '../../platform/reply-follows.ts'
import type { Timers } from '../../platform/time/timers.ts'
import { CodeRoom } from './code/code-room.ts'
import { createKeptOpening } from './code/kept-opening.ts'
import type { KeptRooms } from './code/kept-rooms.ts'
import type { RoomCode } from './code/port.ts'
import { createRecordings } from './code/recording.ts'
import { createCodeTurns } from './code/turns.ts'
import { createCodes } from './codes.ts'
import { createJoinRateLimit, type GuessCounters } from './join-rate-limit.ts'
import type { Mode, Modes } from './modes.ts'
import { createNewRooms } from './new-rooms.ts'
import { queueActorName, type QueueName } from './queue-protocol.ts'
import { createReturning } from './returning.ts'
import { roomKind } from './room-actor.ts'
import { type Caller, joiningPlayerOf, queueOf, type RoomConnection, roomOf } from './room-connection.ts'
import {
  type JoiningPlayer,
  roomActorName,
  type RoomName,
  type RoomOffer,
  type RoomProtocol,
} from './room-protocol.ts'
import type { Patch } from './room-state.ts'
import { createSeatRecords } from './seat-records.ts'

type RoomsDeps = {
  code: RoomCode
  /** Of rooms of one environment and version, on this node. */
  processesMax: number
  kept: KeptRooms
  queries: Queries
  timers: Timers
  isDevelopment(environmentId: string): Awaitable<boolean>
  actors: Pick<Actors<RoomConnection>, 'ask' | 'define'>
  records: Cluster['records']
  counters: GuessCounters
  modes: Modes
  clock: Clock
  random: Random
  ids: Ids
  turn: Turn
  /** Called after a room was created. */
  opened(environmentId: string): void
  /** Reports errors of work that has no caller. */
  report(error: unknown): void
}

export type Rooms = ReturnType<typeof createRooms>

/** The operations of connections on rooms, on any node. */
export function createRooms(deps: RoomsDeps) {
  const { actors, records, counters, modes, clock, random, ids, turn, code, kept, queries, opened, report } =
    deps
  const { ask } = actors

  const seats = createSeatRecords({ records, ask })
  const joinRateLimit = createJoinRateLimit(counters)
  const roomExists = async (environmentId: string, roomId: string): Promise<boolean> =>
    (await ask(roomActorName(environmentId, roomId), { type: 'describe' })) !== undefined
  const keptHere = (environmentId: string) =>
    here(environmentId).flatMap(({ mayBeKept, id }) => (mayBeKept ? id : []))
  const opening = createKeptOpening({ ask, kept, modes, queries, keptHere, report })
  const codes = createCodes({ records, random, roomExists, findKept: opening.idByCode })

  const recordings = createRecordings(clock)
  const turns = createCodeTurns({ code, processesMax: deps.processesMax, clock, timers: deps.timers, report })
  const kind = roomKind({
    clock,
    random,
    code,
    kept,
    turns,
    recordings,
    isDevelopment: deps.isDevelopment,
    report,
    relayFor: async ({ environmentId, key: roomId }, who) =>
      (await turn.iceServers({ environmentId, roomId, ...who })) ?? null,
    reserveCode: codes.reserve,
    renewCode: (...room) => void codes.renew(...room).catch(report),
    seatFreed: (...seat) => void seats.seatFreed(...seat).catch(report),
    over: (environmentId, { id, code }) => void codes.free(environmentId, id, code).catch(report),
    offer: (environmentId, { mode, match }, offer) =>
      void offerTo(queueActorName(environmentId, mode, match?.pool ?? null), offer).catch(report),
  })
  const here = actors.define(kind, { rejoin, membershipLost })
  code.onChange((environmentId, change) => {
    for (const { current } of here(environmentId))
      if (current instanceof CodeRoom) current.codeChanged(change)
  })

  /** An offer of free seats opens the queue if there is none, so that the queue knows the room when a player joins it. */
  async function offerTo(queue: QueueName, offer: RoomOffer) {
    // In a later microtask, because the queue may be filling this room right now: on one node, its `fill` runs inside its own
    // handler.
    await Promise.resolve()
    await ask(queue, { type: 'offer', ...offer }, offer.freeSeats > 0 ? 'any' : 'existing')
  }

  /** Releases the player's seat in another room; if that fails, it expires. */
  const seated = (environmentId: string, roomId: string, { ref, player }: JoiningPlayer) =>
    seats.seatTaken(environmentId, player.id, roomId, ref).catch(report)
  const newRooms = createNewRooms({ ask, modes, clock, ids, opened, seated })

  /** For players without a seat, or whose seat was taken by another connection. */
  async function takeSeat<Type extends 'join' | 'resume'>(
    caller: Caller,
    roomId: string,
    message: MessageOf<RoomProtocol, Type>,
  ): Promise<RawJson> {
    const { environmentId } = caller.player
    const view = await opening.ask(environmentId, roomId, message)
    if (view === undefined) throw new ApiError('room_not_found')
    await seated(environmentId, roomId, joiningPlayerOf(caller))
    await followRename(caller)
    await leaveQueue(caller.connection)
    return roomReply(view)
  }

  /** Renames the player in its room and queues, even while it is disconnected. */
  async function rename(
    environmentId: string,
    player: { id: string; displayName: string | null },
    queues: readonly QueueName[],
  ) {
    const message = { type: 'rename', playerId: player.id, displayName: player.displayName } as const
    for (const queue of queues) await ask(queue, message)
    // The room last: the player may have got a seat from matchmaking in the meantime.
    const roomId = await seats.find(environmentId, player.id)
    if (roomId !== undefined) await ask(roomActorName(environmentId, roomId), message)
  }

  /** Repeats a rename that came during the join, when the player was not in the room or queue yet. */
  async function followRename({ connection, player, displayName: before }: Caller) {
    const displayName = connection.identity?.displayName ?? null
    if (!connection.identity || displayName === before) return
    const queue = queueOf(connection)
    await rename(player.environmentId, { id: player.id, displayName }, queue ? [queue] : []).catch(report)
  }

  /** Called after the seat is taken, so that a player whose join is rejected stays in the queue. */
  async function leaveQueue(connection: RoomConnection) {
    const queue = queueOf(connection)
    const leave = async (name: QueueName) => ask(name, { type: 'leave', ref: connection.ref })
    if (queue) await leave(queue).catch(report)
  }

  async function idByCode(caller: Caller, code: string): Promise<string> {
    const { environmentId } = caller.player
    const find = async () => (await codes.find(environmentId, code)) ?? opening.idByCode(environmentId, code)
    const roomId = await joinRateLimit.lookUp(caller, find)
    if (roomId === undefined) throw new ApiError('room_not_found')
    return roomId
  }

  /** Synchronous if the room is on this node. */
  function inRoom<Type extends keyof RoomProtocol>(
    connection: RoomConnection,
    message: MessageOf<RoomProtocol, Type>,
  ): Awaitable<RoomProtocol[Type]['answer']> {
    const room = roomOf(connection)
    if (!room) throw new ApiError('not_in_room')
    const answer = ask(room, message)
    return answer instanceof Promise ? answer.then(orNotInRoom) : orNotInRoom(answer)
  }

  /** The seat moves with the room to its new owner. */
  async function rejoin({ ref, identity }: RoomConnection, room: RoomName) {
    if (!identity?.player) return
    const { environmentId, key: roomId } = idOf(room)
    const { player, displayName } = identity
    const view = await ask(room, { type: 'resume', ref, playerId: player.id, displayName })
    if (view === undefined) throw new ApiError('room_not_found')
    await seats.seatTaken(environmentId, player.id, roomId, ref)
  }

  async function membershipLost(connection: RoomConnection, room: RoomName) {
    const { environmentId, key: roomId } = idOf(room)
    const { ref, identity } = connection
    connection.sendEvent({ t: 'room_closed', reason: 'closed' })
    if (identity?.player) await seats.seatFreed(environmentId, identity.player.id, roomId, ref)
  }

  async function switchedOff(connection: RoomConnection) {
    const [room, queue] = [roomOf(connection), queueOf(connection)]
    if (room) await ask(room, { type: 'close', reason: 'feature_disabled' })
    if (!queue) return
    await ask(queue, { type: 'leave', ref: connection.ref })
    connection.warn(new ApiError('feature_disabled'), { request: 'quickMatch' })
  }

  return {
    here,

    /** `metadata` is JSON text. */
    async create(caller: Caller, fields: FieldsOf<typeof create>, metadata = 'null') {
      requireNoRoom(caller.connection)
      requireBytes(metadata, LIMITS.roomMetadataBytesMax)
      const { environmentId } = caller.player
      const mode = await modes.require(environmentId, fields.mode)
      requireWithinMode(fields.maxPlayers, mode)
      const options = JSON.stringify(fields.options ?? null)
      requireBytes(options, LIMITS.roomOptionsBytesMax)
      // `code_taken` reveals which codes exist. During development the number of chosen codes is not limited.
      if (fields.code !== undefined && caller.environment.name === 'production')
        await joinRateLimit.count(caller)
      const { view } = await newRooms.open(environmentId, mode, [joiningPlayerOf(caller)], {
        ...fields,
        metadata: copyOf(metadata),
        options,
      })
      await followRename(caller)
      await leaveQueue(caller.connection)
      return roomReply(view)
    },

    async join(caller: Caller, { roomId, code }: FieldsOf<typeof join>) {
      requireNoRoom(caller.connection)
      if ((roomId === undefined) === (code === undefined))
        throw new ApiError('invalid_request', {
          errors: [{ path: '$', message: 'send either roomId or code' }],
        })
      const id = roomId ?? (await idByCode(caller, code ?? ''))
      return takeSeat(caller, id, { type: 'join', joiningPlayer: joiningPlayerOf(caller) })
    },

    async resume(caller: Caller, roomId: string) {
      requireNoRoom(caller.connection)
      const { connection, player, displayName } = caller
      return takeSeat(caller, roomId, {
        type: 'resume',
        ref: connection.ref,
        playerId: player.id,
        displayName,
      })
    },

    leave: ({ connection }: Caller, { keepSeat = false }: FieldsOf<typeof leave>) =>
      inRoom(connection, { type: 'leave', ref: connection.ref, keepSeat }),

    /** `data` is JSON text. */
    send({ connection: { ref }, connection, rid }: Caller, fields: FieldsOf<typeof send>, data = 'null') {
      requireBytes(data, LIMITS.messageDataBytesMax)
      const { type: messageType, to, seq, call } = fields
      const answer = inRoom(connection, { type: 'send', ref, messageType, data, to, seq, rid, call })
      return answer instanceof Promise ? answer.then(orLater) : orLater(answer)
    },

    setState: ({ connection }: Caller, patch: Patch) =>
      inRoom(connection, { type: 'setState', ref: connection.ref, patch }),
    setMyState: ({ connection }: Caller, patch: Patch) =>
      inRoom(connection, { type: 'setMyState', ref: connection.ref, patch }),
    lock: ({ connection }: Caller, locked: boolean) =>
      inRoom(connection, { type: 'lock', ref: connection.ref, locked }),

    inRoom,
    rename,
    followRename,

    stopCode: turns.stop,
    /** The last turns of a room with code that has ended on this node. */
    endedTurns: recordings.ofEnded,

    /** A message to a room with code. Throws `room_not_found`. */
    async askCode<Type extends 'serverMessage' | 'inspect' | 'readTurns' | 'closeCode'>(
      environmentId: string,
      roomId: string,
      message: MessageOf<RoomProtocol, Type>,
    ): Promise<RoomProtocol[Type]['answer']> {
      const { type } = message
      const answer =
        type === 'serverMessage'
          ? await opening.ask(environmentId, roomId, message)
          : await ask(roomActorName(environmentId, roomId), message)
      if (answer !== undefined) return answer
      if (type === 'closeCode' && (await opening.close(environmentId, roomId))) return {}
      const stored = type === 'inspect' ? await opening.inspect(environmentId, roomId) : undefined
      if (stored === undefined) throw new ApiError('room_not_found')
      return stored
    },

    openMatch: newRooms.openMatch,
    openByServer: newRooms.openByServer,

    /** For matchmaking: gives seats in a started match to all of these players or to none. Undefined: the room has ended. */
    async fill(environmentId: string, roomId: string, joiningPlayers: readonly JoiningPlayer[]) {
      const filled = await ask(roomActorName(environmentId, roomId), { type: 'fill', joiningPlayers })
      if (filled?.isSeated)
        for (const joiningPlayer of joiningPlayers) await seated(environmentId, roomId, joiningPlayer)
      return filled
    },

    /** The room that the player can resume. */
    async resumable({ environmentId, id }: Player): Promise<{ id: string } | null> {
      const roomId = await seats.find(environmentId, id)
      if (roomId === undefined) return null
      const hasSeat = await ask(roomActorName(environmentId, roomId), { type: 'hasSeat', playerId: id })
      return hasSeat === true ? { id: roomId } : null
    },

    /** The room in which the player has a seat, for developers. */
    async roomOfPlayer(environmentId: string, playerId: string) {
      const roomId = await seats.find(environmentId, playerId)
      if (roomId === undefined) return null
      const room = roomActorName(environmentId, roomId)
      if ((await ask(room, { type: 'hasSeat', playerId })) !== true) return null
      const info = await ask(room, { type: 'describe' })
      return info ? { id: info.id, mode: info.mode, code: info.code } : null
    },

    /** Removes a player from its room immediately. */
    async removePlayer(environmentId: string, playerId: string, reason: LeaveReason) {
      const roomId = await seats.find(environmentId, playerId)
      if (roomId !== undefined)
        await ask(roomActorName(environmentId, roomId), { type: 'removePlayer', playerId, reason })
      await opening.removePlayer(environmentId, playerId, reason)
    },

    requireKeptSeat: kept.requireSeat,
    findLostMatch: createReturning({ ask, findRoom: seats.find }),
    openDueRooms: opening.openDue,
    removeExpiredRooms: opening.removeExpired,

    /** Multiplayer was disabled for these connections. */
    async closeFor(connections: readonly RoomConnection[]) {
      await Promise.all(connections.map((connection) => switchedOff(connection).catch(report)))
    },
  }
}

/** A room with code sends the reply itself, when its handler has ended. */
const orLater = (answer: RoomProtocol['send']['answer']) => ('isLater' in answer ? REPLY_FOLLOWS : answer)

const roomReply = (view: string) => new RawJson(`{"room":${view}}`)

function requireNoRoom(connection: RoomConnection) {
  if (roomOf(connection)) throw new ApiError('already_in_room')
}

function orNotInRoom<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new ApiError('not_in_room')
  return answer
}

export function requireBytes(text: string, limit: number) {
  if (Buffer.byteLength(text) > limit) throw new ApiError('payload_too_large', { limit })
}

function requireWithinMode(maxPlayers: number | undefined, mode: Mode) {
  if (maxPlayers === undefined || maxPlayers <= mode.maxPlayers) return
  throw invalidField('$.maxPlayers', `must be at most ${mode.maxPlayers}, the maxPlayers of the mode`)
}
