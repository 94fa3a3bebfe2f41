import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import { BY_PLAYER, Deleted, Id, IdParam, Milliseconds, Nullable, Timestamp } from '../common/schemas.ts'

/** Rooms with code, for the developer's server, for players who have kept rooms, and for looking into a room. */

const ModeKey = Type.String({ maxLength: 64, description: 'a mode with `room` in the config' })
const OneRoom = Type.Object({ roomId: IdParam })
const Patch = Nullable(Type.Record(Type.String(), Type.Unknown()))

/** Open a room from the developer's server. */
export const openRoom = endpoint('POST /v1/admin/x/rooms', {
  summary:
    'Open a room with code; players join it by id or code. It ends if nobody joins within 5 minutes, unless its mode has `keepDays`',
  caller: 'admin',
  role: 'developer',
  feature: 'multiplayer',
  body: Type.Object({
    mode: ModeKey,
    options: Type.Optional(Type.Unknown({ description: 'any JSON, up to 4 KB; for `onCreate`' })),
    private: Type.Optional(Type.Boolean()),
    code: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{4,12}$',
        patternErrorMessage: 'must be 4 to 12 letters and digits',
        description: '4–12 letters and digits; 8 random ones if omitted',
      }),
    ),
  }),
  status: 201,
  response: Type.Object({ id: Id, code: Type.String(), mode: ModeKey, createdAt: Timestamp }),
  errors: [
    'mode_not_found',
    'mode_unavailable',
    'room_failed',
    'room_busy',
    'code_taken',
    'payload_too_large',
  ],
})

/** Send a message to the code of a room. */
export const messageRoom = endpoint('POST /v1/admin/x/rooms/:roomId/messages', {
  summary:
    'Send a message to `onServerMessage` of a room with code, and get what it returns; opens a room that is kept',
  caller: 'admin',
  role: 'developer',
  feature: 'multiplayer',
  params: OneRoom,
  body: Type.Object({
    type: Type.String({ minLength: 1, maxLength: LIMITS.messageTypeLengthMax }),
    data: Type.Optional(Type.Unknown({ description: 'any JSON, up to 16 KB' })),
  }),
  response: Type.Object({ data: Type.Unknown() }),
  errors: ['room_not_found', 'mode_unavailable', 'room_busy', 'room_error', 'payload_too_large'],
})

/** Close a room. */
export const closeRoom = endpoint('DELETE /v1/admin/x/rooms/:roomId', {
  summary: 'Close a room with code; its players get `room_closed` with the reason `closed`',
  caller: 'admin',
  role: 'developer',
  params: OneRoom,
  response: Deleted,
  errors: ['room_not_found'],
})

/** A room that is kept for its players. */
export type KeptRoom = Static<typeof KeptRoom>
/** A room of a mode with `keepDays` in which the player has a seat. */
export const KeptRoom = Type.Object({
  id: Id,
  code: Type.String({ description: 'open the room with `join` and this code, or its id' }),
  mode: ModeKey,
  open: Type.Boolean({ description: 'true: its code runs; false: it is stored' }),
  metadata: Type.Unknown(BY_PLAYER),
  players: Type.Array(
    Type.Object({ id: Id, displayName: Nullable(Type.String(BY_PLAYER)), connected: Type.Boolean() }),
  ),
  createdAt: Timestamp,
  expiresAt: Type.String({ description: 'a timestamp: when it is deleted, unless it is opened before' }),
  wakeAt: Nullable(Type.String({ description: 'a timestamp: when its code runs again by itself' })),
})

/** List the kept rooms in which you have a seat. */
export const listMyRooms = endpoint('GET /v1/x/rooms/mine', {
  summary: 'List your rooms of modes with `keepDays`, open and stored, the newest first',
  caller: 'player',
  feature: 'multiplayer',
  response: Type.Object({ rooms: Type.Array(KeptRoom) }),
})

/** The state of a room. */
export type RoomStateView = Static<typeof RoomStateView>
/** `state` and `own` are null in production unless a reason was given, which the audit log keeps. */
export const RoomStateView = Type.Object({
  tick: Type.Integer(),
  stateBytes: Type.Integer(),
  state: Patch,
  own: Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: 'the own state of each player, by id' }),
  ),
})

/** Get the state of a room with code. */
export const readRoomState = endpoint('GET /v1/admin/x/rooms/:roomId/state', {
  summary:
    'Get the state of a room with code; in production only its size, unless you give a reason, which the audit log keeps',
  caller: 'admin',
  role: 'developer',
  params: OneRoom,
  query: Type.Object({
    reason: Type.Optional(
      Type.String({ minLength: 3, maxLength: 200, description: 'why you look into the room of players' }),
    ),
  }),
  response: RoomStateView,
  errors: ['room_not_found', 'room_busy'],
})

/** One turn of a room. */
export type RoomTurn = Static<typeof RoomTurn>
/** `events` are what the code got, in order; `patch` and `own` are what it changed. */
export const RoomTurn = Type.Object({
  turn: Type.Integer({ description: '-1: changed after an `await`, between two turns' }),
  tick: Type.Integer(),
  at: Milliseconds,
  events: Type.Array(Type.Unknown(BY_PLAYER)),
  patch: Patch,
  own: Type.Record(Type.String(), Type.Unknown(), { description: 'by player id' }),
  errors: Type.Optional(Type.Array(Type.String(), { description: 'messages of the errors that it threw' })),
})

/** Recorded turns of a room. */
export type RoomRecording = Static<typeof RoomRecording>
/**
 * `start` is what the room is restored from before the first turn; null: the first turn opens it. A first turn with the event
 * `["restore"]` is what `onRestore` did.
 */
export const RoomRecording = Type.Object({
  roomId: Id,
  className: Type.String(),
  version: Type.Integer(),
  tickRate: Type.Integer(),
  start: Nullable(
    Type.Object({
      state: Type.Record(Type.String(), Type.Unknown()),
      own: Type.Record(Type.String(), Type.Unknown(), { description: 'by player id' }),
      saved: Type.Optional(Type.Unknown({ description: 'what `save` returned' })),
      random: Type.Unknown({ description: 'the state of `random`' }),
      tick: Type.Integer(),
      wakeAt: Nullable(Type.Number()),
      options: Type.Unknown({ description: 'as in the event `restore`, and so are `info` and `players`' }),
      info: Type.Unknown(),
      players: Type.Array(Type.Unknown(BY_PLAYER)),
    }),
  ),
  turns: Type.Array(RoomTurn),
})

/** Get the last turns of a room. */
export const readRoomTurns = endpoint('GET /v1/admin/x/rooms/:roomId/turns', {
  summary: `Get the last ${LIMITS.roomTurnsRecordedMs / 1000} s of a room with code, turn by turn; only in development, and up to ten minutes after its end`,
  caller: 'admin',
  role: 'developer',
  params: OneRoom,
  response: RoomRecording,
  errors: ['room_not_found', 'development_only'],
})
