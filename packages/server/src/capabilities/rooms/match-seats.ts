import type { ActorContext } from '../../platform/actors/actor.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { OFFER_EVERY_MS } from './room-offers.ts'
import type { JoiningPlayer, RoomInfo, RoomOffer } from './room-protocol.ts'
import type { Seats } from './seats.ts'

/** How many players who left are remembered. */
const LEFT_MAX = 64

type MatchSeatsDeps = {
  clock: Clock
  offer(environmentId: string, info: RoomInfo, offer: RoomOffer): void
}
type MatchedRoom = { info: RoomInfo; seats: Seats; isLocked(): boolean; reserved(): number }

/** The seats of a room that quick match fills: how many are free, and who is not put back. */
export class MatchSeats {
  /** The players who left, the latest last. */
  #left: readonly string[]
  readonly #context: ActorContext
  readonly #deps: MatchSeatsDeps
  readonly #room: MatchedRoom

  constructor(context: ActorContext, deps: MatchSeatsDeps, room: MatchedRoom, left: readonly string[]) {
    this.#context = context
    this.#deps = deps
    this.#room = room
    this.#left = left
    if (room.info.match) this.#announceRegularly()
  }

  get left(): string[] {
    return [...this.#left]
  }

  playerLeft(playerId: string) {
    if (this.#room.info.match) this.#left = [...this.#left, playerId].slice(-LEFT_MAX)
  }

  playerSeated(playerId: string) {
    if (this.#left.length > 0) this.#left = this.#left.filter((id) => id !== playerId)
  }

  mayFill(joiningPlayers: readonly JoiningPlayer[], fresh: number): boolean {
    return this.#free >= fresh && !joiningPlayers.some(({ player }) => this.#left.includes(player.id))
  }

  /** The number of seats for matchmaking; 0 if the room is not filled. */
  get #free(): number {
    const { info, seats, isLocked, reserved } = this.#room
    const { match, maxPlayers } = info
    if (!match || isLocked() || seats.connected === 0) return 0
    const isBackfilled = match.backfillUntil === null || timestamp(this.#deps.clock) < match.backfillUntil
    const taken = seats.size + reserved()
    return isBackfilled || taken < match.minPlayers ? maxPlayers - taken : 0
  }

  get offer(): RoomOffer {
    const { info, seats, reserved } = this.#room
    return {
      roomId: info.id,
      players: seats.size + reserved(),
      freeSeats: this.#free,
      createdAtMs: Date.parse(info.createdAt),
    }
  }

  announce() {
    if (this.#free > 0) this.#send()
  }

  announceEnd() {
    if (this.#room.info.match) this.#send()
  }

  #send() {
    this.#deps.offer(this.#context.id.environmentId, this.#room.info, this.offer)
  }

  #announceRegularly() {
    this.#context.after(OFFER_EVERY_MS, () => {
      this.announce()
      this.#announceRegularly()
    })
  }
}
