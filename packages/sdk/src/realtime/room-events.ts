import type { SignalKind, signalled } from '@svc/contract/realtime/peer-to-peer'
import type * as contract from '@svc/contract/realtime/rooms'

import type { RoomStateOf, Sync } from '../code-rooms/types.ts'
import type { SvcError } from '../http/errors.ts'
import type { Received } from './frames.ts'
import type { Patch, State } from './patches.ts'

/** A player in a room. */
export type RoomPlayer = {
  id: string
  /** Null only if the account was deleted, or for the sender of an event who has already left. */
  displayName: string | null
  /** What the player set with `room.setMyState`. */
  state: State
  /** False while the seat is kept for a lost connection. */
  connected: boolean
}

/**
 * Why a room ended for you. `replaced`: you connected in another tab or on another device. `lost`: you did not reconnect in time.
 * In a room with code, `finished`: the code ended it; `kicked`: the code removed you; `failed`: the code failed too often; `updated`: a
 * deploy replaced the code; `suspended`: the functions of the project are suspended.
 */
export type RoomClosedReason =
  | contract.CloseReason
  | 'kicked'
  | 'replaced'
  | 'lost'
  | 'signed_out'
  | (string & {})

/** Why a player left. `unknown`: the player left while you were disconnected. */
export type RoomLeaveReason = contract.LeaveReason | 'unknown'

/**
 * The events of a room. Joins, leaves and changes of state that you missed while disconnected are reported before `reconnected`; if a key
 * changed several times, only with its latest value.
 */
export type RoomEvents<Code = unknown> = {
  /** Another player joined. The player can already have state if you were disconnected at that moment. */
  player_joined: [player: RoomPlayer]
  /**
   * A player left; the seat is free. The player's last changes come before this event, and `player.state` is the last state; with the
   * reason `unknown`, the last one that you received.
   */
  player_left: [player: RoomPlayer, reason: RoomLeaveReason]
  /** A player lost the connection; the seat is kept for a while. */
  player_disconnected: [player: RoomPlayer]
  /** A player is connected again. */
  player_reconnected: [player: RoomPlayer]
  /** A player, perhaps you, has a new `displayName`. */
  player_renamed: [player: RoomPlayer]
  /** Another player changed their state. */
  player_state: [player: RoomPlayer, state: State, patch: Patch]
  /**
   * A player, perhaps you, changed the shared state. Everyone receives the changes in the same order. `from.id` is empty for changes
   * that were made while you were disconnected.
   */
  state: [state: RoomStateOf<Code>, patch: Patch, from: RoomPlayer]
  /**
   * In a room with code: the code changed `room.state` or `room.own`, or has handled inputs of yours. It also comes after a reconnect and
   * after a restart of the room.
   */
  sync: [state: RoomStateOf<Code>, sync: Sync]
  /** A message from another player, or from the code of the room: `from.id` is then `room`. */
  message: [type: string, data: unknown, from: RoomPlayer]
  /** Another player, perhaps you, is now the host. */
  host_changed: [host: RoomPlayer]
  /** The host locked or unlocked the room. */
  locked: [locked: boolean]
  /** The connection was lost; the seat is kept for a while. Messages are queued until the connection is back. */
  reconnecting: []
  /** The connection is back, and `room` is up to date. */
  reconnected: []
  /**
   * The room has ended for you. With `player_banned` the error has `details`: `sanctionId`, `note`, `expiresAt` (ms or null). `result` is
   * what the code of the room passed to `end`.
   */
  closed: [reason: RoomClosedReason, error?: SvcError, result?: unknown]
  /** The service rejected something that you sent. */
  warn: [error: SvcError]
  /** A WebRTC signal in a peer-to-peer room, for `svc.p2p`. */
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
  | Received<typeof contract.sync>
  | Received<typeof contract.playerState>
  | Received<typeof contract.message>
  | Received<typeof contract.locked>
  | Received<typeof contract.roomClosed>
  | Received<typeof signalled>
