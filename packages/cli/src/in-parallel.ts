/** The results in order; at most `atOnce` of them are worked on at a time. After a failure none is begun. */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
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
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
