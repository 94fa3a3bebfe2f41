import type { ChannelVoice } from '@svc/contract/realtime/channels'

import type { ConnectionRef } from '../actors/actor.ts'
import type { Timer } from '../time/timers.ts'

/** A member of the channel who is in its call, or wants to be. */
export type Caller = { ref: ConnectionRef; playerId: string }

/** What the channel offers to its call. */
export type CallContext = {
  environmentId: string
  channel: string
  /** The current voice settings of the channel. */
  voice(): ChannelVoice | null
  maxMembers(): number
  /** Whether that connection is in the channel. */
  isMember(ref: ConnectionRef): boolean
  /** Whether the player may speak, and the end of a mute that has one. */
  speechOf(playerId: string): { canSpeak: boolean; mutedUntilMs: number | null }
  sendEvent(ref: ConnectionRef, event: object): void
  /** Sends JSON text, which is serialized once. */
  sendText(refs: readonly ConnectionRef[], text: string): void
  after(ms: number, work: () => unknown): Timer
  assertStillOwner(): void
  /** Runs it now and returns true, or runs it when this node owns the channel again. */
  whenOwned(work: () => void): boolean
}

/**
 * The voice call of a channel, as its channel uses it. It exists as long as the channel is on this node, and has no members most of
 * the time.
 */
export type ChannelCall = {
  /** Null while the call has no members. */
  summary(): { members: number; startedAt: string } | null
  /** Handles a request of a member of the channel. If it returns a promise, the channel does not wait for it. */
  receive(caller: Caller, request: { type: string }): object | Promise<object>
  /** The member has left the channel, or its connection is closed. */
  memberLeft(ref: ConnectionRef): void
  /** Rules or lists of the channel have changed. */
  rulesChanged(): void
  /** The channel ends, or moves to another node. */
  close(): void
}

/** Opens the call of a channel that this node owns now. */
export type OpenCall = (context: CallContext) => ChannelCall
