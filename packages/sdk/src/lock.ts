import { pause, type KeyValueStorage, type Platform, randomText } from './platform.ts'

/** Runs the work while no other tab runs its own. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

const WAIT_MAX_MS = 20_000
const LEASE_MS = 10_000
const POLL_INTERVAL_MS = 100
/** Long enough for what another tab wrote at the same moment to be seen here. */
const SETTLE_MS = 25

/**
 * One at a time among all tabs. Whoever has waited too long goes ahead: a tab that was put to sleep must not stop the others,
 * and two that refresh at once do each other no harm (see session.ts).
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
    // It waited too long, or locks are forbidden here.
  }
  return working.result ?? work()
}

/** Where there are no Web Locks: who has written its name into the storage, for ten seconds at most. */
async function withLease<T>(
  name: string,
  { now, random }: Pick<Platform, 'now' | 'random'>,
  storage: KeyValueStorage,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${name}.lease`
  const owner = randomText()
  const holder = () => readLease(storage.getItem(key))
  const isFree = () => {
    const { until } = holder()
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

function readLease(text: string | null): { owner: string; until: number } {
  try {
    const { owner, until } = JSON.parse(text ?? '{}')
    return { owner: String(owner), until: Number(until) || 0 }
  } catch {
    return { owner: '', until: 0 }
  }
}
