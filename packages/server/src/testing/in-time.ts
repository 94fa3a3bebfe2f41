import { setTimeout as pause } from 'node:timers/promises'

/** Rejects if the work takes longer. */
export async function inTime<T>(work: Promise<T>, what: string, ms: number): Promise<T> {
  const timer = Promise.withResolvers<never>()
  const handle = setTimeout(() => timer.reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(handle)
  }
}

const POLL_MS = 20
/** Ends a test that hangs. Nothing is said about speed: on a busy machine everything may take many seconds. */
export const WAIT_MAX_MS = 60_000

/** Polls until the condition is true, for changes without an event. */
export async function comesTrue(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  ms: number = WAIT_MAX_MS,
) {
  for (const deadline = performance.now() + ms; !(await isTrue());) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${ms} ms`)
    await pause(POLL_MS)
  }
}
