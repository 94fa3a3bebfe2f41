import type { Runtime } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { parentPort } from 'node:worker_threads'

/**
 * A worker that evaluates scripts one after another. Each script sees the variables of the previous ones and may use top-level
 * `await`. The worker is terminated with its page of the guide, even if it still has listeners.
 */
export type Evaluated = { error?: string }
export type ConsoleLine = { line: number; values: unknown[] }

const session = new Session()
session.connect()
Object.assign(globalThis, {
  load: (name: string) => import(name),
  said: (line: number, ...values: unknown[]) =>
    parentPort?.postMessage({ line, values } satisfies ConsoleLine),
})

parentPort?.on('message', (expression: string) => {
  const params = { expression, replMode: true, awaitPromise: true }
  void session.post('Runtime.evaluate', params).then((result: unknown) => {
    const { exceptionDetails } = result as Runtime.EvaluateReturnType
    const error = exceptionDetails && (exceptionDetails.exception?.description ?? exceptionDetails.text)
    parentPort?.postMessage((error === undefined ? {} : { error }) satisfies Evaluated)
  })
})
