import type { ErrorCode } from '@svc/contract/common/errors'

/** Requests of one process at the same time, whatever they do. */
export const REQUESTS_MAX = 256

/** Why a request is ended before its answer is whole. */
export type CancelCode = Extract<
  ErrorCode,
  | 'cpu_limit_exceeded'
  | 'memory_limit_exceeded'
  | 'function_restarted'
  | 'function_failed'
  | 'function_timeout'
>

/** A request, a call of the service or a scheduled run that a process is working on. */
export type Work = {
  /** CPU time of the process while there was no other work. */
  aloneNs: number
  /** Its share of the CPU time beside other work, less what is forgiven. */
  sharedNs: number
  cpuLimitNs: number
  subRequests: number
  /** The header `CDN-Loop` of the request: through what it has passed already. */
  loop: string | undefined
  /** By `performance.now()`; no answer by then is a timeout. Infinity when it has begun to answer. */
  answerDueAt: number
  /** It has answered, and continues: `waitUntil`. */
  isAfterAnswer: boolean
  /** It was cancelled. Only the process knows whether it continues. */
  mayHaveEnded: boolean
  cancel(code: CancelCode): void
}

export const newWork = (
  cpuLimitNs: number,
  answerDueAt: number,
  cancel: Work['cancel'],
  loop?: string | string[],
): Work => ({
  aloneNs: 0,
  sharedNs: 0,
  cpuLimitNs,
  subRequests: 0,
  loop: loop?.toString(),
  answerDueAt,
  isAfterAnswer: false,
  mayHaveEnded: false,
  cancel,
})

/** All work of one process, by the id of its request. */
export type WorkInProgress = Map<string, Work>
