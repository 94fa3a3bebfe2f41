export type Reply<Result> = { done: Result } | { failed: string }

/** The child side of `startScript`: runs the tasks of the harness, and exits with it. */
export function runWorkerLoop<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', (task: Task) => {
    work(task).then(
      (done) => process.send?.({ done }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    )
  })
}
