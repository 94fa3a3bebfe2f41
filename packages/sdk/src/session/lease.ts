import { type KeyValueStorage, pause, type Platform, randomText } from '../http/platform.ts'
import { readJson } from './storage.ts'

const LEASE_MS = 10_000
const POLL_INTERVAL_MS = 100
/** Long enough to see what another tab wrote at the same moment. */
const SETTLE_MS = 25

/** Where the browser has no Web Locks: a tab owns the lock by an entry in the storage, for at most ten seconds. */
export async function withLease<T>(
  key: string,
  { now, random }: Pick<Platform, 'now' | 'random'>,
  storage: KeyValueStorage,
  waitMaxMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const owner = randomText()
  const holder = () => readJson<{ owner?: string; until?: number }>(storage, key) ?? {}
  const isFree = () => {
    const until = Number(holder().until) || 0
    // A lease that ends too late was written before the clock was set back.
    return until <= now() || until > now() + LEASE_MS
  }

  for (let waitedMs = 0; waitedMs < waitMaxMs; waitedMs += POLL_INTERVAL_MS) {
    if (isFree()) {
      storage.setItem(key, JSON.stringify({ owner, until: now() + LEASE_MS }))
      await pause(SETTLE_MS)
      if (holder().owner === owner) break
    }
    await pause(POLL_INTERVAL_MS * (0.5 + random()))
  }

  try {
    return await work()
  } finally {
    if (holder().owner === owner) storage.removeItem(key)
  }
}
