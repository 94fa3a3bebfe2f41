import { setTimeout as pause } from 'node:timers/promises'

import { SECOND_MS } from '../clock.ts'

const TRIES = 20

/**
 * Records the outcome of work that must not be done twice: tries again every second while the database cannot be reached, then
 * throws the last error.
 */
export async function untilRecorded(record: () => Promise<unknown>): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await record()
      return
    } catch (error) {
      if (left === 0) throw error
      await pause(SECOND_MS)
    }
  }
}
