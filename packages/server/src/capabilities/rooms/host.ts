import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Seat, Seats } from './seats.ts'

/** The host of a room. */
export class Host {
  id: string
  readonly #seats: Seats
  readonly #clock: Clock

  constructor(id: string, seats: Seats, clock: Clock) {
    this.id = id
    this.#seats = seats
    this.#clock = clock
  }

  require(playerId: string) {
    if (playerId !== this.id) throw new ApiError('host_only')
  }

  /**
   * Picks a new host when the host has left or was disconnected for too long; a short disconnect changes nothing (ROM-10). Returns whether
   * the host has changed.
   */
  elect(): boolean {
    const host = this.#seats.find(this.id)
    if (host && !this.#isAway(host)) return false

    const next = this.#seats.first
    // If no player is connected, the host stays.
    if (!next || (host && !next.presence.connected)) return false
    this.id = next.playerId
    return true
  }

  #isAway({ presence }: Seat): boolean {
    return !presence.connected && this.#clock.elapsedMs() - presence.sinceMs >= LIMITS.hostGraceMs
  }
}
