import { type ActorName, type ConnectionRef, nameOf } from '../../platform/actors/actor.ts'
import type { Mode } from './modes.ts'
import type { JoiningPlayer } from './room-protocol.ts'

/** A waiting player, and the mode as it was when the wait began. */
export type Wait = { joiningPlayer: JoiningPlayer; mode: Mode; enqueuedAtMs: number }

/** Answers of `leave` and `removePlayer`: whether somebody was in the queue. */
export type QueueProtocol = {
  enqueue: { message: Wait; answer: EnqueueResult }
  leave: { message: { ref: ConnectionRef }; answer: boolean }
  removePlayer: { message: { playerId: string }; answer: boolean }
  rename: { message: { playerId: string; displayName: string | null }; answer: object }
}

export type QueueName = ActorName<QueueProtocol>

export type EnqueueResult = { queued: true } | { queued: false; roomId: string }

export const isQueue = (name: string): name is QueueName => name.startsWith('queue:')

export const queueActorName = (environmentId: string, modeKey: string): QueueName =>
  nameOf({ kind: 'queue', environmentId, key: modeKey })
