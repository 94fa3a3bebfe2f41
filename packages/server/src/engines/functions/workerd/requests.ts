import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

import { ApiError } from '../../../platform/api-error.ts'
import type { FunctionRequest, FunctionResponse } from '../../../platform/ports/functions-engine.ts'
import { CF_HEADER } from './config.ts'
import { cpuLimitNs } from './cpu-watch.ts'
import type { HttpClient } from './http-client/http-client.ts'
import { type CancelCode, newWork, type Work, type WorkInProgress } from './work.ts'

/** They belong to one connection, not to the request. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** Header of a response whose code has passed something to `waitUntil` that has not ended (`workers/wrap.js`). */
const CONTINUES = 'svc-continues'

/** The process had ended before the request was sent: it can be sent again. */
export class NotSentError extends Error {}

export type SendOptions = {
  client: HttpClient
  work: WorkInProgress
  cpuMs: number
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

/** Sends a request to the code. Throws `NotSentError`, or the reason why there is no answer. */
export function sendRequest(
  { method, path, headers, body, requestId, signal }: FunctionRequest,
  { client, work, cpuMs, answerDueAt, noteProgress, onEnd, follow, failureOf }: SendOptions,
): Promise<FunctionResponse> {
  const request = {
    method,
    path,
    headers: requestHeaders(headers, requestId, body !== null),
    body: body && { stream: body, isChunked: headers['content-length'] === undefined },
  }
  return new Promise((resolve, reject) => {
    let answer: Readable | undefined
    let isSent = false
    let isFinished = false

    const finish = (continues: 'no' | 'maybe' | 'yes') => {
      if (isFinished) return
      isFinished = true
      work.delete(requestId)
      signal?.removeEventListener('abort', abort)
      if (continues !== 'no') follow(requestId, one, continues === 'yes')
      onEnd()
    }
    const end = (error: Error) => {
      finish(isSent ? 'maybe' : 'no')
      answer?.destroy(error)
      cancel()
      reject(error)
    }
    const abort = () => end(new ApiError('function_failed'))
    const one = newWork(
      cpuLimitNs(cpuMs),
      answerDueAt,
      (code) => end(new ApiError(code)),
      headers['cdn-loop'],
    )
    const cancel = client.send(request, {
      onSent() {
        isSent = true
      },
      onResponse(response) {
        answer = response.body
        one.answerDueAt = Infinity
        noteProgress()
        const isContinued = takeContinues(response.headers)
        answer.on('close', () => {
          finish(isContinued ? 'yes' : 'no')
          // The code has answered without reading all of the body: the rest is not needed.
          if (cancel()) body?.destroy()
        })
        // The reader of the body sees it; without a listener it would end the service.
        answer.on('error', () => {})
        resolve(response)
      },
      onError(error, isStale) {
        if (isFinished) return
        if (!isSent) return end(new NotSentError('the process has ended', { cause: error }))
        void failureOf().then((code) => {
          end(
            code === undefined && isStale && body === null
              ? new NotSentError()
              : new ApiError(code ?? 'function_failed', undefined, { cause: error }),
          )
        })
      },
    })
    work.set(requestId, one)
    signal?.addEventListener('abort', abort, { once: true })
    body?.on('error', () => end(new ApiError('function_failed')))
    if (signal?.aborted) abort()
  })
}

/** Removes the mark of the wrapper. */
export function takeContinues(headers: IncomingHttpHeaders): boolean {
  const isContinued = headers[CONTINUES] !== undefined
  delete headers[CONTINUES]
  return isContinued
}

/** Name, value, name, value …. A request without a body has no length either. */
export function requestHeaders(headers: IncomingHttpHeaders, requestId: string, hasBody: boolean): string[] {
  const sent = [CF_HEADER, JSON.stringify({ svcRequestId: requestId })]
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || HOP_HEADERS.has(name) || (!hasBody && name === 'content-length')) continue
    if (typeof value === 'string') sent.push(name, value)
    else for (const each of value) sent.push(name, each)
  }
  return sent
}
