/** Returns the results in order. Runs at most `concurrency` items at a time, and starts none after a failure. */
export async function inParallel<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = Array.from<R>({ length: items.length })
  const todo = items.entries()
  let failed = false
  const worker = async () => {
    for (const [index, item] of todo) {
      if (failed) return
      results[index] = await work(item).catch((error: unknown) => {
        failed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}
