import { MINUTE_MS, type Clock } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Counters, CountersOptions } from './counters.ts'
import { createRecent } from './recent.ts'
import { currentWindow } from './window.ts'

/** Counts of one key, by window length. */
type Counted = Map<number, { index: number; count: number; endsAtMs: number }>

export function createMemoryCounters(clock: Clock, { keysMax = 100_000 }: CountersOptions = {}): Counters {
  /** Ordered by last hit. */
  const counted = new Map<string, Counted>()
  const recent = createRecent(keysMax)
  let sweepAtMs = 0

  function sweepEndedWindows(nowMs: number) {
    if (nowMs < sweepAtMs) return
    sweepAtMs = nowMs + MINUTE_MS
    for (const [key, windows] of counted) {
      for (const [windowMs, { endsAtMs }] of windows) if (endsAtMs <= nowMs) windows.delete(windowMs)
      if (windows.size === 0) counted.delete(key)
    }
  }

  const countIn = (windows: Counted | undefined, windowMs: number, index: number): number => {
    const window = windows?.get(windowMs)
    return window?.index === index ? window.count : 0
  }

  return {
    async hit(key, windowMs) {
      const nowMs = clock.elapsedMs()
      sweepEndedWindows(nowMs)
      const { index, resetsInMs } = currentWindow(nowMs, windowMs)
      const windows: Counted = counted.get(key) ?? new Map()
      const count = countIn(windows, windowMs, index) + 1
      windows.set(windowMs, { index, count, endsAtMs: nowMs + resetsInMs })

      setBounded(counted, key, windows, keysMax)
      return { count, resetsInMs }
    },

    async read(key, windowMs) {
      const { index, resetsInMs } = currentWindow(clock.elapsedMs(), windowMs)
      return { count: countIn(counted.get(key), windowMs, index), resetsInMs }
    },

    async takeBack(key, windowMs) {
      const { index } = currentWindow(clock.elapsedMs(), windowMs)
      const window = counted.get(key)?.get(windowMs)
      if (window?.index === index && window.count > 0) window.count -= 1
    },

    admit: async (key, windowMs, max) => recent.admit(key, windowMs, max, clock.elapsedMs()),

    async clear(key) {
      counted.delete(key)
    },

    ping: async () => {},
    close: async () => {},
  }
}
