import { type ActorName, type ConnectionRef, nameOf } from '../../platform/actors/actor.ts'
import type { Mode } from './modes.ts'
import type { JoiningPlayer, RoomOffer } from './room-protocol.ts'

/** A waiting player, and the mode at the start of the wait. */
export type Wait = {
  joiningPlayer: JoiningPlayer
  mode: Mode
  /** Unix time: the queue may be on another node. */
  enqueuedAtMs: number
  party: Party | null
  wantsProgress: boolean
}

/** Players with the same `id` start in one room, once `size` of them wait. */
export type Party = { id: string; size: number }

/** `leave` and `removePlayer` answer whether the player was in the queue. */
export type QueueProtocol = {
  enqueue: { message: Wait; answer: EnqueueResult }
  /** Sent by a room when its free seats change, and every 30 s. */
  offer: { message: RoomOffer; answer: object }
  leave: { message: { ref: ConnectionRef }; answer: boolean }
  removePlayer: { message: { playerId: string }; answer: boolean }
  rename: { message: { playerId: string; displayName: string | null }; answer: object }
}

export type QueueName = ActorName<QueueProtocol>

export type EnqueueResult = { queued: true } | { queued: false; roomId: string }

export const isQueue = (name: string): name is QueueName => name.startsWith('queue:')

/** One queue per mode and pool. A mode's key contains no colon. */
export const queueActorName = (environmentId: string, modeKey: string, pool: string | null): QueueName =>
  nameOf({ kind: 'queue', environmentId, key: pool === null ? modeKey : `${modeKey}:${pool}` })

export function modeAndPoolOf(queueKey: string): { modeKey: string; pool: string | null } {
  const end = queueKey.indexOf(':')
  if (end < 0) return { modeKey: queueKey, pool: null }
  return { modeKey: queueKey.slice(0, end), pool: queueKey.slice(end + 1) }
}
