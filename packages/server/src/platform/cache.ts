import { performance } from 'node:perf_hooks'

import type { Awaitable } from './awaitable.ts'
import { setBounded } from './bounded-map.ts'

/** Milliseconds that only ever rise, whatever is done to the clock. */
export type Monotonic = () => number

export const monotonicMs: Monotonic = () => performance.now()

export type Cache<T> = {
  get(key: string): Awaitable<T>
  drop(key: string): void
  clear(): void
}

type Entry<T> = { value: Awaitable<T>; readAt: number }

/**
 * Remembers what was just read, for `freshMs` at most, so that a lost "drop it" message heals by itself.
 * Callers that miss together share one read; a read that was dropped while under way is not remembered.
 */
export function createCache<T>(options: {
  read(key: string): Promise<T>
  freshMs: number
  entriesMax: number
  now?: Monotonic
}): Cache<T> {
  const { read, freshMs, entriesMax, now = monotonicMs } = options
  const entries = new Map<string, Entry<T>>()

  return {
    get(key) {
      const known = entries.get(key)
      if (known && now() - known.readAt < freshMs) return known.value

      const value = read(key)
      const entry: Entry<T> = { value, readAt: now() }
      setBounded(entries, key, entry, entriesMax)
      value.then(
        (known) => (entry.value = known),
        // A failed read is nobody's answer but its own callers'.
        () => entries.get(key) === entry && entries.delete(key),
      )
      return value
    },
    drop: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
