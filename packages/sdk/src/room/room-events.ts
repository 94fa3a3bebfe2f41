import type { RoomInfo, RoomLeaveReason } from './room-host.ts'
import type { RandomSeed } from './seeded-random.ts'

/** A room as it was, from which it continues in another process. */
export type RoomSnapshot = {
  state: object
  /** By player id. */
  own: Record<string, object>
  saved: unknown
  random: [number, number, number, number]
  tick: number
  wakeAt: number | null
}

type JoiningPlayer = { id: string; displayName: string | null }

/** What happens to a room, as the service sends it. */
export type RoomEvent =
  | ['open', className: string, options: unknown, info: RoomInfo, seed: RandomSeed]
  | [
      'restore',
      className: string,
      options: unknown,
      info: RoomInfo,
      snapshot: RoomSnapshot,
      players: readonly (JoiningPlayer & { connected: boolean })[],
    ]
  | ['join', player: JoiningPlayer]
  | ['leave', playerId: string, reason: RoomLeaveReason]
  | ['drop', playerId: string]
  | ['back', playerId: string]
  | ['rename', playerId: string, displayName: string | null]
  | ['in', playerId: string, seq: number | null, type: string, data: unknown]
  | ['ask', askId: string | number, playerId: string, seq: number | null, type: string, data: unknown]
  | ['msg', askId: string | number, type: string, data: unknown]
  | ['tick', tick: number]
  | ['wake']
  | ['snap']
  | ['view', playerId: string]
  | ['inspect', askId: string | number]
  | ['close']

/** The events of one room, in the order in which they happen; `turn` counts up from 1. */
export type RoomTurnInput = [roomId: string, turn: number, nowMs: number, events: RoomEvent[]]
