import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'

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
export type BindingCalls = ReturnType<typeof createBindingCalls>

/** What the code of rooms calls in the process of the functions, which may run on another node: stores, and the functions themselves. */
export function createBindingCalls({ requestIds, gateway, report }: BindingCallDeps) {
  /** Passes a request on and its response back, both as they arrive. */
  function pass(
    { id: environmentId }: Environment,
    response: ServerResponse,
    send: (signal: AbortSignal) => Promise<FunctionResponse>,
  ) {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.on('error', () => {})
    send(gone.signal).then(
      ({ status, headers, body }) => {
        response.writeHead(status, responseHeaders(headers))
        // Either end may fail; then the other one is destroyed.
        pipeline(body, response, () => {})
      },
      (error: unknown) => {
        if (!(error instanceof ApiError)) report({ environmentId, err: error })
        refuse(response, error instanceof ApiError ? error : new ApiError('internal_error'))
      },
    )
  }

  return {
    /** A call of a binding. */
    toBinding(
      environment: Environment,
      binding: StoreBinding,
      request: IncomingMessage,
      response: ServerResponse,
    ) {
      pass(environment, response, async (signal) =>
        gateway.sendToBinding(environment, binding, {
          ...headOf(request),
          // The other node would believe those of the service.
          headers: passedHeaders(request.headers, /^svc-/),
          requestId: requestIds(),
          signal,
        }),
      )
    },

    /** `env.SVC.functions.fetch(…)`. */
    toFunctions(environment: Environment, request: IncomingMessage, response: ServerResponse) {
      const { host: _, ...headers } = passedHeaders(request.headers)
      pass(environment, response, async (signal) =>
        gateway.send(environment, {
          ...headOf(request),
          headers: { ...headers, ...FROM_ROOM },
          requestId: requestIds(),
          signal,
        }),
      )
    },
  }
}

const headOf = (request: IncomingMessage) => ({
  method: request.method ?? 'GET',
  path: request.url ?? '/',
  body: hasBody(request.headers) ? request : null,
})

const hasBody = (headers: IncomingHttpHeaders) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** As each kind of binding reports errors: databases in the body, files in a header, the others by the status. */
function refuse(response: ServerResponse, { status, code, message }: ApiError) {
  if (response.headersSent) return void response.destroy()
  const error = `${code}: ${message}`
  response.writeHead(status, {
    'content-type': 'application/json',
    'cf-r2-error': JSON.stringify({ version: 1, v4code: 10001, message: error }),
  })
  response.end(JSON.stringify({ success: false, error }))
}
