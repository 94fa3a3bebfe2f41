import { setTimeout as pause } from 'node:timers/promises'

/** A step of a shutdown, and how long it may take. */
export type StopStep = { name: string; maxMs: number; run(): Promise<unknown> }

/**
 * Runs the steps one after the other. A step that fails or takes too long does not stop the others: `reportLate` gets its name, and
 * its work is left. Throws all failures at the end.
 */
export async function runStopSteps(
  steps: readonly StopStep[],
  reportLate: (name: string, maxMs: number) => void,
): Promise<void> {
  const failures: unknown[] = []
  for (const { name, maxMs, run } of steps) {
    const ended = new AbortController()
    const work = run()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => ended.abort())
    const late = pause(maxMs, undefined, { signal: ended.signal }).then(
      () => reportLate(name, maxMs),
      () => {},
    )
    await Promise.race([work, late])
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The service did not stop in the usual way.')
}
