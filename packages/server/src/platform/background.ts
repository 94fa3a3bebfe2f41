export type Background = {
  /** Work that the caller does not wait for; a failure is logged, never thrown. */
  run(work: () => Promise<unknown>): void
  /** For work that anybody can cause: like `run`, but waits while much is under way, so that a flood cannot pile up. */
  runOrWait(work: () => Promise<unknown>): Promise<void>
  /** Ends when everything started so far has ended. */
  settled(): Promise<void>
}

const UNDER_WAY_MAX = 100

export function createBackground(onFailure: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>()

  function run(work: () => Promise<unknown>) {
    const task = work()
      .catch(onFailure)
      .finally(() => running.delete(task))
    running.add(task)
  }

  return {
    run,
    async runOrWait(work) {
      while (running.size >= UNDER_WAY_MAX) await Promise.race(running)
      run(work)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
