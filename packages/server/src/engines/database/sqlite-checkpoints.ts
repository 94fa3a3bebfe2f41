import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import type { CheckpointReply, CheckpointTask } from './sqlite-checkpoints-worker.ts'

export type { CheckpointTask } from './sqlite-checkpoints-worker.ts'

export type Checkpoints = ReturnType<typeof startCheckpoints>

const TASK_TIMEOUT_MS = 30_000

type Asked = { resolve: (done: boolean) => void; reject: (error: Error) => void; timeout: NodeJS.Timeout }

/** The worker thread. It does one task at a time, and does not keep the process alive between tasks. */
export function startCheckpoints(path: string) {
  const script = new URL(`./sqlite-checkpoints-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(script, { workerData: path })
  const waiting: Asked[] = []
  let isAlive = true

  function answer(reply: CheckpointReply) {
    const asked = waiting.shift()
    if (!asked) return
    if (waiting.length === 0) worker.unref()
    clearTimeout(asked.timeout)
    if ('failed' in reply) asked.reject(new Error(reply.failed))
    else asked.resolve(reply.done)
  }

  function end(reason: string) {
    isAlive = false
    while (waiting.length > 0) answer({ failed: reason })
    // Not awaited: a thread that waits for a hanging disk ends only when the disk answers.
    void worker.terminate()
  }

  worker.on('message', answer)
  worker.on('error', (error) => end(String(error)))
  worker.on('exit', () => end('the checkpoint thread has ended'))
  worker.unref()

  function ask(task: CheckpointTask): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = () => end(`no checkpoint of ${path} in ${TASK_TIMEOUT_MS} ms`)
      waiting.push({ resolve, reject, timeout: setTimeout(late, TASK_TIMEOUT_MS) })
      worker.ref()
      worker.postMessage(task)
    })
  }

  return {
    get isAlive() {
      return isAlive
    },
    ask,

    /** Closes the connections of the thread, and ends it. */
    async release(): Promise<void> {
      await ask('release').catch(() => {})
      end('released')
    },
  }
}
