import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

import { ApiError } from '../../../../platform/api-error.ts'
import type { FunctionRequest, FunctionResponse } from '../../../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../../../platform/ports/room-process.ts'
import { storeOf } from '../config/own-workers.ts'
import { CF_HEADER } from '../network/request-mark.ts'
import type { HttpClient } from './http-client/http-client.ts'
import { type SendOptions, sendWork } from './sent-work.ts'

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

/** Sends a request to the code. Throws `NotSentError`, or the reason why there is no answer. */
export function sendRequest(
  request: FunctionRequest,
  client: Pick<HttpClient, 'send'>,
  options: SendOptions,
): Promise<FunctionResponse> {
  const { method, path, headers, body, requestId, signal } = request
  return sendWork(request, options, (sent) => {
    if (signal?.aborted) throw new ApiError('function_failed')
    const message = {
      method,
      path,
      headers: requestHeaders(headers, requestId, body !== null),
      body: body && { stream: body, isChunked: headers['content-length'] === undefined },
    }
    let answer: Readable | undefined
    const cancel = client.send(message, {
      onSent: sent.noteSent,
      onResponse(response) {
        const isContinued = sent.noteAnswer(response.headers)
        const finish = () => {
          signal?.removeEventListener('abort', abort)
          sent.finish(isContinued ? 'yes' : 'no')
          // The code has answered without reading all of the body: the rest is not needed.
          if (cancel()) body?.destroy()
        }
        if (Buffer.isBuffer(response.body)) finish()
        else {
          answer = response.body
          answer.on('close', finish)
          // The reader of the body sees it; without a listener it would end the service.
          answer.on('error', () => {})
        }
        sent.resolve(response)
      },
      onError: (error, isStale) => sent.failConnection(error, isStale && body === null),
    })
    const abort = () => sent.fail(new ApiError('function_failed'))
    signal?.addEventListener('abort', abort, { once: true })
    body?.on('error', abort)
    return (error) => {
      signal?.removeEventListener('abort', abort)
      answer?.destroy(error)
      cancel()
    }
  })
}

/** The control worker passes a request with this header on to a store (`workers/control.ts`). */
const STORE_HEADER = 'svc-store'

/** A request as the control worker gets it, for the store of a binding. */
export function forStore(binding: StoreBinding, request: FunctionRequest): FunctionRequest {
  const { entrypoint, props } = storeOf(binding)
  return {
    ...request,
    headers: { ...request.headers, host: 'svc', [STORE_HEADER]: JSON.stringify({ entrypoint, props }) },
  }
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
