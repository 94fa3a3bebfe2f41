/**
 * Runs the work for each of them in this tick, also after one that throws, because they belong to different clients. What was thrown
 * escapes afterwards, as it would without the others: it is logged and counted.
 */
export function runEach<T>(items: Iterable<T>, work: (item: T) => void): void {
  for (const item of items) {
    try {
      work(item)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
