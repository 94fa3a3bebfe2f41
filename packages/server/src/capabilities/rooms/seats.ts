import { LIMITS } from '@svc/contract/common/limits'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Timer } from '../../platform/time/timers.ts'
import { type Patch, State } from './room-state.ts'

export type Seat = {
  playerId: string
  displayName: string | null
  state: State
  /** The connection that took the seat. After a restart another connection may have the same ref. */
  takenBy: ConnectionRef
  presence: Presence
}

type Presence =
  | { connected: true; ref: ConnectionRef }
  | { connected: false; sinceMs: number; timers: Timer[]; isAway: boolean }

export type SeatSnapshot = {
  playerId: string
  displayName: string | null
  state: Patch
  takenBy: ConnectionRef
  /** The player is not about to return: see `Seats.mayReturn`. */
  isAway?: true
}

/** The seats of one room, longest present first. */
export class Seats implements Iterable<Seat> {
  readonly #byPlayer = new Map<string, Seat>()
  /** The seats of connected players. */
  readonly #byRef = new Map<ConnectionRef, Seat>()

  get size(): number {
    return this.#byPlayer.size
  }

  get connected(): number {
    return this.#byRef.size
  }

  [Symbol.iterator]() {
    return this.#byPlayer.values()
  }

  find(playerId: string): Seat | undefined {
    return this.#byPlayer.get(playerId)
  }

  findByRef(ref: ConnectionRef): Seat | undefined {
    return this.#byRef.get(ref)
  }

  ofConnection(ref: ConnectionRef): Seat {
    const seat = this.#byRef.get(ref)
    if (!seat) throw new ApiError('not_in_room')
    return seat
  }

  /** The seat of the connected player who is present longest; if no player is connected, of the one who is present longest. */
  get first(): Seat | undefined {
    const seats = [...this]
    return seats.find(({ presence }) => presence.connected) ?? seats[0]
  }

  /** The connections of these players, as far as they are connected. */
  connectionsOf(playerIds: readonly string[]): Set<ConnectionRef> {
    return new Set(playerIds.flatMap((playerId) => connectionOf(this.find(playerId)) ?? []))
  }

  /** A new seat starts disconnected. */
  add({ playerId, displayName, takenBy, state }: SeatSnapshot, sinceMs: number): Seat {
    const own = new State(LIMITS.playerStateBytesMax, state)
    const presence: Presence = { connected: false, sinceMs, timers: [], isAway: false }
    const seat = { playerId, displayName, takenBy, state: own, presence }
    this.#byPlayer.set(playerId, seat)
    return seat
  }

  connect(seat: Seat, ref: ConnectionRef) {
    this.#leavePresence(seat)
    seat.presence = { connected: true, ref }
    seat.takenBy = ref
    this.#byRef.set(ref, seat)
  }

  /** `isAway`: the player has left and keeps the seat. */
  disconnect(seat: Seat, sinceMs: number, timers: Timer[], isAway: boolean) {
    this.#leavePresence(seat)
    seat.presence = { connected: false, sinceMs, timers, isAway }
  }

  /** Whether the player has lost the connection just now, perhaps without notice, and has not left. `by`: the new connection. */
  mayReturn({ presence }: Seat, nowMs: number, by?: ConnectionRef): boolean {
    if (presence.connected) return presence.ref !== by
    return !presence.isAway && nowMs - presence.sinceMs < LIMITS.disconnectGraceMs
  }

  remove(seat: Seat) {
    this.#leavePresence(seat)
    this.#byPlayer.delete(seat.playerId)
  }

  #leavePresence({ presence }: Seat) {
    if (presence.connected) this.#byRef.delete(presence.ref)
    else presence.timers.forEach((timer) => timer.cancel())
  }

  snapshot(nowMs: number): SeatSnapshot[] {
    return [...this].map((seat) => ({
      playerId: seat.playerId,
      displayName: seat.displayName,
      state: seat.state.entries,
      takenBy: seat.takenBy,
      ...(!this.mayReturn(seat, nowMs) && { isAway: true }),
    }))
  }
}

export const connectionOf = (seat: Seat | undefined): ConnectionRef | undefined =>
  seat?.presence.connected ? seat.presence.ref : undefined

/** The view of a player for the room's members, as JSON text. */
export const playerText = ({ playerId, displayName, state, presence }: Seat): string =>
  `{"id":${JSON.stringify(playerId)},"displayName":${JSON.stringify(displayName)},"state":${state.text},"connected":${presence.connected}}`
