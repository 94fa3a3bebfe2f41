import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { frame, serverEvent } from '../common/frame.ts'
import { LIMITS } from '../common/limits.ts'
import { PUBLISHED } from '../common/openapi-schemas.ts'
import { Deleted, Empty, Id, Milliseconds, Nullable, Timestamp } from '../common/schemas.ts'

/** Realtime channels: named and moderated; messages are not stored. Frames for players, endpoints for your server. */

/** The name of a channel that exists while it has members. */
export const PLAIN_CHANNEL_NAME = '^[a-z0-9][a-z0-9_.:-]{0,63}$'
/** The name of a channel that a server or a player has created; the player then owns it. */
export const MADE_CHANNEL_NAME = '^@[a-z0-9][a-z0-9_.:-]{0,62}$'

/** An invalid name is rejected with `invalid_channel_name`, which explains the format. */
export const ChannelName = Type.String({
  description:
    '1 to 64 characters of a-z 0-9 _ . : -; starts with @ unless it is a shared channel without owner',
})

const JoinRule = Type.Enum(['everyone', 'invited'])
const SendRule = Type.Enum(['everyone', 'speakers', 'server'])
/** How a call is connected: between the participants, or through the relay server. */
export const VoiceMode = Type.Enum(['p2p', 'sfu'])
const MembersMax = Type.Integer({ minimum: 1, maximum: LIMITS.channelMembersMax })
const MessageType = Type.String({ maxLength: LIMITS.messageTypeLengthMax })
const MessageData = Type.Optional(Type.Unknown({ description: 'any JSON, up to 16 KB' }))

/** The voice settings of a channel. */
export type ChannelVoice = Static<typeof ChannelVoice>
/** `relayOnly` applies to peer-to-peer calls: members connect through TURN servers only. */
export const ChannelVoice = Type.Object({ mode: VoiceMode, relayOnly: Type.Boolean() })

/** A member, as other members see it. */
export type ChannelMember = Static<typeof ChannelMember>
/** Anonymous connections are counted, but they are in no list of members (CHN-08). */
export const ChannelMember = Type.Object({ id: Id, displayName: Nullable(Type.String()) })

/** What the receiving member may do in the channel now. */
export type ChannelSelf = Static<typeof ChannelSelf>
/** If `muted` is true and `mutedUntil` is null, the mute has no end (CHN-07). */
export const ChannelSelf = Type.Object({
  canSend: Type.Boolean({
    description: 'whether you can send now; false while muted, or if only others may send',
  }),
  muted: Type.Boolean(),
  mutedUntil: Nullable(Milliseconds),
})

const SETTINGS = { join: JoinRule, send: SendRule, open: Type.Boolean(), maxMembers: MembersMax }

/** The moderation operations. */
export const MODERATION_OPS = [
  'invite',
  'uninvite',
  'allowSend',
  'disallowSend',
  'mute',
  'unmute',
  'kick',
  'ban',
  'unban',
] as const

const MODERATION = {
  op: Type.Enum(MODERATION_OPS),
  playerId: Id,
  seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.moderationSecondsMax,
      description: 'duration of mute and ban; if omitted, until undone',
    }),
  ),
}
/** A moderation operation on one player; `seconds` limits mute and ban. */
export type Moderation = Static<typeof Moderation>
const Moderation = Type.Object(MODERATION)

// --- requests of a connection

/** Join a channel. */
export const channelJoin = frame('channelJoin', {
  summary: 'Join a channel; a channel without @ is created by its first member',
  feature: 'realtimeChannels',
  fields: Type.Object({ channel: ChannelName }),
  reply: Empty,
  errors: [
    'invalid_channel_name',
    'channel_not_found',
    'channel_forbidden',
    'channel_banned',
    'channel_full',
    'player_required',
    'too_many_channels',
  ],
})

/** Create a channel and join it as owner. */
export const channelCreate = frame('channelCreate', {
  summary: 'Create a channel and join it as owner; it closes when the last member leaves',
  feature: 'realtimeChannels',
  player: true,
  fields: Type.Object({
    channel: Type.Optional(
      Type.String({ description: '`@` and 1–63 of a-z, 0-9, `_`, `.`, `:`, `-`; generated if omitted' }),
    ),
    join: Type.Optional(JoinRule),
    send: Type.Optional(SendRule),
    maxMembers: Type.Optional(MembersMax),
    voice: Type.Optional(Type.Union([Type.Literal(true), Type.Object({ mode: Type.Literal('sfu') })])),
  }),
  reply: Type.Object({ channel: ChannelName }),
  errors: ['invalid_channel_name', 'channel_exists', 'too_many_channels', 'voice_too_large'],
})

/** Leave a channel. */
export const channelLeave = frame('channelLeave', {
  summary: 'Leave a channel; no error if you are not a member',
  feature: 'realtimeChannels',
  fields: Type.Object({ channel: ChannelName }),
  reply: Empty,
})

/** Send a message to all members, including yourself. */
export const channelSend = frame('channelSend', {
  summary: 'Send a message to all members, including yourself; at most 20 per second',
  feature: 'realtimeChannels',
  fields: Type.Object({ channel: ChannelName, type: MessageType, data: MessageData }),
  rawMember: 'data',
  reply: Empty,
  errors: ['not_in_channel', 'muted', 'send_forbidden', 'payload_too_large'],
})

/** Moderate a player as the channel owner. */
export const channelModerate = frame('channelModerate', {
  summary: 'Moderate a player as the channel owner; the player does not have to be a member',
  feature: 'realtimeChannels',
  fields: Type.Object({ channel: ChannelName, ...MODERATION }),
  reply: Empty,
  errors: ['owner_only'],
})

// --- events for a connection

/** The state of a channel that a new member receives. */
export type ChannelJoined = Static<typeof channelJoined.fields>
/** You joined the channel. */
export const channelJoined = serverEvent(
  'channel_joined',
  'You joined the channel; contains its current state. Sent again when the whole member list must be replaced',
  Type.Object({
    channel: ChannelName,
    settings: Type.Object(SETTINGS),
    owner: Nullable(Id),
    members: Type.Array(ChannelMember),
    voice: Nullable(ChannelVoice),
    self: ChannelSelf,
  }),
)

/** Another player has joined. */
export const channelPlayerJoined = serverEvent(
  'channel_player_joined',
  'Another player has joined',
  Type.Object({ channel: ChannelName, player: ChannelMember }),
)

/** Another player has left, was removed or lost the connection for more than five seconds. */
export const channelPlayerLeft = serverEvent(
  'channel_player_left',
  'Another player has left, was removed or lost the connection for more than five seconds',
  Type.Object({ channel: ChannelName, playerId: Id }),
)

/** A member has a new display name. */
export const channelPlayerRenamed = serverEvent(
  'channel_player_renamed',
  'A member has a new display name; you also get your own',
  Type.Object({ channel: ChannelName, playerId: Id, displayName: Nullable(Type.String()) }),
)

/** A message. */
export const channelMessage = serverEvent(
  'channel_message',
  'A message; all members receive messages in the same order',
  Type.Object({
    channel: ChannelName,
    from: Type.String({ description: 'a player id, or server' }),
    type: MessageType,
    data: Type.Unknown({ description: 'null if none was sent' }),
    at: Milliseconds,
  }),
)

/** You were muted or unmuted, or whether you may send has changed. */
export const channelSelf = serverEvent(
  'channel_self',
  'You were muted or unmuted, or whether you may send has changed',
  Type.Object({ channel: ChannelName, ...ChannelSelf.properties }),
)

/** Why a membership ended. */
export type ChannelClosedReason = Static<typeof ChannelClosedReason>
const ChannelClosedReason = Type.Enum([
  'kicked',
  'banned',
  'uninvited',
  'deleted',
  'feature_disabled',
  'closed',
])

/** You are no longer in the channel. */
export const channelClosed = serverEvent(
  'channel_closed',
  'You are no longer in the channel',
  Type.Object({ channel: ChannelName, reason: ChannelClosedReason }),
)

// --- endpoints for a server

/** A channel as a server with a secret key sees it, with its lists `allow` and `speakers`. */
export type ChannelView = Static<typeof ChannelView>
/** A channel, without messages. */
export const ChannelView = Type.Object({
  channel: ChannelName,
  ...SETTINGS,
  allow: Type.Array(Id),
  speakers: Type.Array(Id),
  voice: Nullable(ChannelVoice),
  members: Type.Array(ChannelMember),
  createdAt: Timestamp,
})

/** The settings that a server may write; omitted fields keep their values. */
export type ChannelChanges = Static<typeof ChannelChanges>
const ChannelChanges = Type.Object({
  join: Type.Optional(JoinRule),
  send: Type.Optional(SendRule),
  open: Type.Optional(Type.Boolean({ description: 'anonymous connections may join' })),
  maxMembers: Type.Optional(MembersMax),
  allow: Type.Optional(
    Type.Array(Id, {
      maxItems: LIMITS.channelListMax,
      description: 'who can join while `join` is `invited`; replaces the list',
    }),
  ),
  speakers: Type.Optional(
    Type.Array(Id, {
      maxItems: LIMITS.channelListMax,
      description: 'who can send while `send` is `speakers`; replaces the list',
    }),
  ),
  voice: Type.Optional(
    Nullable(
      Type.Union([
        Type.Literal(true),
        Type.Object({ mode: Type.Optional(VoiceMode), relayOnly: Type.Optional(Type.Boolean()) }),
      ]),
    ),
  ),
})

/** The name of a channel that a server creates. */
const MadeChannelName = Type.String({ ...PUBLISHED({ pattern: MADE_CHANNEL_NAME }), examples: ['@lobby'] })

const OneChannel = {
  caller: 'server',
  feature: 'realtimeChannels',
  params: Type.Object({ name: ChannelName }),
} as const

/** Create or update a persistent channel. */
export const writeChannel = endpoint('PUT /v1/realtime/channels/:name', {
  ...OneChannel,
  params: Type.Object({ name: MadeChannelName }),
  summary: 'Create or update a persistent channel; omitted fields keep their values',
  body: ChannelChanges,
  response: ChannelView,
  errors: ['invalid_channel_name', 'voice_too_large', 'voice_in_use'],
})

/** Get a channel. */
export const readChannel = endpoint('GET /v1/realtime/channels/:name', {
  ...OneChannel,
  summary: 'Get a channel; with its settings, lists and members',
  response: ChannelView,
  errors: ['channel_not_found'],
})

/** Delete a channel and notify its members. */
export const deleteChannel = endpoint('DELETE /v1/realtime/channels/:name', {
  ...OneChannel,
  summary: 'Delete a channel and notify its members',
  response: Deleted,
  errors: ['channel_not_found'],
})

/** Send a message as the server, regardless of the send rule. */
export const sendToChannel = endpoint('POST /v1/realtime/channels/:name/messages', {
  ...OneChannel,
  summary: 'Send a message as the server, regardless of the send rule; at most 600 per minute per key',
  body: Type.Object({ type: MessageType, data: MessageData }),
  rawMember: 'data',
  response: Type.Object({
    delivered: Type.Integer({ minimum: 0, description: 'connections it was sent to' }),
  }),
  errors: ['channel_not_found'],
})

/** Moderate a player. */
export const moderateChannel = endpoint('POST /v1/realtime/channels/:name/moderate', {
  ...OneChannel,
  summary: 'Moderate a player; invite, mute, remove and more',
  body: Moderation,
  response: Empty,
  errors: ['channel_not_found'],
})
