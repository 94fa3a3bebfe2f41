import { type Static, Type } from 'typebox'

import { endpoint } from './endpoint.ts'
import { frame, serverEvent } from './frame.ts'
import { LIMITS } from './limits.ts'
import { Empty, Id, Milliseconds, Nullable, Timestamp } from './shapes.ts'

/** Multiplayer rooms and matchmaking. */

export const OfPlayer = { feature: 'multiplayer', player: true } as const

const ModeKey = Type.String({ maxLength: 64, description: 'of multiplayer.modes in the config' })
const Mode = Type.Optional(
  Type.String({ maxLength: 64, description: 'of multiplayer.modes in the config; `default` when left out' }),
)
const RoomId = Type.String({ minLength: 1, maxLength: 64 })
export const PlayerId = Type.String({ maxLength: 64 })
const Patch = Type.Record(Type.String(), Type.Unknown(), {
  description: 'top-level keys to replace, with any JSON; null deletes a key',
})

export type Transport = Static<typeof Transport>
const Transport = Type.Union([Type.Literal('server'), Type.Literal('p2p')])

export type RoomPlayer = Static<typeof RoomPlayer>
export const RoomPlayer = Type.Object({
  id: Id,
  displayName: Nullable(Type.String()),
  state: Type.Record(Type.String(), Type.Unknown()),
  connected: Type.Boolean(),
})

const RoomFacts = {
  id: Id,
  code: Type.String({ description: 'for people: say it, type it, join by it' }),
  mode: ModeKey,
  maxPlayers: Type.Integer({ minimum: 1, maximum: LIMITS.roomPlayersMax }),
  metadata: Type.Unknown(),
  createdAt: Timestamp,
}

export type RoomSummary = Static<typeof RoomSummary>
export const RoomSummary = Type.Object({ ...RoomFacts, players: Type.Integer() })

export type Room = Static<typeof Room>
export const Room = Type.Object({
  ...RoomFacts,
  transport: Transport,
  private: Type.Boolean({ description: 'not in the list of rooms' }),
  locked: Type.Boolean(),
  hostId: Id,
  hostOnlyState: Type.Boolean({ description: 'only the host changes the state' }),
  state: Type.Record(Type.String(), Type.Unknown()),
  players: Type.Array(RoomPlayer, { description: 'longest present first' }),
})

/** For the developer's live view: no state, no message. */
export type LiveRoom = Static<typeof LiveRoom>
export const LiveRoom = Type.Object({
  ...RoomFacts,
  transport: Transport,
  private: Type.Boolean(),
  locked: Type.Boolean(),
  hostId: Id,
  stateBytes: Type.Integer(),
  players: Type.Array(
    Type.Object({ id: Id, displayName: Nullable(Type.String()), connected: Type.Boolean() }),
  ),
})

export type LiveQueue = Static<typeof LiveQueue>
export const LiveQueue = Type.Object({ mode: ModeKey, waiting: Type.Integer() })

export const listRooms = endpoint('GET /v1/rooms', {
  summary: `Open public rooms, the newest ${LIMITS.roomsListed}; full, locked and private ones are not among them`,
  caller: 'public',
  feature: 'multiplayer',
  query: Type.Object({ mode: Type.Optional(ModeKey) }),
  response: Type.Object({ rooms: Type.Array(RoomSummary) }),
})

export const create = frame('create', {
  ...OfPlayer,
  summary: 'Make a room and be its host',
  fields: Type.Object({
    mode: Mode,
    private: Type.Optional(Type.Boolean()),
    maxPlayers: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.roomPlayersMax, description: 'at most the mode’s' }),
    ),
    metadata: Type.Optional(Type.Unknown({ description: 'any JSON, 4 KB at most; shown in the list' })),
    code: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{4,12}$',
        patternErrorMessage: 'must be 4 to 12 letters and digits',
        description:
          '4 to 12 of A-Z 0-9; 8 are made up when left out, which nobody guesses; in production a chosen one counts as a wrong join',
      }),
    ),
    hostOnlyState: Type.Optional(Type.Boolean()),
  }),
  rawMember: 'metadata',
  reply: Type.Object({ room: Room }),
  errors: ['mode_not_found', 'already_in_room', 'code_taken', 'payload_too_large'],
})

export const join = frame('join', {
  ...OfPlayer,
  summary: 'Take a seat, by the id or by the code of a room',
  fields: Type.Object({
    roomId: Type.Optional(RoomId),
    code: Type.Optional(
      Type.String({
        maxLength: 64,
        description: `upper or lower case; after ${LIMITS.wrongJoinsPerMinuteMax} wrong ones in a minute the next closes the connection with 4029`,
      }),
    ),
  }),
  reply: Type.Object({ room: Room }),
  errors: ['room_not_found', 'room_full', 'p2p_room_full', 'room_locked', 'already_in_room'],
})

export const resume = frame('resume', {
  ...OfPlayer,
  summary: 'Come back to your seat on a new connection, within 30 s',
  fields: Type.Object({ roomId: RoomId }),
  reply: Type.Object({ room: Room }),
  errors: ['room_not_found', 'already_in_room'],
})

export const leave = frame('leave', {
  ...OfPlayer,
  summary: 'Give up your seat',
  fields: Empty,
  reply: Empty,
  errors: ['not_in_room'],
})

export const quickMatch = frame('quickMatch', {
  ...OfPlayer,
  summary:
    'Wait for others of the same mode; room_joined comes when there are enough, or after the fill timeout',
  fields: Type.Object({ mode: Mode }),
  reply: Type.Object({
    queued: Type.Boolean({ description: 'false: matched at once, room_joined came before this' }),
    roomId: Type.Optional(Id),
  }),
  errors: ['mode_not_found', 'already_in_room', 'already_queued'],
})

export const cancelMatch = frame('cancelMatch', {
  ...OfPlayer,
  summary: 'Wait no longer',
  fields: Empty,
  reply: Type.Object({ cancelled: Type.Boolean({ description: 'false: you did not wait (any more)' }) }),
})

export const send = frame('send', {
  ...OfPlayer,
  summary: 'A message to the others in the room, or to some of them',
  fields: Type.Object({
    type: Type.String({ maxLength: LIMITS.messageTypeLengthMax }),
    data: Type.Optional(Type.Unknown({ description: 'any JSON, 16 KB at most; arrives to the letter' })),
    to: Type.Optional(Type.Array(PlayerId, { maxItems: LIMITS.roomPlayersMax })),
  }),
  rawMember: 'data',
  reply: Empty,
  errors: ['not_in_room', 'payload_too_large'],
})

export const setState = frame('setState', {
  ...OfPlayer,
  summary: 'Change the state that all players of the room share, 64 KB at most',
  fields: Type.Object({ patch: Patch }),
  rawMembersOf: 'patch',
  reply: Empty,
  errors: ['not_in_room', 'host_only', 'state_too_large'],
})

export const setMyState = frame('setMyState', {
  ...OfPlayer,
  summary: 'Change your own state, which everybody sees, 16 KB at most',
  fields: Type.Object({ patch: Patch }),
  rawMembersOf: 'patch',
  reply: Empty,
  errors: ['not_in_room', 'state_too_large'],
})

export const lock = frame('lock', {
  ...OfPlayer,
  summary: 'Let nobody else in, or open the room again; the host only',
  fields: Type.Object({ locked: Type.Boolean() }),
  reply: Empty,
  errors: ['not_in_room', 'host_only'],
})

export const roomJoined = serverEvent(
  'room_joined',
  'You have a seat; comes before the reply to create, join, resume and quickMatch',
  Type.Object({ room: Room, selfId: Id }),
)

export const playerJoined = serverEvent(
  'player_joined',
  'Somebody has taken a seat',
  Type.Object({ player: RoomPlayer }),
)

export type LeaveReason = Static<typeof LeaveReason>
const LeaveReason = Type.Union([
  Type.Literal('left'),
  Type.Literal('timeout'),
  Type.Literal('banned'),
  Type.Literal('replaced', { description: 'the player has taken a seat in another room' }),
])

export const playerLeft = serverEvent(
  'player_left',
  'A seat is free again',
  Type.Object({ playerId: Id, reason: LeaveReason }),
)

export const playerDisconnected = serverEvent(
  'player_disconnected',
  'A player’s connection was lost; the seat is kept for 30 s',
  Type.Object({ playerId: Id }),
)

export const playerReconnected = serverEvent(
  'player_reconnected',
  'A player is back in the seat',
  Type.Object({ playerId: Id }),
)

export const playerRenamed = serverEvent(
  'player_renamed',
  'A player has a new display name; you get your own, too',
  Type.Object({ playerId: Id, displayName: Nullable(Type.String()) }),
)

export const hostChanged = serverEvent(
  'host_changed',
  'Another player is the host now',
  Type.Object({ hostId: Id }),
)

export const state = serverEvent(
  'state',
  'The room’s state was changed; you get your own changes too, in the order all get them',
  Type.Object({ patch: Patch, from: Id }),
)

export const playerState = serverEvent(
  'player_state',
  'A player’s own state was changed',
  Type.Object({ playerId: Id, patch: Patch }),
)

export const message = serverEvent(
  'message',
  'What another player has sent',
  Type.Object({ from: Id, type: Type.String(), data: Type.Unknown(), at: Milliseconds }),
)

export const locked = serverEvent(
  'locked',
  'The room was locked or opened again',
  Type.Object({ locked: Type.Boolean() }),
)

export type CloseReason = Static<typeof CloseReason>
const CloseReason = Type.Union([
  Type.Literal('empty'),
  Type.Literal('closed'),
  Type.Literal('feature_disabled'),
  Type.Literal('shutdown'),
])

export const roomClosed = serverEvent(
  'room_closed',
  'The room is over, and with it your seat',
  Type.Object({ reason: CloseReason }),
)
