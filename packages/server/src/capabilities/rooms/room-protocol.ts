import type { SignalKind } from '@svc/contract/peer-to-peer'
import type { CloseReason, LeaveReason, Room as RoomView } from '@svc/contract/rooms'

import { type ActorName, type ConnectionRef, nameOf } from '../../platform/actors/actor.ts'
import type { Patch } from './room-state.ts'
import type { SeatSnapshot } from './seats.ts'

/** Somebody who is about to take a seat. */
export type JoiningPlayer = { ref: ConnectionRef; player: { id: string; displayName: string | null } }

/** What stays as it is from the beginning to the end of a room. `metadata` is JSON text and stays as it was sent. */
export type RoomInfo = Pick<
  RoomView,
  'id' | 'code' | 'mode' | 'transport' | 'private' | 'maxPlayers' | 'hostOnlyState' | 'createdAt'
> & { metadata: string }

/** A code that is not given is made up. */
export type NewRoom = Omit<RoomInfo, 'code'> & { code: string | undefined }

/** `data` is JSON text and stays as it is. */
export type Message = { type: string; data: string; to: readonly string[] | undefined }
export type Signal = { to: string; kind: SignalKind; data: string; gen: number | null }

/** What a room is asked. Whoever has a seat is known by its connection. */
export type RoomMessage =
  | { do: 'create'; room: NewRoom; joiningPlayers: readonly JoiningPlayer[] }
  | { do: 'join'; joiningPlayer: JoiningPlayer }
  | { do: 'resume'; ref: ConnectionRef; playerId: string; displayName: string | null }
  | { do: 'rename'; playerId: string; displayName: string | null }
  /** From matchmaking: a seat, if the room has still too few players. */
  | { do: 'fill'; joiningPlayer: JoiningPlayer; minPlayers: number }
  | { do: 'leave'; ref: ConnectionRef }
  | ({ do: 'send'; ref: ConnectionRef } & Message)
  | ({ do: 'signal'; ref: ConnectionRef } & Signal)
  | { do: 'setState'; ref: ConnectionRef; patch: Patch }
  | { do: 'setMyState'; ref: ConnectionRef; patch: Patch }
  | { do: 'lock'; ref: ConnectionRef; locked: boolean }
  | { do: 'describe' }
  /** Where this player meets the others, of a relay on the room's own node. */
  | { do: 'relay'; playerId: string; localAddress: string }
  | { do: 'hasSeat'; playerId: string }
  /** With `ref` only from the seat that this connection had last. */
  | { do: 'expel'; playerId: string; reason: LeaveReason; ref?: ConnectionRef }
  | { do: 'close'; reason: CloseReason }

/** A room as one line of a list, as JSON text. */
export type ListedRoom = { id: string; text: string }

export type FillResult = { isSeated: boolean; isUnderfilled: boolean }

/** What the next owner of a room starts from. */
export type RoomSnapshot = {
  info: RoomInfo
  isLocked: boolean
  hostId: string
  state: Patch
  /** Longest present first. */
  seats: SeatSnapshot[]
}

export const roomActorName = (environmentId: string, roomId: string): ActorName =>
  nameOf({ kind: 'room', environmentId, key: roomId })
