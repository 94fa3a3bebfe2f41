import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { ApiError } from '../../../platform/api-error.ts'
import type { FunctionRequest, FunctionResponse } from '../../../platform/functions-engine.ts'
import { Agent, request as httpRequest } from '../../../platform/node-http.ts'
import { CF_HEADER } from './config.ts'
import { cpuLimitNs } from './cpu-watch.ts'
import type { CancelCode, WorkInProgress } from './work.ts'

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

/**
 * A connection that still reads when it cannot write any more: workerd closes it when the code has answered and has left a part of the
 * body unread. By then the answer has arrived, but Node would discard it with the first write that fails.
 */
class HalfBrokenSocket extends Socket {
  override _write(...[chunk, encoding, done]: Parameters<Socket['_write']>) {
    super._write(chunk, encoding, (error) => done(withoutBroken(error)))
  }
  override _writev(...[chunks, done]: Parameters<NonNullable<Socket['_writev']>>) {
    super._writev?.(chunks, (error) => done(withoutBroken(error)))
  }
}

/** Where there is no answer either, reading fails. */
const withoutBroken = (error: (Error & { code?: string }) | null | undefined) =>
  error?.code === 'EPIPE' || error?.code === 'ECONNRESET' ? null : error

/** Connections to the code. The agent's own `timeout` costs 10 µs of CPU time per request: it sets a timer for each. */
export class CodeAgent extends Agent {
  readonly #unusedSince = new WeakMap<object, number>()

  override createConnection({ path = '' }: { path?: string }) {
    return new HalfBrokenSocket().connect({ path })
  }

  override keepSocketAlive(socket: Duplex) {
    this.#unusedSince.set(socket, performance.now())
    return super.keepSocketAlive(socket)
  }

  /** Closes connections that were not used for this time. */
  closeUnused(ms: number) {
    const since = performance.now() - ms
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of sockets ?? []) if ((this.#unusedSince.get(socket) ?? 0) < since) socket.destroy()
  }
}

/** The process had ended before the request was sent: it can be sent again. */
export class NotSentError extends Error {}

export type SendOptions = {
  socketPath: string
  agent: CodeAgent
  work: WorkInProgress
  cpuMs: number
  /** By `performance.now()`: when the answer must have begun. */
  answerDueAt: number
  noteProgress(): void
  /** Called once, when the answer was read or the request has failed. */
  onEnd(): void
  /** The reason when the process closes the connection. Undefined: it lives. */
  failureOf(): Promise<CancelCode | undefined>
}

/** Sends a request to the code. Throws `NotSentError`, or the reason why there is no answer. */
export function sendRequest(
  { method, path, headers, body, requestId, signal }: FunctionRequest,
  { socketPath, agent, work, cpuMs, answerDueAt, noteProgress, onEnd, failureOf }: SendOptions,
): Promise<FunctionResponse> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    let isSent = false
    const upstream = httpRequest({
      socketPath,
      agent,
      method,
      path,
      headers: requestHeaders(headers, requestId, body !== null),
    })

    const finish = () => {
      if (!work.delete(requestId)) return
      signal?.removeEventListener('abort', abort)
      onEnd()
    }
    const end = (error: Error) => {
      finish()
      response?.destroy(error)
      upstream.destroy()
      reject(error)
    }
    const abort = () => end(new ApiError('function_failed'))
    const one = {
      cpuNs: 0,
      cpuLimitNs: cpuLimitNs(cpuMs),
      subRequests: 0,
      answerDueAt,
      cancel: (code: CancelCode) => end(new ApiError(code)),
    }
    work.set(requestId, one)
    signal?.addEventListener('abort', abort, { once: true })

    upstream.on('socket', (socket) => {
      const send = () => {
        isSent = true
        if (body) body.pipe(upstream)
        else upstream.end()
      }
      if (socket.connecting) socket.once('connect', send)
      else send()
    })
    upstream.on('response', (answer) => {
      response = answer
      one.answerDueAt = Infinity
      noteProgress()
      answer.on('close', () => {
        finish()
        // The code has answered without reading all of the body: the rest is not needed.
        if (body && !upstream.writableEnded) {
          upstream.destroy()
          body.destroy()
        }
      })
      // The reader of the body sees it; without a listener it would end the service.
      answer.on('error', () => {})
      resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: answer })
    })
    upstream.on('error', (error) => {
      if (!work.has(requestId) || response) return
      if (!isSent) return end(new NotSentError('the process has ended', { cause: error }))
      void failureOf().then((code) => {
        // It had closed an unused connection, so it has not seen this request.
        const isStale = code === undefined && upstream.reusedSocket && body === null
        end(
          isStale ? new NotSentError() : new ApiError(code ?? 'function_failed', undefined, { cause: error }),
        )
      })
    })
    body?.on('error', () => end(new ApiError('function_failed')))
    if (signal?.aborted) abort()
  })
}

/**
 * Name, value, name, value …. A body of unknown length is always sent in chunks: Node would send that of a GET or DELETE without any mark
 * of its end, and workerd would read it as the next request.
 */
export function requestHeaders(headers: IncomingHttpHeaders, requestId: string, hasBody: boolean): string[] {
  const sent = [CF_HEADER, JSON.stringify({ svcRequestId: requestId })]
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || HOP_HEADERS.has(name)) continue
    if (typeof value === 'string') sent.push(name, value)
    else for (const each of value) sent.push(name, each)
  }
  if (hasBody && headers['content-length'] === undefined) sent.push('transfer-encoding', 'chunked')
  return sent
}
