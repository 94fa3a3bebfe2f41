import { LIMITS } from '@svc/contract/common/limits'
import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import { ApiError } from '../../platform/api-error.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { limitedAddress } from '../../platform/network/networks.ts'
import type { Caller } from './room-connection.ts'

/** Shared by all nodes. */
export type GuessCounters = {
  hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  takeBack(key: string, windowMs: number): Promise<void>
}

/**
 * Limits guesses at room codes per player and per address, on all nodes together (docs/decisions/0012). A guess is counted before
 * it is looked up, so that concurrent guesses cannot exceed the limit, and uncounted if it was right.
 */
export function createJoinRateLimit(counters: GuessCounters) {
  /** If the limit is reached, throws `rate_limited`, and closes the connection of a player who guesses too often. */
  async function count({ connection, player }: Caller) {
    const keys = keysOf(connection.clientAddress, player)
    const [byPlayer, byAddress] = await Promise.all([
      counters.hit(keys.player, MINUTE_MS),
      counters.hit(keys.address, HOUR_MS),
    ])
    if (byPlayer.count > LIMITS.wrongJoinsPerMinuteMax) {
      // After the reply, which contains the waiting time.
      setImmediate(() => connection.close(CLOSE_CODES.rateLimitAbuse, 'rate_limited'))
      throw rateLimited(byPlayer.resetsInMs)
    }
    if (byAddress.count > LIMITS.wrongJoinsPerAddressAndHourMax) throw rateLimited(byAddress.resetsInMs)
    return keys
  }

  return {
    count,

    /** Returns the result of `find`; undefined for a wrong code. */
    async lookUp<Found>(caller: Caller, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
      const keys = await count(caller)
      const found = await find()
      if (found !== undefined)
        await Promise.all([
          counters.takeBack(keys.player, MINUTE_MS),
          counters.takeBack(keys.address, HOUR_MS),
        ])
      return found
    },
  }
}

const keysOf = (clientAddress: string, { environmentId, id }: Caller['player']) => ({
  player: `wrong-joins:${environmentId}:${id}`,
  address: `wrong-joins:${environmentId}:${limitedAddress(clientAddress)}`,
})

const rateLimited = (resetsInMs: number) =>
  new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / SECOND_MS)) })
