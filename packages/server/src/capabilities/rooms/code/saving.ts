import { LIMITS } from '@svc/contract/common/limits'

import { SECOND_MS } from '../../../platform/clock.ts'
import { BrokenAnswerError } from './answers.ts'

const EVERY_MS = SECOND_MS
const BYTES_PER_SECOND = 32 * 1024
/** For names and punctuation. */
const MORE_BYTES = 64 * 1024

/** When the next snapshot of a room is due: once a second if something has happened, and at most 32 KB a second. */
export class Saving {
  hasChanged = false
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  isDue(nowMs: number, bytes: number): boolean {
    if (!this.hasChanged) return false
    return nowMs - this.#atMs >= Math.max(EVERY_MS, (bytes / BYTES_PER_SECOND) * SECOND_MS)
  }

  taken(nowMs: number) {
    this.hasChanged = false
    this.#atMs = nowMs
  }
}

export function requireSnapshot(payload: string, bytes: number, maxPlayers: number) {
  const states = LIMITS.roomStateBytesMax + maxPlayers * LIMITS.playerStateBytesMax
  if (
    bytes > states + LIMITS.roomSavedBytesMax + MORE_BYTES ||
    !payload.startsWith('{') ||
    !payload.endsWith('}')
  )
    throw new BrokenAnswerError('a snapshot is too large or no object')
}
