import type { ChannelVoice } from '@svc/contract/realtime/channels'
import type { IceServersAnswer } from '@svc/contract/realtime/peer-to-peer'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Clock } from '../../platform/clock.ts'
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

export type Who = { callId: string; memberId: string }

/** The functions that relay calls need from the relay server. */
export type Sfu = {
  start(): void
  admit(
    who: Who,
    offer: string,
    how: { canSpeak: boolean; address: string; ptime: 20 | 40 },
  ): Promise<{ answer: string; offer: string }>
  answer(who: Who, sdp: string): Promise<void>
  setCanSpeak(who: Who, canSpeak: boolean): void
  setSpeaking(who: Who, speaking: boolean): void
  remove(who: Who): void
  renew(callIds: string[]): void
  end(callId: string): void
  on(events: {
    speakers(callId: string, slots: (string | null)[]): void
    gone(who: Who): void
    lost(): void
  }): void
  load(): {
    isDown: boolean
    isOverloaded: boolean
    loopDelayMs: number
    residentBytes: number
    tcpConnections: number
    totals: {
      packetsIn: number
      packetsOut: number
      dropped: Record<string, number>
      cpuSeconds: number
      restarts: number
    }
  }
}

/** TURN servers for a player; undefined if none is available. */
export type Turn = {
  /** The relay of the service itself. Relay calls do not need it: their server is reached directly. */
  isOfOneNode: boolean
  iceServers(request: {
    environmentId: string
    roomId: string
    playerId: string
    localAddress: string
  }): Promise<(Pick<IceServersAnswer, 'iceServers'> & { expiresAt: string }) | undefined>
}

export type CallDeps = {
  clock: Clock
  random: Random
  sfu: Sfu
  turn: Turn
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
