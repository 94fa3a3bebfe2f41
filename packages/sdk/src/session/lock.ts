import type { KeyValueStorage, Platform } from '../http/platform.ts'

/** Runs the work while no other tab runs its own. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

const WAIT_MAX_MS = 20_000

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
  if (locks) return (work) => withWebLock(locks, name, work)
  return async (work) => {
    const lease = await import('./lease.ts').catch(() => {})
    return lease ? lease.withLease(`${name}.lease`, platform, storage, WAIT_MAX_MS, work) : work()
  }
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
