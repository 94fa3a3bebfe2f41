import type { Clock } from '../../platform/clock.ts'

/** The window that is now: which one since 1970, and how long it still lasts. */
export function currentWindow(clock: Clock, windowMs: number) {
  const nowMs = clock.now().getTime()
  const index = Math.floor(nowMs / windowMs)
  return { index, resetsInMs: (index + 1) * windowMs - nowMs }
}
