import { pause, type KeyValueStorage, type Platform, randomText } from '../http/platform.ts'
import { readJson } from './storage.ts'

/** Runs the work while no other tab runs its own. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

const WAIT_MAX_MS = 20_000
const LEASE_MS = 10_000
const POLL_INTERVAL_MS = 100
/** Long enough to see what another tab wrote at the same moment. */
const SETTLE_MS = 25

/**
 * A mutex across tabs with a timeout: a suspended tab must not block the others, and concurrent refreshes are safe
 * (see session.ts).
 */
export function createLock(
  name: string,
  platform: Pick<Platform, 'locks' | 'now' | 'random'>,
  storage: KeyValueStorage,
): Lock {
  const { locks } = platform
  return locks ? (work) => withWebLock(locks, name, work) : (work) => withLease(name, platform, storage, work)
}

async function withWebLock<T>(locks: NonNullable<Platform['locks']>, name: string, work: () => Promise<T>) {
  const working: { result?: Promise<T> } = {}
  try {
    await locks.request(name, { signal: AbortSignal.timeout(WAIT_MAX_MS) }, () => {
      working.result = work()
      return working.result.catch(() => {})
    })
  } catch {
    // The wait timed out, or the browser forbids locks.
  }
  return working.result ?? work()
}

/** Without Web Locks: a tab owns the lock by an entry in the storage, for at most ten seconds. */
async function withLease<T>(
  name: string,
  { now, random }: Pick<Platform, 'now' | 'random'>,
  storage: KeyValueStorage,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${name}.lease`
  const owner = randomText()
  const holder = () => readJson<{ owner?: string; until?: number }>(storage, key) ?? {}
  const isFree = () => {
    const until = Number(holder().until) || 0
    // A lease that ends too late was written before the clock was set back.
    return until <= now() || until > now() + LEASE_MS
  }

  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += POLL_INTERVAL_MS) {
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
