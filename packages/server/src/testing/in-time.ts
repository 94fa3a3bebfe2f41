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

/** Ends a test that hangs. Nothing is said about speed: on a busy machine everything may take many seconds. */
export const WAIT_MAX_MS = 60_000

/** The pause after the nth look at something that changes without an event. Each look takes CPU time, so they become rarer. */
export const pauseMs = (looks: number): number => Math.min(10 + 10 * looks, 100)

/** Polls until the condition is true, for changes without an event. */
export async function comesTrue(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  ms: number = WAIT_MAX_MS,
) {
  const deadline = performance.now() + ms
  for (let looks = 1; !(await isTrue()); looks++) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${ms} ms`)
    await pause(pauseMs(looks))
  }
}
