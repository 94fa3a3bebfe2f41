import type { IncomingHttpHeaders } from 'node:http'

import { ApiError } from '../../../../platform/api-error.ts'
import { type CancelCode, newWork, type Work, type WorkInProgress } from '../limits/work.ts'

/** Header of a response whose code has passed something to `waitUntil` that has not ended (`workers/wrap.ts`). */
const CONTINUES = 'svc-continues'

/** The process had ended before the request was sent: it can be sent again. */
export class NotSentError extends Error {}

export type SendOptions = {
  work: WorkInProgress
  cpuLimitNs: number
  /** By `performance.now()`: when the answer must have begun. */
  answerDueAt: number
  noteProgress(): void
  /** Called once, when the answer was read or the request has failed. */
  onEnd(): void
  /** It may continue after its answer, or because it was cancelled before that. */
  follow(requestId: string, work: Work, isCertain: boolean): void
  /** The reason when the process closes the connection. Undefined: it lives. */
  failureOf(): Promise<CancelCode | undefined>
}

/** A request or an upgrade that was sent to the code. It ends once: with `finish` or with `fail`. */
export type SentWork<Answer> = {
  isFinished(): boolean
  noteSent(): void
  /** Returns whether the code continues after its answer, and removes the mark of the wrapper from the headers. */
  noteAnswer(headers: IncomingHttpHeaders): boolean
  resolve(answer: Answer): void
  /** False if it has ended before. */
  finish(continues: 'no' | 'maybe' | 'yes'): boolean
  fail(error: Error): void
  /** The connection has failed. `isUnseen`: the process, if it lives, has not seen the request. */
  failConnection(error: Error, isUnseen: boolean): void
}

/**
 * Sends a request or an upgrade, as work with limits. `start` sends it, and returns what is called when it has failed. Throws
 * `NotSentError`, the reason why there is no answer, or what `start` throws.
 */
export function sendWork<Answer>(
  { requestId, headers }: { requestId: string; headers: IncomingHttpHeaders },
  { work, cpuLimitNs, answerDueAt, noteProgress, onEnd, follow, failureOf }: SendOptions,
  start: (sent: SentWork<Answer>) => (error: Error) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isSent = false
    let isFinished = false
    let onFailed: ((error: Error) => void) | undefined
    const one = newWork(cpuLimitNs, answerDueAt, (code) => fail(new ApiError(code)), headers['cdn-loop'])
    work.set(requestId, one)

    function finish(continues: 'no' | 'maybe' | 'yes'): boolean {
      if (isFinished) return false
      isFinished = true
      work.delete(requestId)
      if (continues !== 'no') follow(requestId, one, continues === 'yes')
      onEnd()
      return true
    }

    function fail(error: Error) {
      if (!finish(isSent ? 'maybe' : 'no')) return
      onFailed?.(error)
      reject(error)
    }

    try {
      onFailed = start({
        isFinished: () => isFinished,
        noteSent: () => void (isSent = true),
        noteAnswer(answered) {
          one.answerDueAt = Infinity
          noteProgress()
          const isContinued = answered[CONTINUES] !== undefined
          delete answered[CONTINUES]
          return isContinued
        },
        resolve,
        finish,
        fail,
        failConnection(error, isUnseen) {
          if (isFinished) return
          if (!isSent) return fail(new NotSentError('the process has ended', { cause: error }))
          void failureOf().then((code) =>
            fail(
              code === undefined && isUnseen
                ? new NotSentError()
                : new ApiError(code ?? 'function_failed', undefined, { cause: error }),
            ),
          )
        },
      })
    } catch (error) {
      fail(error as Error)
    }
  })
}
