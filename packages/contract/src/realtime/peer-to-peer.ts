import { type Static, Type } from 'typebox'

import { frame, serverEvent } from '../common/frame.ts'
import { Empty, Id, Milliseconds, Nullable } from '../common/schemas.ts'
import { PlayerFields, PlayerId } from './rooms.ts'

/** Peer-to-peer rooms: players exchange game messages directly. */

/** The kinds of WebRTC signals. */
export type SignalKind = Static<typeof SignalKind>
/** The service passes signals of all kinds on to one player and does not read their data. */
export const SignalKind = Type.Union([
  Type.Literal('offer'),
  Type.Literal('answer'),
  Type.Literal('candidate'),
  Type.Literal('restart'),
])

/** Peer-to-peer rooms: send a WebRTC signal to one player. */
export const signal = frame('signal', {
  ...PlayerFields,
  summary: 'Peer-to-peer rooms: send a WebRTC signal to one player',
  fields: Type.Object({
    to: PlayerId,
    kind: SignalKind,
    data: Type.Optional(Type.Unknown({ description: 'any JSON, up to 8 KB' })),
    gen: Type.Optional(
      Type.Integer({
        description: 'generation number; tells signals of a restarted connection from old ones',
      }),
    ),
  }),
  rawMember: 'data',
  reply: Empty,
  errors: ['not_in_room', 'not_p2p_room', 'player_not_in_room', 'payload_too_large'],
})

/** A STUN or TURN server for RTCPeerConnection. */
export const IceServer = Type.Object({
  urls: Type.Array(Type.String()),
  username: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
})

/** The configuration for RTCPeerConnection. */
export type IceServersAnswer = Static<typeof IceServersAnswer>
const IceServersAnswer = Type.Object({
  iceServers: Type.Array(IceServer),
  iceTransportPolicy: Type.Union([Type.Literal('relay'), Type.Literal('all')]),
  expiresAt: Milliseconds,
})

/** Peer-to-peer rooms: get the configuration for RTCPeerConnection, valid for one hour. */
export const iceServers = frame('iceServers', {
  ...PlayerFields,
  summary: 'Peer-to-peer rooms: get the configuration for RTCPeerConnection, valid for one hour',
  fields: Empty,
  reply: IceServersAnswer,
  errors: ['not_in_room', 'not_p2p_room', 'turn_unavailable'],
})

/** A WebRTC signal from another player. */
export const signalled = serverEvent(
  'signal',
  'A WebRTC signal from another player',
  Type.Object({ from: Id, kind: SignalKind, data: Type.Unknown(), gen: Nullable(Type.Integer()) }),
)
