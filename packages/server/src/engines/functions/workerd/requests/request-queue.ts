import { ApiError } from '../../../../platform/api-error.ts'
import { REQUESTS_MAX } from '../limits/work.ts'
import { NotSentError } from './sent-work.ts'

/** Requests that may use the CPU at the same time: of more busy connections, workerd serves some last. */
const BUSY_MAX = 32
const QUEUED_MAX = 1_000
const CHECK_MS = 5

type Queued = {
  /** By `performance.now()`. */
  dueAt: number
  start(slot: number): void
  fail(error: Error): void
}

/**
 * Decides when a request is sent to the process: first in, first out. While the process is busy, only `BUSY_MAX` requests are with it.
 * When it sleeps, all requests that it has wait for something else (a sub-request, a timer, a slow reader): these count no more.
 */
export function createRequestQueue(isAsleep: () => boolean) {
  const queue = new Set<Queued>()
  let isClosed = false
  let isHeld = false
  let total = 0
  let busy = 0
  /** Rises when the process was seen asleep. A request counts as busy while its slot has this number. */
  let current = 0
  let timer: NodeJS.Timeout | undefined

  /** Answers that have arrived are read first: a process that has answered everything sleeps, too. */
  const scheduleCheck = () => setTimeout(() => setImmediate(check), CHECK_MS).unref()
  const isFree = () => !isHeld && !isClosed && busy < BUSY_MAX && total < REQUESTS_MAX

  function occupy(): number {
    total++
    busy++
    return current
  }

  function startNext() {
    for (const next of queue) {
      if (!isFree()) return
      queue.delete(next)
      next.start(occupy())
    }
  }

  function check() {
    const now = performance.now()
    for (const { dueAt, fail } of queue) {
      if (dueAt > now) break
      fail(new ApiError('function_timeout'))
    }
    if (isAsleep()) {
      current++
      busy = 0
    }
    startNext()
    timer = queue.size > 0 ? scheduleCheck() : undefined
  }

  return {
    isEmpty: () => queue.size === 0,

    /** Returns a slot, or undefined if the request must wait. */
    take: (): number | undefined => (queue.size === 0 && isFree() ? occupy() : undefined),

    /**
     * Resolves with a slot. `dueAt` is not before that of an earlier call. Throws `NotSentError` when the process ends, `function_timeout`
     * when it is due, and `function_failed` when the caller is gone.
     */
    wait(dueAt: number, signal?: AbortSignal): Promise<number> {
      if (isClosed) throw new NotSentError()
      if (queue.size >= QUEUED_MAX) throw new ApiError('functions_overloaded')
      if (signal?.aborted) throw new ApiError('function_failed')
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(queued)
          signal?.removeEventListener('abort', abort)
        }
        const queued: Queued = {
          dueAt,
          start(slot) {
            leave()
            resolve(slot)
          },
          fail(error) {
            leave()
            reject(error)
          },
        }
        const abort = () => queued.fail(new ApiError('function_failed'))
        signal?.addEventListener('abort', abort, { once: true })
        queue.add(queued)
        timer ??= scheduleCheck()
      })
    },

    release(slot: number) {
      total--
      if (slot === current) busy--
      startNext()
    },

    /** Nothing is sent while the process is in a turn that takes long: if it never ends, what waits is for another process. */
    hold(shouldHold: boolean) {
      isHeld = shouldHold
      startNext()
    },

    /** Sends nothing more: what waits is for another process. */
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const { fail } of queue) fail(new NotSentError())
    },
  }
}
