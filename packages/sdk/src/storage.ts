import type { KeyValueStorage, Platform } from './platform.ts'

/** Where the session is stored. */
export type SessionStorage = KeyValueStorage & {
  /** Others may read and write it too: tabs of the same page. */
  isShared: boolean
}

/** `localStorage` in a page, memory elsewhere; what does not work (private windows, a full disk) is kept in memory. */
export function openStorage(
  { page }: Pick<Platform, 'page'>,
  input: KeyValueStorage | undefined,
): SessionStorage {
  const kept = input ?? ofPage(page)
  const memory = new Map<string, string>()

  return {
    isShared: kept !== undefined,

    getItem(key) {
      return memory.get(key) ?? attempt(() => kept?.getItem(key)) ?? null
    },
    setItem(key, value) {
      const keep = () => attempt(() => kept && (kept.setItem(key, value), true))
      // What was there before must not stay: a refresh token that was used is worse than none.
      if (keep() || (attempt(() => kept?.removeItem(key)), keep())) memory.delete(key)
      else memory.set(key, value)
    },
    removeItem(key) {
      memory.delete(key)
      attempt(() => kept?.removeItem(key))
    },
  }
}

const ofPage = (page: Window | undefined) => attempt(() => page?.localStorage)

/** Only to be named costs an exception where a browser forbids it. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
