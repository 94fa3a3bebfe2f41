import { append, freeze, SafeMap, stringify } from './intrinsics.ts'
import type { RoomLeaveReason, RoomPlayer } from './room-host.ts'
import { TrackedState } from './state-diff.ts'

/** The largest own state of a player, as JSON. */
export const OWN_BYTES_MAX = 16 * 1024

/** The place of a player in a room. */
export type Seat = {
  readonly id: string
  /** The id as JSON. */
  readonly name: string
  readonly player: Player
  /** Whether `onJoin` has not returned yet. */
  isJoining: boolean
  /** Why the player left, if `onJoin` had not returned by then. */
  leftBecause: RoomLeaveReason | undefined
  /** The player's own state; undefined until the code asks for it. */
  own: object | undefined
  readonly tracked: TrackedState
  /** What about the own state cannot be sent, if it was reported. */
  problem: string
  /** The last `seq` that was handled, if it was not sent yet. */
  unsentAck: number | undefined
}

/** A player as the code gets it. It knows its seat, so that the code can read the own state of a player who has left. */
class Player implements RoomPlayer {
  readonly id: string
  displayName: string | null
  connected: boolean
  #seat: Seat | undefined

  constructor(id: string, displayName: string | null, connected: boolean) {
    this.id = id
    this.displayName = displayName
    this.connected = connected
  }

  static seated(player: Player, seat: Seat) {
    player.#seat = seat
  }
  static seatOf(player: unknown): Seat | undefined {
    return typeof player === 'object' && player !== null && #seat in player ? player.#seat : undefined
  }
}

/** The players of a room, longest present first. */
export class Seats {
  /** Replaced with every join and leave. */
  players: readonly RoomPlayer[] = freeze([])
  all: readonly Seat[] = []
  readonly #byId = new SafeMap<string, Seat>()

  find(playerId: string): Seat | undefined {
    return this.#byId.get(playerId)
  }

  add(id: string, displayName: string | null, connected = true): Seat {
    const player = new Player(id, displayName, connected)
    const seat: Seat = {
      id,
      name: stringify(id),
      player,
      isJoining: false,
      leftBecause: undefined,
      own: undefined,
      tracked: new TrackedState(`own(${id})`, OWN_BYTES_MAX),
      problem: '',
      unsentAck: undefined,
    }
    Player.seated(player, seat)
    this.#byId.set(id, seat)
    this.#list()
    return seat
  }

  /** Does nothing if the player has another seat by now. */
  remove(seat: Seat) {
    if (this.#byId.get(seat.id) !== seat) return
    this.#byId.delete(seat.id)
    this.#list()
  }

  /** The own state of a player. That of somebody who is not in the room is sent to nobody. */
  own(player: RoomPlayer | string): object {
    const seat = this.#byId.get(idOf(player)) ?? Player.seatOf(player)
    return seat === undefined ? {} : (seat.own ??= {})
  }

  #list() {
    const seats: Seat[] = []
    const players: RoomPlayer[] = []
    this.#byId.forEach((seat) => {
      append(seats, seat)
      append(players, seat.player)
    })
    this.all = seats
    this.players = freeze(players)
  }
}

/** The id of a player, of whom the code passes the object or the id. */
export function idOf(player: RoomPlayer | string): string {
  const id: unknown = typeof player === 'object' && player !== null ? player.id : player
  if (typeof id !== 'string') throw new TypeError('Pass a player of this room, or the id of one.')
  return id
}
