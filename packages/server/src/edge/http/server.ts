import type { Socket } from 'node:net'

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import { cors } from './cors.ts'
import { answerError, asApiError, sendError } from './errors.ts'
import { parseJson } from './json.ts'
import { answerUnknown } from './unknown.ts'

export type HttpOptions = { log: FastifyBaseLogger; trustedProxies: number; requestIds: () => string }

const BODY_BYTES_MAX = 2 * 1024 * 1024

/** Fastify, set up so that nothing leaves in another shape and no slow client holds a place for ever. */
export function createHttpServer({ log, trustedProxies, requestIds }: HttpOptions): FastifyInstance {
  const app = Fastify({
    // Fastify's own notices are not ours; what is worth a line is logged below and in errors.ts.
    loggerInstance: log.child({}, { level: 'error' }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds,
    requestIdHeader: false,
    trustProxy: (_address, hop) => hop < trustedProxies,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 },
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    // While draining, a request that still arrives on an open connection is answered like any other.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(reply as never, asApiError(error, request.id)),
    clientErrorHandler: answerBrokenRequest,
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as ApiError)
    }
  })

  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') throw new ApiError('unsupported_content_encoding')
  })
  app.addHook('onResponse', async (request, reply) => {
    // By route pattern, because an address may hold what opens a door.
    const { method, id, routeOptions } = request
    log.debug({
      requestId: id,
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    })
  })
  cors(app)
  answerUnknown(app)
  app.setErrorHandler(answerError)
  return app
}

const OF_NODE: Record<string, ApiError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout'),
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large'),
}

/** What Node's own parser refuses never reaches Fastify; it still gets the error shape. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const answer =
    OF_NODE[error.code ?? ''] ??
    new ApiError('invalid_request', { errors: [{ path: '$', message: 'this is not an HTTP request' }] })
  const body = JSON.stringify(answer.body)
  socket.end(
    `HTTP/1.1 ${answer.status} ${answer.code}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
