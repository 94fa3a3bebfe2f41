import { LIMITS } from '@svc/contract/common/limits'

import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'

export type Rate = { perSecond: number; burst: number }

export const PLAYER_RATE: Rate = { perSecond: LIMITS.framesPerSecondMax, burst: LIMITS.framesBurstMax }
export const ANONYMOUS_RATE: Rate = {
  perSecond: LIMITS.anonymousFramesPerSecondMax,
  burst: LIMITS.anonymousFramesPerSecondMax * 2,
}

export const CONTROL_RATE: Rate = {
  perSecond: LIMITS.controlFramesPerSecondMax,
  burst: LIMITS.controlFramesBurstMax,
}

/** A token bucket. */
export class Bucket {
  #rate: Rate
  #left: number
  #atMs: number

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#atMs = nowMs
  }

  setRate(rate: Rate) {
    this.#rate = rate
    this.#left = rate.burst
  }

  /** Takes a token. Returns false if there is none. */
  take(nowMs: number): boolean {
    const passedMs = nowMs - this.#atMs
    this.#left = Math.min(this.#rate.burst, this.#left + (passedMs / SECOND_MS) * this.#rate.perSecond)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

/** Limits the messages of one connection, with counters in memory: no shared store on the hot path (WSK-12). */
export class FrameRate {
  readonly #bucket: Bucket
  #warnedAtMs: number[] = []
  /** Frames that were dropped since the last warning. */
  #dropped = 0
  readonly #isLimited: boolean

  constructor(rate: Rate, { nowMs, isLimited }: { nowMs: number; isLimited: boolean }) {
    this.#bucket = new Bucket(rate, nowMs)
    this.#isLimited = isLimited
  }

  setRate(rate: Rate) {
    this.#bucket.setRate(rate)
  }

  /**
   * Frames above the rate are dropped, with at most one warning per second. Too many warnings within a minute are `abuse`, and so
   * are too many dropped frames between two warnings.
   */
  take(nowMs: number): 'ok' | 'drop' | 'warn' | 'abuse' {
    return this.#bucket.take(nowMs) || !this.#isLimited ? 'ok' : this.#warn(nowMs)
  }

  #warn(nowMs: number): 'drop' | 'warn' | 'abuse' {
    if (nowMs - (this.#warnedAtMs.at(-1) ?? -Infinity) < SECOND_MS)
      return ++this.#dropped > LIMITS.droppedFramesMax ? 'abuse' : 'drop'
    this.#dropped = 0
    this.#warnedAtMs = this.#warnedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#warnedAtMs.push(nowMs)
    return this.#warnedAtMs.length > LIMITS.rateWarningsPerMinuteMax ? 'abuse' : 'warn'
  }
}
