export type Background = {
  /** Work that the caller does not wait for; a failure is logged, never thrown. */
  run(work: () => Promise<unknown>): void
  /** Ends when everything started so far has ended. */
  settled(): Promise<void>
}

export function createBackground(onFailure: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>()
  return {
    run(work) {
      const task = work()
        .catch(onFailure)
        .finally(() => running.delete(task))
      running.add(task)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
