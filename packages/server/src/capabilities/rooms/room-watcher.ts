import type { LeaveReason } from '@svc/contract/realtime/rooms'

/** What the code of a room is told about its players. */
export type RoomWatcher = {
  playerLeft(playerId: string, reason: LeaveReason): void
  playerDisconnected(playerId: string): void
  playerReconnected(playerId: string): void
  playerRenamed(playerId: string, displayName: string | null): void
  /** Whether the room stays without a player. */
  staysEmpty(): boolean
}

/** What the code of a room shows to one player. */
export type CodeView = { server: object; own: object; state: object }
