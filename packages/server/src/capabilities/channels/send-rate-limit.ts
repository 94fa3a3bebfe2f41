import { LIMITS } from '@svc/contract/common/limits'

import { SECOND_MS } from '../../platform/clock.ts'

const PER_SECOND_MAX = LIMITS.channelSendsPerSecondMax
const BURST_MAX = LIMITS.channelSendsBurstMax

/** Limits how often one member sends in one channel; in memory, on the channel's node. */
export class SendRateLimit {
  #left: number = BURST_MAX
  #atMs = 0

  /** False if the limit is reached. */
  take(nowMs: number): boolean {
    const refilled = this.#left + ((nowMs - this.#atMs) / SECOND_MS) * PER_SECOND_MAX
    this.#left = Math.min(BURST_MAX, refilled)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
