import { LIMITS } from '@svc/contract/limits'

import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'

export type Rate = { perSecond: number; burst: number }

export const PLAYER_RATE: Rate = { perSecond: LIMITS.framesPerSecondMax, burst: LIMITS.framesBurstMax }
export const ANONYMOUS_RATE: Rate = {
  perSecond: LIMITS.anonymousFramesPerSecondMax,
  burst: LIMITS.anonymousFramesPerSecondMax * 2,
}

/** How often one connection may send; counters of its own, no shared store on the hot path (WSK-12). */
export class FrameRate {
  #rate: Rate
  #left: number
  #atMs: number
  #warnedAtMs: number[] = []
  readonly #isLimited: boolean

  constructor(rate: Rate, { nowMs, isLimited }: { nowMs: number; isLimited: boolean }) {
    this.#rate = rate
    this.#isLimited = isLimited
    this.#left = rate.burst
    this.#atMs = nowMs
  }

  become(rate: Rate) {
    this.#rate = rate
    this.#left = rate.burst
  }

  /** Over the rate a frame is dropped: with a warning, at most one a second; a warning too many within a minute is `abuse`. */
  take(nowMs: number): 'ok' | 'drop' | 'warn' | 'abuse' {
    // A clock that was set back takes nothing away.
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#left = Math.min(this.#rate.burst, this.#left + (passedMs / SECOND_MS) * this.#rate.perSecond)
    this.#atMs = nowMs
    if (this.#left < 1 && this.#isLimited) return this.#warn(nowMs)
    this.#left -= 1
    return 'ok'
  }

  #warn(nowMs: number): 'drop' | 'warn' | 'abuse' {
    if (nowMs - (this.#warnedAtMs.at(-1) ?? 0) < SECOND_MS) return 'drop'
    this.#warnedAtMs = this.#warnedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#warnedAtMs.push(nowMs)
    return this.#warnedAtMs.length > LIMITS.rateWarningsPerMinuteMax ? 'abuse' : 'warn'
  }
}
