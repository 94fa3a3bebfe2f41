import { LIMITS } from '@svc/contract/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'

type Wrong = { count: number; endsAtMs: number }

const PLAYERS_MAX = 10_000

/** Who guesses at codes is stopped by the wrong ones: then not even the right one is answered for the rest of the minute. */
export function createWrongJoins(clock: Clock) {
  const byPlayer = new Map<string, Wrong>()
  const nowMs = () => clock.now().getTime()

  function current(playerId: string): Wrong | undefined {
    const wrong = byPlayer.get(playerId)
    return wrong && nowMs() < wrong.endsAtMs ? wrong : undefined
  }

  return {
    require(playerId: string) {
      const wrong = current(playerId)
      if (!wrong || wrong.count < LIMITS.wrongJoinsPerMinuteMax) return
      const retryAfterSeconds = Math.ceil((wrong.endsAtMs - nowMs()) / SECOND_MS)
      throw new ApiError('rate_limited', { retryAfterSeconds })
    },

    count(playerId: string) {
      const { count, endsAtMs } = current(playerId) ?? { count: 0, endsAtMs: nowMs() + MINUTE_MS }
      byPlayer.delete(playerId)
      if (byPlayer.size >= PLAYERS_MAX) byPlayer.delete(byPlayer.keys().next().value ?? '')
      byPlayer.set(playerId, { count: count + 1, endsAtMs })
    },
  }
}
