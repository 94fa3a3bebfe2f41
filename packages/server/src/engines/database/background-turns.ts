import { setTimeout as pause } from 'node:timers/promises'

import { monotonicMs } from '../../platform/clock.ts'

const PAUSE_MS_MAX = 50

/**
 * Runs work of the background one after the other. After each there is a pause that is as long as the work was, so that all of it together
 * leaves at least half of the time to what somebody waits for.
 */
export function createBackgroundTurns() {
  let earlier: Promise<unknown> = Promise.resolve()

  return <T>(work: () => Promise<T>): Promise<T> => {
    let beganAtMs = 0
    const done = earlier.then(() => {
      beganAtMs = monotonicMs()
      return work()
    })
    const rest = () => pause(Math.min(monotonicMs() - beganAtMs, PAUSE_MS_MAX))
    earlier = done.then(rest, rest)
    return done
  }
}
