import { type Static, Type } from 'typebox'

import { frame, serverEvent } from '../common/frame.ts'
import { Empty, Id, Milliseconds, Nullable } from '../common/schemas.ts'

/** The WebSocket itself: its first frame, its replies, its close codes. Rooms and channels have their own modules. */

/** The path of the WebSocket. */
export const REALTIME_PATH = '/v1/realtime'

/** Why the service ends a connection; the reason in the close frame is the error code. */
export const CLOSE_CODES = {
  unauthorized: 4001,
  tokenExpired: 4002,
  forbidden: 4003,
  replaced: 4004,
  idle: 4008,
  rateLimitAbuse: 4029,
  /** Like `rateLimitAbuse`, for a connection that is not authenticated. */
  policyViolation: 1008,
  restarting: 1012,
} as const

/** A WebSocket close code of the service. */
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES]

/** In code points, as every length of the contract. */
export const RID_LENGTH_MAX = 64

/** The id that a client gives a request, to match its reply. */
export const Rid = Type.Union(
  [
    Type.String({ maxLength: RID_LENGTH_MAX }),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  { description: 'chosen by the client; returned in the reply' },
)

/** Authenticate the connection. */
export const auth = frame('auth', {
  summary: 'Authenticate the connection; must be the first frame, within 5 s',
  fields: Type.Object({
    key: Type.String({ maxLength: 256, description: 'a publishable key' }),
    token: Type.Optional(Type.String({ maxLength: 4096, description: 'an access token' })),
    anon: Type.Optional(
      Type.Boolean({
        description: 'true: anonymous connection, without a player or a token; can join only open channels',
      }),
    ),
  }),
  reply: Empty,
  errors: ['unauthorized', 'invalid_key', 'invalid_token'],
})

/** Ask whether the connection works. */
export const ping = frame('ping', {
  summary:
    'Ask whether the connection works; answered before requests that wait, and limited like a WebSocket ping',
  fields: Empty,
  reply: Empty,
})

/** The answer to auth. */
export const welcome = serverEvent(
  'welcome',
  'The reply to auth',
  Type.Object({
    connectionId: Type.String(),
    playerId: Nullable(Id),
    displayName: Nullable(Type.String()),
    serverTime: Milliseconds,
    room: Nullable(Type.Object({ id: Id }, { description: 'a seat that can be resumed' })),
    limits: Type.Object({ messagesPerSecond: Type.Integer(), maxFrameBytes: Type.Integer() }),
  }),
)

/** The reply to a request with a rid. */
export const reply = serverEvent(
  'reply',
  'The reply to a request with a rid',
  Type.Object({
    rid: Rid,
    ok: Type.Boolean(),
    data: Type.Optional(Type.Unknown()),
    error: Type.Optional(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        details: Type.Optional(Type.Unknown()),
      }),
    ),
  }),
)

/** `details` of the warning `player_banned`, which is sent before the connection is closed with 4003. */
export type BanWarningDetails = Static<typeof BanWarningDetails>
/** `note` is null without a reason, `expiresAt` for a ban without end. */
export const BanWarningDetails = Type.Object({
  sanctionId: Id,
  note: Nullable(Type.String()),
  expiresAt: Nullable(Milliseconds),
})

/** A request without a rid was rejected, or the connection is about to close. */
export const warn = serverEvent(
  'warn',
  'A request without a rid failed, or the connection is about to close',
  Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Optional(
      Type.Unknown({ description: 'for `player_banned`: sanctionId, note and expiresAt of the ban' }),
    ),
    request: Type.Optional(Type.String({ description: '`t` of the request' })),
    channel: Type.Optional(Type.String({ description: 'of the request, if it named one' })),
  }),
)
