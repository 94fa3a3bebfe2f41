import { LIMITS } from '@svc/contract/common/limits'

import type { ActorContext } from '../../../platform/actors/actor.ts'
import { SECOND_MS } from '../../../platform/clock.ts'
import type { Timer } from '../../../platform/time/timers.ts'
import { BrokenAnswerError } from './answers.ts'

const EVERY_MS = SECOND_MS
const BYTES_PER_SECOND = 32 * 1024
/** For names and punctuation. */
const MORE_BYTES = 64 * 1024

/** When the next snapshot of a room is due: once a second if something has happened, and at most 32 KB a second. */
export class Saving {
  #hasChanged = false
  #atMs: number
  #timer: Timer | undefined
  readonly #context: ActorContext
  readonly #due: () => void

  /** `due` is called when a snapshot is due: a room without ticks makes no turn by itself. */
  constructor(context: ActorContext, nowMs: number, due: () => void) {
    this.#context = context
    this.#atMs = nowMs
    this.#due = due
  }

  changed(nowMs: number, bytes: number) {
    this.#hasChanged = true
    this.#timer ??= this.#context.after(Math.max(0, this.#dueAtMs(bytes) - nowMs), () => {
      this.#timer = undefined
      this.#due()
    })
  }

  isDue(nowMs: number, bytes: number): boolean {
    return this.#hasChanged && nowMs >= this.#dueAtMs(bytes)
  }

  taken(nowMs: number) {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#hasChanged = false
    this.#atMs = nowMs
  }

  #dueAtMs(bytes: number): number {
    return this.#atMs + Math.max(EVERY_MS, (bytes / BYTES_PER_SECOND) * SECOND_MS)
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
