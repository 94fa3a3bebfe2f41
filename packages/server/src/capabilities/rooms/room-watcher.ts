import type { LeaveReason } from '@svc/contract/realtime/rooms'

/** What the code of a room is told about its players. */
export type RoomWatcher = {
  playerLeft(playerId: string, reason: LeaveReason): void
  playerDisconnected(playerId: string): void
  playerReconnected(playerId: string): void
  playerRenamed(playerId: string, displayName: string | null): void
  /** Whether the room stays without a player. */
  staysEmpty(): boolean
  /** Whether players keep their seats until they leave, also without a connection. */
  keepsSeats(): boolean
  /** The room has ended. Returns what must be done before its name is free. */
  ended(): (() => Promise<unknown>) | undefined
}

/** What the code of a room shows to one player. */
export type CodeView = { server: object; own: object; state: object }
