import type * as contract from '@svc/contract/realtime/channels'
import type * as voice from '@svc/contract/realtime/voice'

import type { SvcError } from '../http/errors.ts'
import type { Received } from './frames.ts'

/** A member of a channel; `displayName` is null for anonymous members. */
export type ChannelMember = contract.ChannelMember

/** Joins and leaves that happened while disconnected are emitted before `reconnected`. */
export type ChannelEvents = {
  /** `from` is the id of a player, or `server`. You also receive your own messages. */
  message: [type: string, data: unknown, from: string, at: number]
  /** Another member joined. */
  member_joined: [member: ChannelMember]
  /** A member left. */
  member_left: [member: ChannelMember]
  /** A member, perhaps you, has a new `displayName`. */
  member_renamed: [member: ChannelMember]
  /** Your right to send has changed. */
  self: [self: contract.ChannelSelf]
  /** The connection was lost; messages are queued until it is back. */
  reconnecting: []
  /** The connection is back, and `members` is up to date. */
  reconnected: []
  /**
   * You are no longer in the channel: `kicked`, `banned`, `deleted` …, or the code of the error that prevented the rejoin. With
   * `player_banned` the error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null.
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
