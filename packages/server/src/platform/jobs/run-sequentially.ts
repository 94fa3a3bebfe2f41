/** Runs all of them, one after the other; a failure does not stop the rest. Throws all failures at the end. */
export async function runSequentially(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const work of works) {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${works.length} failed`)
}
