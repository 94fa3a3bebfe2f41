import type { ChannelVoice } from '@svc/contract/realtime/channels'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sfu } from '../../platform/ports/sfu.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import type { Random } from '../../platform/random.ts'
import type { SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { Timer } from '../../platform/time/timers.ts'

/** The functions that a call needs from its channel. */
export type CallContext = {
  environmentId: string
  channel: string
  voice(): ChannelVoice | null
  maxMembers(): number
  isMember(ref: ConnectionRef): boolean
  speechOf(playerId: string): { canSpeak: boolean; mutedUntilMs: number | null }
  sendEvent(ref: ConnectionRef, event: object): void
  sendText(refs: readonly ConnectionRef[], text: string): void
  after(ms: number, work: () => unknown): Timer
  assertStillOwner(): void
  /** Runs it now and returns true, or runs it when this node owns the channel again. */
  whenOwned(work: () => void): boolean
}

export type CallDeps = {
  clock: Clock
  random: Random
  sfu: Omit<Sfu, 'close'>
  turn: Pick<Turn, 'isOfOneNode' | 'iceServers'>
  counters: SlidingCounters
  minutesMax: number
  /** Under 13. */
  isChild(environmentId: string, playerId: string): Promise<boolean>
  /** By the operator: calls of both modes. */
  isSuspended(projectId: string): Promise<boolean>
  /** The project owes money: no relay calls. */
  isOverdue(projectId: string): Promise<boolean>
  noteUsage(environmentId: string, component: 'voice.relayMinutes', minutes: number): void
  report(error: unknown): void
}
