import type { ChannelVoice } from '@svc/contract/channels'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Timer } from '../../platform/timers.ts'

/** A member of the channel who is in its call, or wants to be. */
export type Caller = { ref: ConnectionRef; playerId: string }

/** What the channel offers to its call. */
export type CallContext = {
  environmentId: string
  channel: string
  /** The voice settings of the channel at present. */
  voice(): ChannelVoice | null
  maxMembers(): number
  /** Whether that connection is in the channel. */
  isMember(ref: ConnectionRef): boolean
  /** Whether the player may speak; while muted for some time, until when. */
  speechOf(playerId: string): { canSpeak: boolean; mutedUntilMs: number | null }
  sendEvent(ref: ConnectionRef, event: object): void
  /** JSON text, serialized once. */
  sendText(refs: readonly ConnectionRef[], text: string): void
  after(ms: number, work: () => unknown): Timer
  assertStillOwner(): void
  whenOwned(work: () => void): boolean
}

/** The voice call of a channel, as its channel sees it. It lives as long as the channel does on this node, and is empty most of the time. */
export type ChannelCall = {
  /** Null while nobody is in it. */
  summary(): { members: number; startedAt: string } | null
  /** Requests of a member of the channel. A promise does not delay the channel. */
  receive(caller: Caller, request: { type: string }): object | Promise<object>
  /** The member has left the channel, or its connection is closed. */
  memberLeft(ref: ConnectionRef): void
  /** Rules or lists of the channel have changed. */
  rulesChanged(): void
  /** The channel ends, or moves to another node. */
  close(): void
}

export type OpenCall = (context: CallContext) => ChannelCall
