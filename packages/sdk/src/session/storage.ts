import type { KeyValueStorage, Platform } from '../http/platform.ts'

/** Where the session is stored. */
export type SessionStorage = KeyValueStorage & {
  /** Whether other tabs also read and write it. */
  isShared: boolean
  /** Stores a text where the next visit finds it; false if there is no such place, or no room. */
  keep(key: string, value: string): boolean
}

/**
 * `localStorage` in a page, cookies in a frame where the browser blocks it, memory elsewhere. Values that cannot be stored (private
 * window, full disk) are kept in memory.
 */
export async function openStorage(
  { page }: Pick<Platform, 'page'>,
  input: KeyValueStorage | undefined,
): Promise<SessionStorage> {
  const backing = input ?? attempt(() => page?.localStorage) ?? (await blockedStorage(page))
  const memory = new Map<string, string>()
  const keep = (key: string, value: string) =>
    attempt(() => backing && (backing.setItem(key, value), true)) ?? false

  return {
    isShared: backing !== undefined,
    keep,

    getItem(key) {
      return memory.get(key) ?? attempt(() => backing?.getItem(key)) ?? null
    },
    setItem(key, value) {
      // The old value may have the room, and is wrong now.
      if (keep(key, value) || (attempt(() => backing?.removeItem(key)), keep(key, value))) memory.delete(key)
      else memory.set(key, value)
    },
    removeItem(key) {
      memory.delete(key)
      attempt(() => backing?.removeItem(key))
    },
  }
}

const blockedStorage = async (page: Window | undefined) =>
  page && (await import('./embedded-storage.ts').catch(() => {}))?.openEmbeddedStorage(page)

/** The value that is stored as JSON; undefined if there is none, or the text is not JSON. */
export const readJson = <T>(storage: KeyValueStorage, key: string): T | undefined =>
  (parseJson(storage.getItem(key) ?? '') ?? undefined) as T | undefined

/** Returns undefined if the text is not JSON. */
export const parseJson = (text: string, parse: (text: string) => unknown = JSON.parse): unknown =>
  attempt(() => parse(text))

/** Returns undefined if `work` throws; some browsers throw on mere access to a forbidden storage. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Calls `changed` for messages of other pages of this origin. Undefined in old browsers, and where the browser blocks storage. */
export function openChannel(name: string, changed: () => void): BroadcastChannel | undefined {
  const channel = attempt(() => new BroadcastChannel(name))
  if (!channel) return undefined
  channel.onmessage = changed
  // Otherwise Node would not exit while the channel is open.
  if ('unref' in channel) (channel as unknown as { unref(): void }).unref()
  return channel
}
