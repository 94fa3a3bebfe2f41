import type { Clock } from '../../platform/clock.ts'

/** The current window: its number since 1970, and its remaining time. */
export function currentWindow(clock: Clock, windowMs: number) {
  const nowMs = clock.now().getTime()
  const index = Math.floor(nowMs / windowMs)
  return { index, resetsInMs: (index + 1) * windowMs - nowMs }
}
