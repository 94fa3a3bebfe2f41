import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { LIMITS } from '@svc/contract/common/limits'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { openFilesMax } from '../../platform/open-files.ts'
import { parseJson } from '../json/parse.ts'
import { type ClientAddressOf, createClientAddress } from './callers/client-address.ts'
import { allowAnyOrigin, answerPreflight } from './callers/cors.ts'
import { watchFirstRequests } from './connections/first-request.ts'
import { keepFilesFree } from './connections/open-files.ts'
import { batchPerTick } from './connections/tick-batch.ts'
import { closeStalledReaders, discardBodyBeforeReply } from './connections/unread.ts'
import { KEEP_ALIVE_MS } from './connections/whole-response.ts'
import { answerErrors, asApiError, badRequest, sendError } from './errors.ts'
import { handleNotFound } from './not-found.ts'
import { isReceivingFile } from './requests/bodies.ts'
import { repeatedHeader } from './requests/repeated-headers.ts'

export type HttpOptions = {
  log: FastifyBaseLogger
  /** By default the address of the socket. */
  clientAddressOf?: ClientAddressOf
  requestIds: () => string
  /** Adds hooks that record traces. */
  trace?: ((app: FastifyInstance) => void) | undefined
  /** Answers requests whose host is not that of the API, or lets the routes answer as they may there. */
  hosts?: {
    rewriteUrl(request: IncomingMessage): string
    onRequest: onRequestHookHandler
    refusalOf(request: FastifyRequest): ApiError | undefined
  }
  /** Timeouts for headers and for the whole request; Node's defaults (60 s, 300 s) invite slowloris attacks. */
  timeouts?: { headersMs: number; requestMs: number; checkIntervalMs: number }
  /** How long a client may leave a response unread. */
  readTimeoutMs?: number
  /** How many files the process may have open. By default the limit that the system has set. */
  filesMax?: number
}

const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000, checkIntervalMs: 2_000 }
const READ_TIMEOUT_MS = 60_000

/** Fastify, set up so that every response has the shape of the API and no slow client keeps a connection forever. */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { log, requestIds, timeouts = TIMEOUTS, readTimeoutMs = READ_TIMEOUT_MS } = options
  const { clientAddressOf = createClientAddress(0, () => {}), hosts } = options
  const app = Fastify({
    // Requests are logged below and errors in errors.ts; a logger for each request adds 10 % to a small one.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    // Bodies are checked in requests/input.ts; Fastify's own compilers are a tenth of all modules that a start would load.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: requestIds,
    requestIdHeader: false,
    bodyLimit: LIMITS.bodyBytesMax,
    // See `withHead`.
    exposeHeadRoutes: false,
    // Every route is a plugin to Fastify, and would get a timer.
    pluginTimeout: 0,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkIntervalMs,
      maxHeaderSize: 16_384,
      // Rejected below instead, in the error shape.
      requireHostHeader: false,
      // Other upgrades (h2c) are ignored.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    // As long as all headers may be: a parameter of any length that is not an id answers 404.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    ...(hosts && { rewriteUrl: hosts.rewriteUrl }),
    // While draining, a request that still arrives on an open connection is answered like any other.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(reply as never, asApiError(error, request.id)),
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, requestIds(), timeouts.requestMs),
  })

  // No route has this method. Fastify would answer 400 without a Content-Type, and not 405.
  app.addHttpMethod('QUERY', { overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyText', '')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      const { text, value } = parseJson(body as Buffer)
      request.bodyText = text
      done(null, value)
    } catch (error) {
      done(error as ApiError)
    }
  })

  // No hook here returns a promise: on a small request each would cost as much as a database read.
  // Fastify's own `ip` is whatever a proxy writes.
  app.decorateRequest('clientAddress', {
    getter() {
      return clientAddressOf(this.raw)
    },
  })
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('beganAt', 0)
  app.decorateRequest('key', undefined)
  app.decorateRequest('agentCall', undefined)
  app.decorateRequest('refusal', null)
  app.decorateRequest('appHost', undefined)
  const runAtEndOfTick = batchPerTick()
  const beganAt = watchFirstRequests(app.server)
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = monotonicMs()
    request.beganAt = beganAt(request.raw.socket, request.startedAt)
    const repeated = repeatedHeader(request.raw.rawHeaders)
    if (repeated !== undefined) return done(badRequest(repeated))
    runAtEndOfTick(done)
  })
  options.trace?.(app)
  if (hosts) app.addHook('onRequest', hosts.onRequest)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    // Most responses must not be cached; the others set the header themselves.
    reply.header('Cache-Control', 'no-store')
    const { host, 'content-encoding': encoding } = request.headers
    if (host === undefined && request.raw.httpVersion === '1.1')
      return done(badRequest('the header Host is missing'))
    // PostgreSQL cannot store this character, so it is rejected in URLs as it is in bodies.
    if (request.url.includes('%00')) return done(badRequest('the URL contains the character U+0000'))
    if (encoding !== undefined && encoding !== 'identity' && request.method !== 'GET') {
      return done(new ApiError('unsupported_content_encoding'))
    }
    if (request.method === 'OPTIONS') return answerPreflight(request, reply)
    allowAnyOrigin(request, reply)
    done(request.appHost && hosts?.refusalOf(request))
  })
  if (log.level === 'debug' || log.level === 'trace') logRequests(app, log)
  // A connection that cannot be accepted must not end the service.
  app.server.on('error', () => {})
  keepFilesFree(app.server, { filesMax: options.filesMax ?? openFilesMax(), warn: (line) => log.warn(line) })
  // Without a listener Node answers 417, not in the error shape.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  discardBodyBeforeReply(app)
  closeStalledReaders(app.server, readTimeoutMs)
  handleNotFound(app)
  app.setErrorHandler(answerErrors(log))
  return app
}

const noSchemas = (): never => {
  throw new Error('a route of Fastify has no schema here')
}

/** By route pattern, because a URL may contain a secret. */
function logRequests(app: FastifyInstance, log: FastifyBaseLogger) {
  app.addHook(
    'onResponse',
    ({ id: requestId, traceId, method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
      log.debug({ requestId, traceId, method, route: routeOptions.url, status, ms: Math.round(elapsedTime) })
      done()
    },
  )
}

const PARSER_ERRORS: Record<string, ApiError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout'),
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large'),
}

const broken = new WeakSet<Socket>()

/** Requests that Node's parser rejects never reach Fastify; they still get the error shape. */
function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  requestId: string,
  closeTimeoutMs: number,
) {
  if (error.code === 'ECONNRESET') return void socket.destroy()
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceivingFile(socket)) return
  // The parser reports an error for every byte that still arrives.
  if (broken.has(socket)) return
  broken.add(socket)
  // Destroy the socket if the client neither reads the response nor closes.
  const deadlineTimer = setTimeout(() => socket.destroy(), closeTimeoutMs)
  socket.once('close', () => clearTimeout(deadlineTimer))
  // The response to the previous request is still being sent: it is completed, and is the last one.
  if (!socket.writable || socket.writableLength > 0) return void socket.end()

  const answer = PARSER_ERRORS[error.code ?? ''] ?? badRequest('this is not an HTTP request')
  const body = JSON.stringify(answer.body)
  socket.end(
    `HTTP/1.1 ${answer.status} ${answer.code}\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
