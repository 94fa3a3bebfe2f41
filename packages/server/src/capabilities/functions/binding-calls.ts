import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, pipeline, type Readable } from 'node:stream'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { FunctionResponse } from '../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../platform/ports/room-process.ts'
import type { Gateway } from './gateway.ts'
import { passedHeaders, responseHeaders } from './headers.ts'

type BindingCallDeps = {
  requestIds(): string
  gateway: Pick<Gateway, 'send' | 'sendToBinding'>
  report(failure: object): void
}
/** A function of the developer sees by this header that one of the rooms calls: nobody else can send it. */
const FROM_ROOM = { 'svc-caller': 'room' }
type Sent = ReturnType<typeof headOf> & { signal: AbortSignal }
export type BindingCalls = ReturnType<typeof createBindingCalls>

/** What the code of rooms calls in the process of the functions, which may run on another node: stores, and the functions themselves. */
export function createBindingCalls({ requestIds, gateway, report }: BindingCallDeps) {
  /** Passes a request on and its response back, both as they arrive. */
  function pass(
    { id: environmentId }: Environment,
    request: IncomingMessage,
    response: ServerResponse,
    send: (sent: Sent) => Promise<FunctionResponse>,
    refuse: (response: ServerResponse, error: ApiError) => void,
  ) {
    const head = headOf(request)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.on('error', () => {})
    request.on('error', () => {})
    send({ ...head, signal: gone.signal })
      .then(({ status, headers, body }) => {
        try {
          response.writeHead(status, responseHeaders(headers))
        } catch (error) {
          if (!Buffer.isBuffer(body)) body.destroy()
          throw error
        }
        // Either end may fail; then the other one is destroyed.
        if (Buffer.isBuffer(body)) response.end(body)
        else pipeline(body, response, () => {})
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) report({ environmentId, err: error })
        head.body?.destroy()
        refuse(response, error instanceof ApiError ? error : new ApiError('internal_error'))
      })
      .catch(() => response.destroy())
  }

  return {
    /** A call of a binding. */
    toBinding(
      environment: Environment,
      binding: StoreBinding,
      request: IncomingMessage,
      response: ServerResponse,
    ) {
      // The other node would believe those of the service.
      const headers = passedHeaders(request.headers, /^svc-/)
      const send = (sent: Sent) =>
        gateway.sendToBinding(environment, binding, { ...sent, headers, requestId: requestIds() })
      pass(environment, request, response, send, refuseBinding)
    },

    /** `env.SVC.functions.fetch(…)`. */
    toFunctions(environment: Environment, request: IncomingMessage, response: ServerResponse) {
      const { host: _, ...passed } = passedHeaders(request.headers)
      const headers = { ...passed, ...FROM_ROOM }
      const send = (sent: Sent) => gateway.send(environment, { ...sent, headers, requestId: requestIds() })
      pass(environment, request, response, send, refuseRequest)
    },
  }
}

const headOf = (request: IncomingMessage) => ({
  method: request.method ?? 'GET',
  path: request.url ?? '/',
  body: hasBody(request.headers) ? bodyOf(request) : null,
})

/**
 * A stream that may be destroyed without the connection: then what is left of the body is read and forgotten, because the process reads
 * the response only after it has sent all of its body.
 */
function bodyOf(request: IncomingMessage): Readable {
  const body = new PassThrough()
  body.on('error', () => {})
  body.on('close', () => request.unpipe(body).resume())
  return request.pipe(body)
}

const hasBody = (headers: IncomingHttpHeaders) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * As each kind of binding reports errors: databases in the body, files and queues in headers, keys by the status and its text. With a status
 * of 404 a store would have no such entry.
 */
function refuseBinding(response: ServerResponse, { status, code, message }: ApiError) {
  const error = `${code}: ${message}`
  response.writeHead(status < 500 ? 500 : status, asciiOf(error), {
    'content-type': 'application/json',
    'cf-r2-error': asciiOf(JSON.stringify({ version: 1, v4code: 10001, message: error })),
    'cf-queues-error-code': '15000',
    'cf-queues-error-cause': asciiOf(error),
  })
  response.end(JSON.stringify({ success: false, error }))
}

/** Node refuses to send anything else in a head. */
const asciiOf = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')

function refuseRequest(response: ServerResponse, { status, body }: ApiError) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
