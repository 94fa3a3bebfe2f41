export type Reply<Result> = { done: Result } | { failed: string }

/** The other end of `startScript`: does what the harness asks, and ends with it. */
export function answering<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', (task: Task) => {
    work(task).then(
      (done) => process.send?.({ done }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    )
  })
}
