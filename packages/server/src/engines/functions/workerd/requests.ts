import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

import { ApiError } from '../../../platform/api-error.ts'
import type { FunctionRequest, FunctionResponse } from '../../../platform/functions-engine.ts'
import { validateHeaderValue } from '../../../platform/node-http.ts'
import { CF_HEADER } from './config.ts'
import type { Connections, Exchange } from './connections.ts'
import { cpuLimitNs } from './cpu-watch.ts'
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

const NOT_IN_PATH = /[^\x21-\xff]/

/** Of a response: what the code has passed to `waitUntil` has not ended (`workers/wrap.js`). */
const CONTINUES = 'svc-continues'

/** The process had ended before the request was sent: it can be sent again. */
export class NotSentError extends Error {}

export type SendOptions = {
  connections: Connections
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
  { connections, work, cpuMs, answerDueAt, noteProgress, onEnd, follow, failureOf }: SendOptions,
): Promise<FunctionResponse> {
  const isChunked = body !== null && headers['content-length'] === undefined
  const head = requestHead(method, path, requestHeaders(headers, requestId, body !== null))
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
      connection.cancel(exchange)
      reject(error)
    }
    const abort = () => end(new ApiError('function_failed'))
    const one = newWork(
      cpuLimitNs(cpuMs),
      answerDueAt,
      (code) => end(new ApiError(code)),
      headers['cdn-loop'],
    )
    work.set(requestId, one)
    signal?.addEventListener('abort', abort, { once: true })

    const connection = connections.take()
    const exchange: Exchange = {
      method,
      onConnect() {
        isSent = true
        if (body) connection.writeWith(head, body, isChunked)
        else connection.write(head, 'latin1')
      },
      onResponse(response) {
        answer = response.body
        one.answerDueAt = Infinity
        noteProgress()
        const isContinued = takeContinues(response.headers)
        answer.on('close', () => {
          finish(isContinued ? 'yes' : 'no')
          // The code has answered without reading all of the body: the rest is not needed.
          if (connection.cancel(exchange)) body?.destroy()
        })
        // The reader of the body sees it; without a listener it would end the service.
        answer.on('error', () => {})
        resolve(response)
      },
      onError(error) {
        if (isFinished) return
        if (!isSent) return end(new NotSentError('the process has ended', { cause: error }))
        void failureOf().then((code) => {
          // It had closed an unused connection, so it has not seen this request.
          const isStale = code === undefined && connection.isStale && body === null
          end(
            isStale
              ? new NotSentError()
              : new ApiError(code ?? 'function_failed', undefined, { cause: error }),
          )
        })
      },
    }
    connection.begin(exchange)
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

/** Throws where Node's own client would: a line break would begin another header, or another request. */
function requestHead(method: string, path: string, headers: readonly string[]): string {
  if (NOT_IN_PATH.test(path)) throw new TypeError('the path has characters that must be escaped')
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let index = 0; index < headers.length; index += 2) {
    const [name = '', value = ''] = [headers[index], headers[index + 1]]
    validateHeaderValue(name, value)
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n`
}

/** Name, value, name, value …. A body of unknown length is sent in chunks; of a request without a body, there is no length either. */
export function requestHeaders(headers: IncomingHttpHeaders, requestId: string, hasBody: boolean): string[] {
  const sent = [CF_HEADER, JSON.stringify({ svcRequestId: requestId })]
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || HOP_HEADERS.has(name) || (!hasBody && name === 'content-length')) continue
    if (typeof value === 'string') sent.push(name, value)
    else for (const each of value) sent.push(name, each)
  }
  if (hasBody && headers['content-length'] === undefined) sent.push('transfer-encoding', 'chunked')
  return sent
}
