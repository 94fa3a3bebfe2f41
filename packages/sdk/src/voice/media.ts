import type { FieldsOf, ReplyOf } from '@svc/contract/common/frame'
import type * as contract from '@svc/contract/realtime/voice'

import type { VoiceFrame } from '../realtime/channel-events.ts'
import type { Playback } from './playback.ts'

type Frames = {
  voiceJoin: typeof contract.voiceJoin
  voiceLeave: typeof contract.voiceLeave
  voiceSignal: typeof contract.voiceSignal
  voicePublish: typeof contract.voicePublish
  voiceAnswer: typeof contract.voiceAnswer
}

/** A request about this call. */
export type CallRequest = <T extends keyof Frames>(
  t: T,
  fields: Omit<FieldsOf<Frames[T]>, 'channel'>,
) => Promise<ReplyOf<Frames[T]>>

/** What a mesh and a relay connection take. */
export type MediaDeps = {
  me: string
  request: CallRequest
  playback: Playback
  /** The microphone; null while muted or only listening. */
  track(): MediaStreamTrack | null
  /** How loud the microphone is, where the statistics of the connection do not contain it. */
  ownLevel(): Promise<number>
  volumeOf(playerId: string): number
  speaking(playerId: string, isSpeaking: boolean): void
  now(): number
  /** Sound can be heard. */
  connected(): void
  /** An attempt to connect failed, and nobody can be heard. */
  silent(): void
  /** The connection is lost and must be made again. */
  failed(): void
}

/** The connections of a call: to the other members, or to the relay server. */
export type Media = {
  ready: Promise<void>
  /** After another voiceJoin: keeps the connections that work and replaces the others. False if all must be made again. */
  keeps(again: contract.VoiceJoined): boolean
  receive(frame: VoiceFrame): void
  setTrack(track: MediaStreamTrack | null): Promise<unknown>
  setMembers(members: readonly contract.VoiceMember[]): void
  setVolume(playerId: string, volume: number): void
  /** From 0 to 1, of those who are heard. */
  levels(): Promise<Map<string, number>>
  close(): void
}
