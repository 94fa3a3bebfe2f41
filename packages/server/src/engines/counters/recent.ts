import { MINUTE_MS } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Admission } from '../../platform/time/sliding-limit.ts'

type Log = { windowMs: number; timesMs: number[] }

/** Times of admission, in the memory of one node: per key at most as many as the window admits. */
export function createRecent(keysMax: number) {
  /** Ordered by last use. */
  const logs = new Map<string, Log>()
  let sweepAtMs = 0

  function sweep(nowMs: number) {
    if (nowMs < sweepAtMs) return
    sweepAtMs = nowMs + MINUTE_MS
    for (const [key, { windowMs, timesMs }] of logs)
      if (nowMs - (timesMs.at(-1) ?? 0) >= windowMs) logs.delete(key)
  }

  function logOf(key: string, windowMs: number): Log {
    const name = `${windowMs}:${key}`
    const log = logs.get(name) ?? { windowMs, timesMs: [] }
    setBounded(logs, name, log, keysMax)
    return log
  }

  return {
    admit(key: string, windowMs: number, max: number, nowMs: number): Admission {
      sweep(nowMs)
      const { timesMs } = logOf(key, windowMs)
      const first = timesMs.findIndex((timeMs) => nowMs - timeMs < windowMs)
      timesMs.splice(0, first < 0 ? timesMs.length : first)

      const oldestMs = timesMs.at(-max)
      if (oldestMs !== undefined) return { isAdmitted: false, retryInMs: oldestMs + windowMs - nowMs }
      timesMs.push(nowMs)
      return { isAdmitted: true, retryInMs: 0 }
    },
  }
}
