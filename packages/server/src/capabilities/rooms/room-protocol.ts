import type { SignalKind } from '@svc/contract/realtime/peer-to-peer'
import type { CloseReason, LeaveReason, Room as RoomView } from '@svc/contract/realtime/rooms'

import { type ActorName, type ConnectionRef, nameOf } from '../../platform/actors/actor.ts'
import type { IceServers } from '../../platform/ports/turn.ts'
import type { Patch } from './room-state.ts'
import type { SeatSnapshot } from './seats.ts'

/** A player who is about to take a seat. */
export type JoiningPlayer = { ref: ConnectionRef; player: { id: string; displayName: string | null } }

/** The fields of a room that never change. `metadata` is JSON text, exactly as it was sent. */
export type RoomInfo = Pick<
  RoomView,
  'id' | 'code' | 'mode' | 'transport' | 'private' | 'maxPlayers' | 'hostOnlyState' | 'createdAt' | 'match'
> & { metadata: string }

/** Code that a new room runs. `options` is JSON text, for its `onCreate`. */
export type NewCode = {
  className: string
  finishMinutes: number
  options: string
  /** How long the room is kept while nobody is connected; left out: it ends. */
  keepDays?: number
}

/**
 * From which the code of a room starts again. `snapshot` is JSON text of the process, null before the first one; `roster` are the players
 * that it knows. `waiting` are messages that the code has not got.
 */
export type CodeSnapshot = NewCode & {
  versionId: string
  version: number
  tickRate: number
  /** Four numbers of 32 bits; one in snapshots of earlier versions. */
  seed: readonly number[] | number
  tick: number
  snapshot: string | null
  roster: string[]
  wakeAt: number | null
  handoverAtMs: number | null
  /** Its last turns are recorded, for developers. */
  isRecorded: boolean
  waiting?: string[]
  /** Answers that may have to be sent again. */
  calls?: CallsSnapshot
  /** If it is kept: how often it was saved to the database. A row with more saves is newer than this snapshot. */
  saves?: number
}

/** By player: the numbers of the last calls that the code has answered, and the ends of the replies. */
export type CallsSnapshot = readonly (readonly [
  playerId: string,
  answers: readonly (readonly [call: number, end: string])[],
])[]

/** Without a code the room gets a random one. */
export type NewRoom = Omit<RoomInfo, 'code'> & { code: string | undefined }

/** `data` is JSON text, exactly as it was sent. */
export type Message = {
  messageType: string
  data: string
  to: readonly string[] | undefined
  /** For rooms with code. With `rid` the sender waits for what the code answers. */
  seq?: number | undefined
  rid?: string | number | undefined
  /** The number of a call, which is answered once. */
  call?: number | undefined
}
export type Signal = { to: string; kind: SignalKind; data: string; gen: number | null }

type Done = object

/** The messages that a room accepts. A player with a seat is identified by its connection. Views are JSON text. */
export type RoomProtocol = {
  /** `newCode`: the code decides who may join. */
  create: {
    message: { room: NewRoom; joiningPlayers: readonly JoiningPlayer[]; newCode?: NewCode }
    answer: Created
  }
  join: { message: { joiningPlayer: JoiningPlayer }; answer: string }
  resume: {
    message: { ref: ConnectionRef; playerId: string; displayName: string | null }
    answer: string
  }
  rename: { message: { playerId: string; displayName: string | null }; answer: Done }
  /** From matchmaking: seats for all of these players, or for none. */
  fill: { message: { joiningPlayers: readonly JoiningPlayer[] }; answer: FillResult }
  leave: { message: { ref: ConnectionRef; keepSeat?: boolean }; answer: Done }
  /** `isLater`: the room sends the reply itself. */
  send: { message: { ref: ConnectionRef } & Message; answer: Done | { isLater: true } }
  signal: { message: { ref: ConnectionRef } & Signal; answer: Done }
  setState: { message: { ref: ConnectionRef; patch: Patch }; answer: Done }
  setMyState: { message: { ref: ConnectionRef; patch: Patch }; answer: Done }
  lock: { message: { ref: ConnectionRef; locked: boolean }; answer: Done }
  describe: { message: object; answer: RoomInfo }
  /** The relay on the room's node, which all its players use; null if none is available at the moment. */
  relay: { message: { playerId: string; localAddress: string }; answer: IceServers | null }
  /** With `by`: only if the player has just lost the connection to the seat, and may take it with this one. */
  hasSeat: { message: { playerId: string; by?: ConnectionRef }; answer: boolean }
  /** With `ref`: only if this connection took the seat. */
  removePlayer: {
    message: { playerId: string; reason: LeaveReason; ref?: ConnectionRef }
    answer: Done
  }
  close: { message: { reason: CloseReason }; answer: Done }
  /** Of the developer's server, for rooms with code. `data` and the answer are JSON text. */
  serverMessage: { message: { messageType: string; data: string }; answer: string }
  /** The state and the own states of a room with code, as JSON text. */
  inspect: { message: object; answer: string }
  /** The last turns of a room with code, as the JSON text of a `RoomRecording`. Throws `development_only`. */
  readTurns: { message: object; answer: string }
  /** Closes a room with code. */
  closeCode: { message: object; answer: Done }
  /** Opens a stored room unless it is open. False: it is not stored any more. Throws `mode_unavailable`. */
  openKept: { message: object; answer: boolean }
  /** Deletes a stored room, or closes it if it is open; with `isExpired` only if it is not open and has expired. */
  dropKept: { message: { isExpired: boolean }; answer: boolean }
}

/** `refused`: players whom the code did not admit; only if others were. */
export type Created = {
  view: string
  refused: { ref: ConnectionRef; details: Record<string, unknown> | undefined }[]
}

export type RoomName = ActorName<RoomProtocol>

/** A room as one line of a list, as JSON text. */
export type ListedRoom = { id: string; text: string }

/** The free seats of a quick match room; 0: the room has ended. */
export type RoomOffer = { roomId: string; players: number; freeSeats: number; createdAtMs: number }

/** `offer`: the seats that are free now. */
export type FillResult = { isSeated: boolean; offer: RoomOffer }

/** The state from which the next owner of a room starts. */
export type RoomSnapshot = {
  info: RoomInfo
  isLocked: boolean
  hostId: string
  state: Patch
  /** Longest present first. */
  seats: SeatSnapshot[]
  /** Players who left, the latest last; matchmaking does not put them back. */
  left: string[]
  /** Only if code runs in the room. */
  code?: CodeSnapshot
}

export const roomActorName = (environmentId: string, roomId: string): RoomName =>
  nameOf({ kind: 'room', environmentId, key: roomId })

export const isRoom = (name: string): name is RoomName => name.startsWith('room:')
