import { type Static, Type } from 'typebox'

import { frame, serverEvent } from '../common/frame.ts'
import { LIMITS } from '../common/limits.ts'
import { Empty, Id, Milliseconds, Nullable } from '../common/schemas.ts'
import { ChannelName, VoiceMode } from './channels.ts'
import { IceServer, SignalKind } from './peer-to-peer.ts'
import { PlayerId } from './rooms.ts'

/** Voice calls in channels that were created with `voice`. Nothing is recorded. */

const VOICE = { feature: 'voice', player: true } as const
const Description = Type.String({
  maxLength: LIMITS.voiceDescriptionLengthMax,
  description: 'a WebRTC session description (SDP)',
})
const Generation = Type.Integer({
  description: 'connection number; tells a replaced connection apart',
})

/** A participant of a call. */
export type VoiceMember = Static<typeof VoiceMember>
/** Who speaks now is not here: relay-server calls send it as `voice_speakers` (VOI-06). */
export const VoiceMember = Type.Object({
  id: Id,
  canSpeak: Type.Boolean({
    description: 'follows the send rule and mutes of the channel; in a relayed call the server enforces it',
  }),
})

/** The reply to voiceJoin. */
export type VoiceJoined = Static<typeof VoiceJoined>
const VoiceJoined = Type.Object({
  mode: VoiceMode,
  relayOnly: Type.Boolean(),
  self: Type.Object({ canSpeak: Type.Boolean() }),
  iceServers: Type.Array(IceServer),
  iceTransportPolicy: Type.Union([Type.Literal('relay'), Type.Literal('all')]),
  expiresAt: Milliseconds,
  slots: Type.Optional(Type.Integer({ description: 'relayed calls: how many people can be heard at once' })),
})

// --- requests of a connection

/** Join the call of a channel you are in. */
export const voiceJoin = frame('voiceJoin', {
  ...VOICE,
  summary:
    'Join the call of a channel you are in; calling it again returns new TURN credentials. At most 10 per minute',
  fields: Type.Object({ channel: ChannelName }),
  reply: VoiceJoined,
  errors: ['not_in_channel', 'voice_disabled', 'voice_suspended', 'voice_unavailable'],
})

/** Leave the call. */
export const voiceLeave = frame('voiceLeave', {
  ...VOICE,
  summary: 'Leave the call; no error if you are not in it',
  fields: Type.Object({ channel: ChannelName }),
  reply: Empty,
})

/** Peer-to-peer calls: send a WebRTC signal to one participant. */
export const voiceSignal = frame('voiceSignal', {
  ...VOICE,
  summary: 'Peer-to-peer calls: send a WebRTC signal to one participant',
  fields: Type.Object({
    channel: ChannelName,
    to: PlayerId,
    kind: SignalKind,
    data: Type.Optional(Type.Unknown({ description: 'any JSON, up to 8 KB' })),
    gen: Type.Optional(Generation),
  }),
  rawMember: 'data',
  reply: Empty,
  errors: ['not_in_channel', 'player_not_in_room', 'payload_too_large'],
})

/** Relayed calls: connect to the relay server. */
export const voicePublish = frame('voicePublish', {
  ...VOICE,
  summary:
    'Relayed calls: offer one sendonly audio (Opus; a track is not necessary) and get the answer. Again: replaces the connection. At most 10 per minute',
  fields: Type.Object({ channel: ChannelName, sdp: Description }),
  reply: Type.Object({ sdp: Type.String() }),
  errors: ['not_in_channel', 'voice_unavailable'],
})

/** Relayed calls: answer a voice_sfu_offer. */
export const voiceAnswer = frame('voiceAnswer', {
  ...VOICE,
  summary: 'Relayed calls: answer a voice_sfu_offer; one with another gen is ignored',
  fields: Type.Object({ channel: ChannelName, gen: Generation, sdp: Description }),
  reply: Empty,
  errors: ['not_in_channel', 'voice_unavailable'],
})

/** Relayed calls: say whether you are speaking. */
export const voiceSpeaking = frame('voiceSpeaking', {
  ...VOICE,
  summary: 'Relayed calls: a hint for push to talk; false frees your slot. At most 4 per second',
  fields: Type.Object({ channel: ChannelName, speaking: Type.Boolean() }),
  reply: Empty,
  errors: ['not_in_channel'],
})

// --- events for a connection

/** Who is in the call. */
export const voiceState = serverEvent(
  'voice_state',
  'Who is in the call and who can speak; sent to a new member before the reply, and to everyone after a change, at most four times per second',
  Type.Object({ channel: ChannelName, members: Type.Array(VoiceMember) }),
)

/** A WebRTC signal from another participant. */
export const voiceSignalled = serverEvent(
  'voice_signal',
  'A WebRTC signal from another participant',
  Type.Object({
    channel: ChannelName,
    from: Id,
    kind: SignalKind,
    data: Type.Unknown(),
    gen: Nullable(Type.Integer()),
  }),
)

/** Relayed calls: an offer with the speaker slots. */
export const voiceSfuOffer = serverEvent(
  'voice_sfu_offer',
  'Relayed calls: an offer with the speaker slots, one m-line each (mid s0, s1, …); follows the reply to voicePublish',
  Type.Object({ channel: ChannelName, gen: Generation, sdp: Type.String() }),
)

/** Relayed calls: who is heard in which slot. */
export const voiceSpeakers = serverEvent(
  'voice_speakers',
  'Relayed calls: who is heard in which slot; after voiceJoin and on changes, at most five times per second',
  Type.Object({ channel: ChannelName, slots: Type.Array(Nullable(Id)) }),
)

/** Why a call ended for you while you stay in the channel. */
export type VoiceClosedReason = Static<typeof VoiceClosedReason>
const VoiceClosedReason = Type.Enum(['time_limit', 'suspended', 'unavailable'])

/** The call has ended for you. */
export const voiceClosed = serverEvent(
  'voice_closed',
  'The call has ended for you; you are still in the channel. After unavailable, join again',
  Type.Object({ channel: ChannelName, reason: VoiceClosedReason }),
)
