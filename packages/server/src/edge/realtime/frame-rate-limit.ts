import { LIMITS } from '@svc/contract/common/limits'

import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'

/** `late` is how many tokens beyond the burst are kept for what a slow network delivers together. */
export type Rate = { perSecond: number; burst: number; late?: number }

export const PLAYER_RATE: Rate = {
  perSecond: LIMITS.framesPerSecondMax,
  burst: LIMITS.framesBurstMax,
  late: LIMITS.roomFramesBurstMax - LIMITS.framesBurstMax,
}
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
  #late: number
  #atMs: number

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#late = rate.late ?? 0
    this.#atMs = nowMs
  }

  setRate(rate: Rate) {
    this.#rate = rate
    this.#left = rate.burst
    this.#late = rate.late ?? 0
  }

  /** Takes a token. Returns false if there is none. */
  take(nowMs: number): boolean {
    const passedMs = nowMs - this.#atMs
    const { perSecond, burst, late = 0 } = this.#rate
    const refilled = this.#left + (passedMs / SECOND_MS) * perSecond
    this.#left = Math.min(burst, refilled)
    // What the burst cannot hold.
    if (late > 0) this.#late = Math.min(late, this.#late + refilled - this.#left)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }

  /** Takes tokens that are kept for late frames, after `take` found none. */
  takeLate(tokens: number): boolean {
    if (this.#late < tokens) return false
    this.#late -= tokens
    return true
  }
}

/** Limits the messages of one connection, with counters in memory: no shared store on the hot path (WSK-12). */
export class FrameRate {
  readonly #bucket: Bucket
  #warnedAtMs: number[] = []
  /** Frames that were dropped since the last warning. */
  #dropped = 0
  /** How many of these were answered. */
  #replies = 0
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
   * are too many dropped frames between two warnings. In a room, late frames may exceed the burst if they are small.
   */
  take(nowMs: number, bytes: number, sender: { isInRoom: boolean }): 'ok' | 'drop' | 'warn' | 'abuse' {
    if (this.#bucket.take(nowMs) || !this.#isLimited) return 'ok'
    const isLate = sender.isInRoom && this.#bucket.takeLate(Math.ceil(bytes / LIMITS.lateFrameBytes))
    return isLate ? 'ok' : this.#warn(nowMs)
  }

  /** Whether one more dropped frame may be answered. */
  takeReply(): boolean {
    return ++this.#replies <= LIMITS.droppedFrameRepliesMax
  }

  #warn(nowMs: number): 'drop' | 'warn' | 'abuse' {
    if (nowMs - (this.#warnedAtMs.at(-1) ?? -Infinity) < SECOND_MS)
      return ++this.#dropped > LIMITS.droppedFramesMax ? 'abuse' : 'drop'
    this.#dropped = this.#replies = 0
    this.#warnedAtMs = this.#warnedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#warnedAtMs.push(nowMs)
    return this.#warnedAtMs.length > LIMITS.rateWarningsPerMinuteMax ? 'abuse' : 'warn'
  }
}
