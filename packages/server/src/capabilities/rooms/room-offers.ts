import { SECOND_MS } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { RoomOffer } from './room-protocol.ts'

/** How often an open room repeats its offer, in case it was lost. */
export const OFFER_EVERY_MS = 30 * SECOND_MS
/** An offer that was not repeated for this long is out of date. */
const EXPIRY_MS = 3 * OFFER_EVERY_MS
const OFFERS_MAX = 1_000

/** The rooms of one queue with free seats. An offer is a hint: the room itself decides about each seat. */
export class RoomOffers {
  readonly #offers = new Map<string, { offer: RoomOffer; offeredAtMs: number }>()

  constructor(offers: readonly RoomOffer[], nowMs: number) {
    for (const offer of offers) this.set(offer, nowMs)
  }

  get size(): number {
    return this.#offers.size
  }

  /** Returns whether the offer has changed. An offer without free seats is removed. */
  set(offer: RoomOffer, nowMs: number): boolean {
    const { roomId, players, freeSeats } = offer
    if (freeSeats === 0) return this.delete(roomId)
    const before = this.#offers.get(roomId)?.offer
    setBounded(this.#offers, roomId, { offer, offeredAtMs: nowMs }, OFFERS_MAX)
    return before?.players !== players || before.freeSeats !== freeSeats
  }

  /** Returns whether there was one. */
  delete(roomId: string): boolean {
    return this.#offers.delete(roomId)
  }

  removeExpired(nowMs: number) {
    for (const [roomId, { offeredAtMs }] of this.#offers)
      if (nowMs - offeredAtMs >= EXPIRY_MS) this.delete(roomId)
  }

  /**
   * The room to ask next: below `minPlayers` first, then the fullest, then the oldest. A search is cheaper than keeping the offers
   * sorted.
   */
  best(minPlayers: number, seats: number, tried: ReadonlySet<string>): RoomOffer | undefined {
    let best: RoomOffer | undefined
    for (const { offer } of this.#offers.values())
      if (
        offer.freeSeats >= seats &&
        !tried.has(offer.roomId) &&
        (!best || isBefore(offer, best, minPlayers))
      )
        best = offer
    return best
  }

  snapshot(): RoomOffer[] {
    return [...this.#offers.values()].map(({ offer }) => offer)
  }
}

function isBefore(a: RoomOffer, b: RoomOffer, minPlayers: number): boolean {
  const isLow = a.players < minPlayers
  if (isLow !== b.players < minPlayers) return isLow
  return a.players === b.players ? a.createdAtMs < b.createdAtMs : a.players > b.players
}
