import type { SignalKind, signalled } from '@svc/contract/peer-to-peer'
import type * as contract from '@svc/contract/rooms'

import type { SvcError } from './errors.ts'
import type { Received } from './frames.ts'
import type { Patch, State } from './patches.ts'

/** A player in a room. */
export type RoomPlayer = contract.RoomPlayer

/** `replaced`: another tab or device of the player has taken over. `lost`: not back in time. */
export type RoomClosedReason = contract.CloseReason | 'replaced' | 'lost' | 'signed_out' | (string & {})

/** `unknown`: it was while there was no connection here. */
export type RoomLeaveReason = contract.LeaveReason | 'unknown'

/** What happens while there is no connection is told before `reconnected`: who came and went, and what is different now. */
export type RoomEvents = {
  /** Another player joined. */
  player_joined: [player: RoomPlayer]
  /** A player left; the seat is free. */
  player_left: [player: RoomPlayer, reason: RoomLeaveReason]
  /** A player lost the connection; the seat is kept for a while. */
  player_disconnected: [player: RoomPlayer]
  /** A player is connected again. */
  player_reconnected: [player: RoomPlayer]
  /** A player, perhaps you, has a new `displayName`. */
  player_renamed: [player: RoomPlayer]
  /** Another player's own state. */
  player_state: [player: RoomPlayer, state: State, patch: Patch]
  /**
   * The state all share; also what was changed here, in the order all get it. `from.id` is empty for what was changed while
   * there was no connection.
   */
  state: [state: State, patch: Patch, from: RoomPlayer]
  /** A message from another player. */
  message: [type: string, data: unknown, from: RoomPlayer]
  /** Another player is the host. */
  host_changed: [host: RoomPlayer]
  /** The host locked or unlocked the room. */
  locked: [locked: boolean]
  /** The connection was lost; the seat is kept for a while. What is sent meanwhile goes out afterwards. */
  reconnecting: []
  /** Everything in the room object is up to date again. */
  reconnected: []
  /** With `player_banned` the error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null. */
  closed: [reason: RoomClosedReason, error?: SvcError]
  /** Something that was sent was refused. */
  warn: [error: SvcError]
  /** Of peer-to-peer rooms; `svc.p2p` listens to it. */
  signal: [from: string, kind: SignalKind, data: unknown, gen: number | null]
}

/** The frames that a room receives. */
export type RoomFrame =
  | Received<typeof contract.playerJoined>
  | (Omit<Received<typeof contract.playerLeft>, 'reason'> & { reason: RoomLeaveReason })
  | Received<typeof contract.playerDisconnected>
  | Received<typeof contract.playerReconnected>
  | Received<typeof contract.playerRenamed>
  | Received<typeof contract.hostChanged>
  | Received<typeof contract.state>
  | Received<typeof contract.playerState>
  | Received<typeof contract.message>
  | Received<typeof contract.locked>
  | Received<typeof contract.roomClosed>
  | Received<typeof signalled>
