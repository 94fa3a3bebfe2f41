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
const COMES_TRUE_MS = 20_000

/** Polls until the condition is true, for changes without an event. */
export async function comesTrue(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  ms: number = COMES_TRUE_MS,
) {
  for (const deadline = performance.now() + ms; !(await isTrue());) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${ms} ms`)
    await pause(POLL_MS)
  }
}
