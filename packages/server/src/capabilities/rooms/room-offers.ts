import { setBounded } from '../../platform/bounded-map.ts'
import { SECOND_MS } from '../../platform/clock.ts'
import type { RoomOffer } from './room-protocol.ts'

/** How often an open room repeats its offer, in case it was lost. */
export const OFFER_EVERY_MS = 30 * SECOND_MS
/** An offer that was not repeated for this long is out of date. */
const EXPIRY_MS = 3 * OFFER_EVERY_MS
const OFFERS_MAX = 1_000

/** The rooms of one queue that take players. An offer is a hint: the room itself decides about each seat. */
export class RoomOffers {
  readonly #offers = new Map<string, { offer: RoomOffer; offeredAtMs: number }>()
  /** Undefined after a change. */
  #inOrder: { minPlayers: number; offers: readonly RoomOffer[] } | undefined

  constructor(offers: readonly RoomOffer[], nowMs: number) {
    for (const offer of offers) this.set(offer, nowMs)
  }

  get size(): number {
    return this.#offers.size
  }

  /** Returns whether anything but its age is new. An offer without free seats is removed. */
  set(offer: RoomOffer, nowMs: number): boolean {
    const { roomId, players, freeSeats } = offer
    if (freeSeats === 0) return this.delete(roomId)
    const before = this.#offers.get(roomId)?.offer
    setBounded(this.#offers, roomId, { offer, offeredAtMs: nowMs }, OFFERS_MAX)
    this.#inOrder = undefined
    return before?.players !== players || before.freeSeats !== freeSeats
  }

  /** Returns whether there was one. */
  delete(roomId: string): boolean {
    this.#inOrder = undefined
    return this.#offers.delete(roomId)
  }

  removeExpired(nowMs: number) {
    for (const [roomId, { offeredAtMs }] of this.#offers)
      if (nowMs - offeredAtMs >= EXPIRY_MS) this.delete(roomId)
  }

  /** Rooms below `minPlayers` first, then the fullest, then the oldest. */
  inOrder(minPlayers: number): readonly RoomOffer[] {
    if (this.#inOrder?.minPlayers === minPlayers) return this.#inOrder.offers
    const rank = ({ players }: RoomOffer) => (players < minPlayers ? 0 : 1)
    const offers = this.snapshot().sort(
      (a, b) => rank(a) - rank(b) || b.players - a.players || a.createdAtMs - b.createdAtMs,
    )
    this.#inOrder = { minPlayers, offers }
    return offers
  }

  snapshot(): RoomOffer[] {
    return [...this.#offers.values()].map(({ offer }) => offer)
  }
}
