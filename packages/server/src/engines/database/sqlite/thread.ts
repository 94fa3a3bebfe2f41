import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

const END_TIMEOUT_MS = 1_000

/** What a thread answers to a task. */
export type Reply<Result> = { result: Result } | { failed: string }

export type Thread<Task, Result> = {
  readonly isAlive: boolean
  /** The number of tasks that are not answered yet. */
  readonly waiting: number
  ask(task: Task): Promise<Result>
  /**
   * Rejects the tasks that wait, and ends the thread. Resolves when the thread has closed its connections, or after a second: one that
   * waits for a hanging disk ends only when the disk answers.
   */
  end(reason: string): Promise<void>
}

type Asked<Result> = {
  resolve: (result: Result) => void
  reject: (error: Error) => void
  timeout: NodeJS.Timeout
}

/**
 * A worker thread that runs the file `script` on the database file at `path`. It does one task at a time, and does not keep the
 * process alive between tasks.
 */
export function startThread<Task, Result>(
  script: string,
  path: string,
  taskTimeoutMs: number,
): Thread<Task, Result> {
  const worker = new Worker(script, { workerData: path })
  const waiting: Asked<Result>[] = []
  let isAlive = true

  function answer(reply: Reply<Result>) {
    const asked = waiting.shift()
    if (!asked) return
    if (waiting.length === 0) worker.unref()
    clearTimeout(asked.timeout)
    if ('failed' in reply) asked.reject(new Error(reply.failed))
    else asked.resolve(reply.result)
  }

  async function end(reason: string): Promise<void> {
    isAlive = false
    while (waiting.length > 0) answer({ failed: reason })
    await Promise.race([worker.terminate(), sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }

  worker.on('message', answer)
  worker.on('error', (error) => void end(String(error)))
  worker.on('exit', () => void end(`the thread ${basename(script)} has ended`))
  worker.unref()

  function ask(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      const late = () => void end(`no answer of ${basename(script)} for ${path} in ${taskTimeoutMs} ms`)
      waiting.push({ resolve, reject, timeout: setTimeout(late, taskTimeoutMs) })
      worker.ref()
      worker.postMessage(task)
    })
  }

  return {
    get isAlive() {
      return isAlive
    },
    get waiting() {
      return waiting.length
    },
    ask,
    end,
  }
}
