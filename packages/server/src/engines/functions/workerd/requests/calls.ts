import { ApiError } from '../../../../platform/api-error.ts'
import type { FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'
import { type CancelCode, newWork, type WorkInProgress } from '../limits/work.ts'
import { callControl, LateError } from './control.ts'
import type { HttpClient } from './http-client/http-client.ts'

const POLL_TIMEOUT_MS = 5_000
const RESUME_TIMEOUT_MS = 30_000

/** `timeoutMs` is for the answer, after the call was sent. */
export type CallLimits = { cpuLimitNs: number; timeoutMs: number }

type CallOptions = {
  control: HttpClient
  /** Different for each call. */
  id: string
  work: WorkInProgress
  onEnd(): void
  /** Ends the process: nothing else ends a call. */
  retire(code: CancelCode): void
}

/**
 * Calls an operation of the control worker, as work with a limit of CPU time. Throws the reason why there is no answer. A call that is
 * late remains work until the end of its process, so it never uses more than its limit.
 */
export async function sendCall<Result>(
  operation: string,
  input: object,
  { cpuLimitNs, timeoutMs }: CallLimits,
  { control, id, work, onEnd, retire }: CallOptions,
): Promise<Result> {
  const exceeded = Promise.withResolvers<never>()
  const cancel = (code: CancelCode) => {
    work.delete(id)
    exceeded.reject(new ApiError(code))
    retire(code)
  }
  const one = newWork(cpuLimitNs, Infinity, cancel)
  work.set(id, one)
  let isLate = false
  try {
    return await Promise.race([callControl<Result>(control, operation, input, timeoutMs), exceeded.promise])
  } catch (error) {
    isLate = error instanceof LateError
    throw error
  } finally {
    onEnd()
    if (isLate) {
      one.isAfterAnswer = true
      retire('function_timeout')
    } else work.delete(id)
  }
}

/** Calls of the service itself: the process is as idle as before, and no work is charged for them. */
export function createOwnCalls(control: HttpClient, { code }: FunctionsSpec, noteOwnCall: () => void) {
  const queues = (code?.bindings ?? []).flatMap((binding) =>
    binding.type === 'queue' && binding.consumer ? [binding.queue] : [],
  )

  function call<Result>(operation: string, input: object, timeoutMs: number): Promise<Result> {
    noteOwnCall()
    return callControl<Result>(control, operation, input, timeoutMs)
  }

  return {
    /** The ids of requests whose `waitUntil` has not ended. */
    async readContinued(): Promise<string[]> {
      const ids = await call<unknown>('continued', {}, POLL_TIMEOUT_MS)
      return Array.isArray(ids) ? ids.map(String) : []
    },

    /** Messages may have been sent while their queue had no consumer. */
    resumeQueues() {
      if (queues.length > 0) call('resumeQueues', { queues }, RESUME_TIMEOUT_MS).catch(() => {})
    },

    /** No further batch of a queue begins. Resolves with true while the code still has one. */
    async pauseQueues(): Promise<boolean> {
      if (queues.length === 0) return false
      return call<{ running: number }>('pauseQueues', {}, POLL_TIMEOUT_MS).then(
        ({ running }) => running > 0,
        () => false,
      )
    },
  }
}
