import { type Monotonic, monotonicMs } from '../clock.ts'
import type { Awaitable } from './awaitable.ts'
import { setBounded } from './bounded-map.ts'

/** A read-through cache. */
export type Cache<T> = {
  /** The cached value, or a promise of it on a miss. Rejects with the error of the read. */
  get(key: string): Awaitable<T>
  /** Invalidates one entry. */
  drop(key: string): void
  /** Invalidates all entries. */
  clear(): void
}

type Entry<T> = { value: Awaitable<T>; readAt: number; ttlMs: number }

/**
 * Read-through cache with a TTL, which limits the effect of a lost invalidation. Concurrent misses share one read; a read
 * invalidated while in flight is not cached. The TTL may depend on the value: 0 means that it is not cached.
 */
export function createCache<T>(options: {
  read(key: string): Promise<T>
  ttlMs: number | ((value: T) => number)
  entriesMax: number
  now?: Monotonic
}): Cache<T> {
  const { read, ttlMs, entriesMax, now = monotonicMs } = options
  const entries = new Map<string, Entry<T>>()

  return {
    get(key) {
      const known = entries.get(key)
      const ageMs = known ? now() - known.readAt : 0
      // A negative age: `now` was ahead.
      if (known && ageMs >= 0 && ageMs < known.ttlMs) return known.value

      const value = read(key)
      const entry: Entry<T> = { value, readAt: now(), ttlMs: typeof ttlMs === 'number' ? ttlMs : Infinity }
      setBounded(entries, key, entry, entriesMax)
      value.then(
        (known) => {
          entry.value = known
          if (typeof ttlMs === 'function') entry.ttlMs = ttlMs(known)
        },
        // A failed read is not cached.
        () => entries.get(key) === entry && entries.delete(key),
      )
      return value
    },
    drop: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
