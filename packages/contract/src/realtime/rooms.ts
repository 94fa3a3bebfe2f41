import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { frame, serverEvent } from '../common/frame.ts'
import { LIMITS } from '../common/limits.ts'
import { BY_PLAYER, Empty, Id, Milliseconds, Nullable, Timestamp } from '../common/schemas.ts'

/** Multiplayer rooms and matchmaking. */

/** The common fields of frames that require a player and the feature `multiplayer`. */
export const PlayerFields = { feature: 'multiplayer', player: true } as const

const ModeKey = Type.String({ maxLength: 64, description: 'a key of multiplayer.modes in the config' })
const Mode = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'a key of multiplayer.modes in the config; `default` if omitted',
  }),
)
const RoomId = Type.String({ minLength: 1, maxLength: 64 })
/** A player id in a frame. */
export const PlayerId = Type.String({ maxLength: 64 })
const Patch = Type.Record(Type.String(), Type.Unknown(), {
  description: 'top-level keys to replace, with any JSON; null deletes a key',
})

const MergePatch = (of: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description: `changes of ${of} as a JSON merge patch: objects are merged, null deletes a key, everything else is replaced`,
  })

/** How the players of a room exchange messages. */
export type Transport = Static<typeof Transport>
const Transport = Type.Union([Type.Literal('server'), Type.Literal('p2p')])

/** A player in a room. */
export type RoomPlayer = Static<typeof RoomPlayer>
/** `connected` is false while the seat is kept for a lost connection, at most 30 s (ROM-09) unless the mode has `keepDays`. */
export const RoomPlayer = Type.Object({
  id: Id,
  displayName: Nullable(Type.String(BY_PLAYER)),
  state: Type.Record(Type.String(), Type.Unknown()),
  connected: Type.Boolean(),
})

const RoomInfo = {
  id: Id,
  code: Type.String({ description: 'short code that players can share to join the room' }),
  mode: ModeKey,
  maxPlayers: Type.Integer({ minimum: 1, maximum: LIMITS.roomPlayersMax }),
  metadata: Type.Unknown(BY_PLAYER),
  createdAt: Timestamp,
}

/** A room in the list of open rooms. */
export type RoomSummary = Static<typeof RoomSummary>
/** `players` is their number. Full, locked and private rooms are not in the list (ROM-01). */
export const RoomSummary = Type.Object({ ...RoomInfo, players: Type.Integer() })

/** How a room that quick match started is filled with later players. Other rooms do not have it. */
export type RoomMatch = Static<typeof RoomMatch>
const RoomMatch = Type.Object({
  minPlayers: Type.Integer({ description: 'below this, the game waits for more players' }),
  backfillUntil: Nullable(
    Type.String({
      description:
        'until when quick match fills the room; afterwards only while it is below minPlayers; null: until it is locked',
    }),
  ),
  pool: Nullable(Type.String({ description: 'the `pool` passed to quickMatch' })),
})

/** What a room with code tells its players about its ticks. */
export const RoomServer = Type.Object({
  tickRate: Type.Integer({ description: 'ticks per second; 0: the code runs when something arrives' }),
  tick: Type.Integer({ description: 'the number of the last tick' }),
  seq: Type.Optional(
    Type.Integer({
      description:
        'after a restart of the code: the last `seq` of yours that it has handled; later ones still count',
    }),
  ),
})

/** A room as its players see it. */
export type Room = Static<typeof Room>
/** `match` exists only if quick match started the room; `server` and `own` only if code runs in it. */
export const Room = Type.Object({
  ...RoomInfo,
  transport: Transport,
  private: Type.Boolean({ description: 'not in the list of rooms' }),
  locked: Type.Boolean(),
  hostId: Id,
  hostOnlyState: Type.Boolean({ description: 'only the host can change the state' }),
  match: Type.Optional(RoomMatch),
  server: Type.Optional(RoomServer),
  own: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'the state that only you can see' }),
  ),
  state: Type.Record(Type.String(), Type.Unknown()),
  players: Type.Array(RoomPlayer, { description: 'longest present first' }),
})

/** The rate since the last reading, at least a second ago. */
export const MessagesPerSecond = Type.Number({
  description: 'since the previous read (at least a second)',
})

/** How the code of a room runs, for the developer's live view. */
export const LiveRoomServer = Type.Object({
  className: Type.String(),
  version: Type.Integer({ description: 'the version of the functions that runs' }),
  tickRate: Type.Integer(),
  tick: Type.Integer(),
  lateTicks: Type.Integer({ description: 'ticks that were skipped because the one before had not ended' }),
  cpuMsPerSecond: Type.Number({
    description: 'CPU time of its process per second, divided by the rooms in it',
  }),
  errors: Type.Integer({ description: 'errors that its code threw' }),
  running: Type.Boolean({ description: 'false while its process starts' }),
})

/** For the developer's live view: no state, no message. */
export type LiveRoom = Static<typeof LiveRoom>
/** The live view also has full, locked and private rooms, which the list for players leaves out. */
export const LiveRoom = Type.Object({
  ...RoomInfo,
  transport: Transport,
  private: Type.Boolean(),
  locked: Type.Boolean(),
  hostId: Nullable(Id, 'null before a player has joined a room of a server'),
  stateBytes: Type.Integer(),
  node: Type.String({ description: 'id of the node that runs it' }),
  messagesPerSecond: MessagesPerSecond,
  server: Type.Optional(LiveRoomServer),
  players: Type.Array(
    Type.Object({ id: Id, displayName: Nullable(Type.String(BY_PLAYER)), connected: Type.Boolean() }),
  ),
})

/** A matchmaking queue in the live view. */
export type LiveQueue = Static<typeof LiveQueue>
/** `waiting` is the number of players. Empty queues are not in the live view. */
export const LiveQueue = Type.Object({
  mode: ModeKey,
  pool: Type.Optional(Type.String({ ...BY_PLAYER, description: 'the `pool` passed to quickMatch' })),
  waiting: Type.Integer(),
})

/** List the newest open public rooms. */
export const listRooms = endpoint('GET /v1/rooms', {
  summary: `List the newest ${LIMITS.roomsListed} open public rooms; full, locked and private rooms are not included`,
  caller: 'public',
  feature: 'multiplayer',
  query: Type.Object({ mode: Type.Optional(ModeKey) }),
  response: Type.Object({ rooms: Type.Array(RoomSummary) }),
})

/** Why a room with code cannot be opened or joined. */
const CODE_JOIN_ERRORS = [
  'mode_unavailable',
  'room_failed',
  'join_refused',
  'room_error',
  'room_busy',
  'too_many_rooms',
] as const

/** Create a room and become its host. */
export const create = frame('create', {
  ...PlayerFields,
  summary: 'Create a room and become its host',
  fields: Type.Object({
    mode: Mode,
    private: Type.Optional(Type.Boolean()),
    maxPlayers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.roomPlayersMax,
        description: 'up to the mode’s maxPlayers',
      }),
    ),
    metadata: Type.Optional(Type.Unknown({ description: 'any JSON, up to 4 KB; shown in the list' })),
    code: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{4,12}$',
        patternErrorMessage: 'must be 4 to 12 letters and digits',
        description:
          '4–12 letters and digits; 8 random ones if omitted. In production a code of your own counts as a failed join',
      }),
    ),
    hostOnlyState: Type.Optional(Type.Boolean()),
    options: Type.Optional(
      Type.Unknown({ description: 'any JSON, up to 4 KB; for `onCreate` of a room with code' }),
    ),
  }),
  rawMember: 'metadata',
  reply: Type.Object({ room: Room }),
  errors: ['mode_not_found', 'already_in_room', 'code_taken', 'payload_too_large', ...CODE_JOIN_ERRORS],
})

/** Join a room by id or code. */
export const join = frame('join', {
  ...PlayerFields,
  summary: 'Join a room by id or code',
  fields: Type.Object({
    roomId: Type.Optional(RoomId),
    code: Type.Optional(
      Type.String({
        maxLength: 64,
        description: `case is ignored; after ${LIMITS.wrongJoinsPerMinuteMax} wrong codes in a minute the next one closes the connection with 4029`,
      }),
    ),
  }),
  reply: Type.Object({ room: Room }),
  errors: [
    'room_not_found',
    'room_full',
    'p2p_room_full',
    'room_locked',
    'already_in_room',
    ...CODE_JOIN_ERRORS,
  ],
})

/** Resume your seat on a new connection, within 30 s; in a room that is kept, at any time. */
export const resume = frame('resume', {
  ...PlayerFields,
  summary: 'Resume your seat on a new connection, within 30 s; in a room that is kept, at any time',
  fields: Type.Object({ roomId: RoomId }),
  reply: Type.Object({ room: Room }),
  errors: ['room_not_found', 'already_in_room', 'mode_unavailable', 'room_busy'],
})

/** Leave the room. */
export const leave = frame('leave', {
  ...PlayerFields,
  summary: 'Leave the room',
  fields: Type.Object({
    keepSeat: Type.Optional(
      Type.Boolean({
        description:
          'true: your seat stays as if the connection was lost: for 30 s, and in a room of a mode with `keepDays` until you leave it',
      }),
    ),
  }),
  reply: Empty,
  errors: ['not_in_room'],
})

/** Wait for a match in a mode. */
export const quickMatch = frame('quickMatch', {
  ...PlayerFields,
  summary:
    'Wait for a match in a mode; room_joined is sent when you have just lost the connection to such a match, when a started match has a free seat, when there are enough players, or after the fill timeout',
  fields: Type.Object({
    mode: Mode,
    pool: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9_.:-]{1,48}$',
        patternErrorMessage: 'must be 1 to 48 characters of a-z 0-9 _ . : -',
        description:
          'only players with the same pool meet, such as a region, a skill level or a game version',
      }),
    ),
    party: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'players who pass the same string are put in one room; requires partySize',
      }),
    ),
    partySize: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: LIMITS.roomPlayersMax,
        description: 'size of the party; after the fill timeout those who are there start',
      }),
    ),
    progress: Type.Optional(Type.Boolean({ description: 'true: match_progress events are sent' })),
  }),
  reply: Type.Object({
    queued: Type.Boolean({
      description: 'false: matched immediately; room_joined was sent before this reply',
    }),
    roomId: Type.Optional(Id),
  }),
  errors: ['mode_not_found', 'already_in_room', 'already_queued', 'party_too_large', ...CODE_JOIN_ERRORS],
})

/** How far the search for a match is. */
export const matchProgress = serverEvent(
  'match_progress',
  'Progress of the search for a match; sent on change, at most once a second, if quickMatch asked for it',
  Type.Object({
    waiting: Type.Integer({ description: 'waiting players, including you' }),
    minPlayers: Type.Integer(),
    maxPlayers: Type.Integer(),
    startsAt: Nullable(
      Type.String({ description: 'a timestamp: when a match starts at the latest; null: not known' }),
    ),
  }),
)

/** Cancel matchmaking. */
export const cancelMatch = frame('cancelMatch', {
  ...PlayerFields,
  summary: 'Cancel matchmaking',
  fields: Empty,
  reply: Type.Object({ cancelled: Type.Boolean({ description: 'false: you were not waiting' }) }),
})

/** Send a message to the other players in the room, or to some of them. */
export const send = frame('send', {
  ...PlayerFields,
  summary:
    'Send a message to the other players in the room, or to some of them; in a room with code, to the code',
  fields: Type.Object({
    type: Type.String({ maxLength: LIMITS.messageTypeLengthMax }),
    data: Type.Optional(Type.Unknown({ description: 'any JSON, up to 16 KB; delivered unchanged' })),
    to: Type.Optional(Type.Array(PlayerId, { maxItems: LIMITS.roomPlayersMax })),
    seq: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'a number that grows; `sync` says which one a room with code has handled',
      }),
    ),
    call: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'with `rid`, in a room with code: a number that no other call of yours has. A frame with the number of one of your last 64 calls is answered as that one, and not handled again',
      }),
    ),
  }),
  rawMember: 'data',
  reply: Type.Object({
    data: Type.Optional(Type.Unknown({ description: 'in a room with code: what its handler has returned' })),
  }),
  errors: ['not_in_room', 'payload_too_large', 'room_busy', 'room_error'],
})

/** Change the shared state of the room. */
export const setState = frame('setState', {
  ...PlayerFields,
  summary: 'Change the shared state of the room; at most 64 KB',
  fields: Type.Object({ patch: Patch }),
  rawMembersOf: 'patch',
  reply: Empty,
  errors: ['not_in_room', 'host_only', 'state_too_large', 'room_decides'],
})

/** Change your own state, which all players see. */
export const setMyState = frame('setMyState', {
  ...PlayerFields,
  summary: 'Change your own state, which all players see; at most 16 KB',
  fields: Type.Object({ patch: Patch }),
  rawMembersOf: 'patch',
  reply: Empty,
  errors: ['not_in_room', 'state_too_large', 'room_decides'],
})

/** Lock or unlock the room. */
export const lock = frame('lock', {
  ...PlayerFields,
  summary: 'Lock or unlock the room; host only',
  fields: Type.Object({ locked: Type.Boolean() }),
  reply: Empty,
  errors: ['not_in_room', 'host_only', 'room_decides'],
})

/** You joined a room. */
export const roomJoined = serverEvent(
  'room_joined',
  'You joined a room; sent before the reply to create, join, resume and quickMatch',
  Type.Object({ room: Room, selfId: Id }),
)

/** A player joined the room. */
export const playerJoined = serverEvent(
  'player_joined',
  'A player joined the room',
  Type.Object({ player: RoomPlayer }),
)

/** Why a player left a room. */
export type LeaveReason = Static<typeof LeaveReason>
const LeaveReason = Type.Union([
  Type.Literal('left'),
  Type.Literal('timeout'),
  Type.Literal('banned'),
  Type.Literal('replaced', { description: 'the player joined another room' }),
  Type.Literal('kicked', { description: 'the code of the room removed the player' }),
])

/** A player left the room. */
export const playerLeft = serverEvent(
  'player_left',
  'A player left the room',
  Type.Object({ playerId: Id, reason: LeaveReason }),
)

/** A player’s connection was lost. */
export const playerDisconnected = serverEvent(
  'player_disconnected',
  'A player’s connection was lost; the seat is kept for 30 s, or in a mode with `keepDays` until the player leaves',
  Type.Object({ playerId: Id }),
)

/** A player reconnected. */
export const playerReconnected = serverEvent(
  'player_reconnected',
  'A player reconnected',
  Type.Object({ playerId: Id }),
)

/** A player has a new display name. */
export const playerRenamed = serverEvent(
  'player_renamed',
  'A player has a new display name; you also get your own',
  Type.Object({ playerId: Id, displayName: Nullable(Type.String(BY_PLAYER)) }),
)

/** The host changed. */
export const hostChanged = serverEvent('host_changed', 'The host changed', Type.Object({ hostId: Id }))

/** The room’s state was changed. */
export const state = serverEvent(
  'state',
  'The shared state changed; you also get your own changes, in the order everyone gets them',
  Type.Object({ patch: Patch, from: Id }),
)

/** A player’s own state changed. */
export const playerState = serverEvent(
  'player_state',
  'A player’s own state changed',
  Type.Object({ playerId: Id, patch: Patch }),
)

/** A message from another player. */
export const message = serverEvent(
  'message',
  'A message from another player, or from the code of the room',
  Type.Object({
    from: Type.String({ description: 'id of a player; `room` for the code of the room' }),
    type: Type.String(),
    data: Type.Unknown(),
    at: Milliseconds,
  }),
)

/** What the code of a room has changed in one turn. */
export const sync = serverEvent(
  'sync',
  'What the code of the room has changed in one turn; only in rooms with code',
  Type.Object({
    tick: Type.Integer({ description: 'the number of the last tick' }),
    at: Milliseconds,
    patch: Type.Optional(MergePatch('the shared state')),
    own: Type.Optional(MergePatch('your own state')),
    acks: Type.Optional(
      Type.Array(Nullable(Type.Integer()), {
        description:
          'the last `seq` that was handled of each player, in the order of `players`; if one changed',
      }),
    ),
    more: Type.Optional(
      Type.Boolean({
        description: 'the next `sync` has the other changes of the same turn: apply both together',
      }),
    ),
  }),
)

/** The room was locked or unlocked. */
export const locked = serverEvent(
  'locked',
  'The room was locked or unlocked',
  Type.Object({ locked: Type.Boolean() }),
)

/** Why a room was closed. */
export type CloseReason = Static<typeof CloseReason>
const CloseReason = Type.Union([
  Type.Literal('empty'),
  Type.Literal('closed'),
  Type.Literal('feature_disabled'),
  Type.Literal('shutdown'),
  Type.Literal('finished', { description: 'the code of the room has ended it' }),
  Type.Literal('failed', { description: 'the code of the room failed too often' }),
  Type.Literal('updated', { description: 'a deploy replaced the code, which could not continue the room' }),
  Type.Literal('suspended', { description: 'the functions of the project are suspended' }),
])

/** The room was closed. */
export const roomClosed = serverEvent(
  'room_closed',
  'The room was closed',
  Type.Object({
    reason: CloseReason,
    result: Type.Optional(Type.Unknown({ description: 'what the code of the room has passed to `end`' })),
  }),
)
