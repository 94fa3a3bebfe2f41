import { type ActorName, type ConnectionRef, nameOf } from '../../platform/actors/actor.ts'
import type { Mode } from './modes.ts'
import type { JoiningPlayer } from './room-protocol.ts'

/** Who waits since when, by the mode as it was then. */
export type Wait = { joiningPlayer: JoiningPlayer; mode: Mode; enqueuedAtMs: number }

export type QueueMessage =
  | ({ do: 'enqueue' } & Wait)
  | { do: 'leave'; ref: ConnectionRef }
  | { do: 'expel'; playerId: string }
  | { do: 'rename'; playerId: string; displayName: string | null }

export type EnqueueResult = { queued: true } | { queued: false; roomId: string }

export const isQueue = (name: ActorName): boolean => name.startsWith('queue:')

export const queueActorName = (environmentId: string, modeKey: string): ActorName =>
  nameOf({ kind: 'queue', environmentId, key: modeKey })
