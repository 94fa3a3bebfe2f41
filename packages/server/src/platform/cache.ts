import type { Awaitable } from './awaitable.ts'
import { setBounded } from './bounded-map.ts'
import { type Monotonic, monotonicMs } from './clock.ts'

export type Cache<T> = {
  get(key: string): Awaitable<T>
  drop(key: string): void
  clear(): void
}

type Entry<T> = { value: Awaitable<T>; readAt: number }

/**
 * Remembers what was just read, for `ttlMs` at most, so that a lost "drop it" message heals by itself.
 * Callers that miss together share one read; a read that was dropped while under way is not remembered.
 */
export function createCache<T>(options: {
  read(key: string): Promise<T>
  ttlMs: number
  entriesMax: number
  now?: Monotonic
}): Cache<T> {
  const { read, ttlMs, entriesMax, now = monotonicMs } = options
  const entries = new Map<string, Entry<T>>()

  return {
    get(key) {
      const known = entries.get(key)
      if (known && now() - known.readAt < ttlMs) return known.value

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
