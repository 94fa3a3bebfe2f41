import type * as voice from '@svc/contract/realtime/voice'

import type { SvcError } from '../http/errors.ts'
import type { Received } from './frames.ts'

/** A member of a channel. Visitors without a player are not members. */
export type ChannelMember = {
  id: string
  /** Null only if the player's account was deleted. */
  displayName: string | null
}
/** What you may do in a channel now. */
export type ChannelSelf = {
  /** False while you are muted, and where only others may send. */
  canSend: boolean
  muted: boolean
  /** When the mute ends, in milliseconds since 1970. Null if you are not muted, or if the mute has no end. */
  mutedUntil: number | null
}

/** The events of a channel. Members who joined or left while you were disconnected are reported before `reconnected`. */
export type ChannelEvents = {
  /** A message, your own included. `from` is the id of a player, or `server`; `at` is the time in milliseconds. */
  message: [type: string, data: unknown, from: string, at: number]
  /** Another member joined. */
  member_joined: [member: ChannelMember]
  /** A member left. */
  member_left: [member: ChannelMember]
  /** A member, perhaps you, has a new `displayName`. */
  member_renamed: [member: ChannelMember]
  /** You may now, or no longer, send. */
  self: [self: ChannelSelf]
  /** The connection was lost; messages are queued until it is back. */
  reconnecting: []
  /** The connection is back, and `members` is up to date. */
  reconnected: []
  /**
   * You are no longer in the channel: `kicked`, `banned`, `deleted` …, `replaced` (you connected in another tab or on another device),
   * or the code of the error that prevented the rejoin. With `player_banned` the error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null.
   */
  closed: [reason: string, error?: SvcError]
  /** The service rejected something that you sent. */
  warn: [error: SvcError]
  /** @internal A frame of a voice call. */
  voice: [frame: VoiceFrame]
  /** @internal You are leaving by `leave`: a player who leaves the channel also leaves its call. */
  left: []
}

/** The frames of a voice call. */
export type VoiceFrame =
  | Received<typeof voice.voiceState>
  | Received<typeof voice.voiceSignalled>
  | Received<typeof voice.voiceSfuOffer>
  | Received<typeof voice.voiceSpeakers>
  | Received<typeof voice.voiceClosed>
