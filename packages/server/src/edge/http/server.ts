import type { Socket } from 'node:net'

import { LIMITS } from '@svc/contract/limits'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type onRequestHookHandler,
} from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import { monotonicMs } from '../../platform/cache.ts'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { answerErrors, asApiError, badRequest, sendError } from './errors.ts'
import { isReceivingFile } from './file-bodies.ts'
import { parseJson } from './json.ts'
import { repeatedHeader } from './repeated-headers.ts'
import { createTurns } from './turns.ts'
import { answerUnknown } from './unknown.ts'
import { closeUnread } from './unread-answers.ts'
import { answerBehindBodies } from './unread-bodies.ts'

export type HttpOptions = {
  log: FastifyBaseLogger
  trustedProxies: number
  requestIds: () => string
  /** Answers what is not for the host of the API. */
  hosts?: onRequestHookHandler
  /** How long a client may take over its headers and its whole request; Node's own 60 and 300 s are an invitation. */
  patience?: { headersMs: number; requestMs: number; lookEveryMs: number }
  /** How long a client may leave an answer unread. */
  silenceMaxMs?: number
}

const PATIENCE = { headersMs: 10_000, requestMs: 30_000, lookEveryMs: 2_000 }
const SILENCE_MAX_MS = 60_000

/** Fastify, set up so that nothing leaves in another shape and no slow client holds a place for ever. */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { log, trustedProxies, requestIds, patience = PATIENCE, silenceMaxMs = SILENCE_MAX_MS } = options
  const app = Fastify({
    // What is worth a line is logged below and in errors.ts, which names the request; a logger for each costs a tenth of a small one.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    // Bodies are checked in input.ts; Fastify's own compilers would be a tenth of all modules that a start loads.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: requestIds,
    requestIdHeader: false,
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
    bodyLimit: LIMITS.bodyBytesMax,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: patience.lookEveryMs,
      maxHeaderSize: 16_384,
      // Refused below instead, in the error shape.
      requireHostHeader: false,
      // Any other offer to upgrade (h2c) is an ordinary request that offers something.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    // As long as headers may be: what is no id is not found, however long it is.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    // While draining, a request that still arrives on an open connection is answered like any other.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(reply as never, asApiError(error, request.id)),
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, requestIds(), patience.requestMs),
  })

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

  // No hook here has a promise: on a small request each would cost as much as a look into the database.
  app.decorateRequest('startedAt', 0)
  const atEndOfTurn = createTurns()
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = monotonicMs()
    const repeated = repeatedHeader(request.raw.rawHeaders)
    if (repeated !== undefined) return done(badRequest(repeated))
    atEndOfTurn(done)
  })
  if (options.hosts) app.addHook('onRequest', options.hosts)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    // Most answers are for one caller and one moment; what caches may keep says so itself.
    reply.header('Cache-Control', 'no-store')
    const { host, 'content-encoding': encoding } = request.headers
    if (host === undefined && request.raw.httpVersion === '1.1')
      return done(badRequest('the header Host is missing'))
    // No engine stores it alike, so it is refused in addresses as it is in bodies.
    if (request.url.includes('%00')) return done(badRequest('the address holds the character U+0000'))
    if (encoding !== undefined && encoding !== 'identity' && request.method !== 'GET') {
      return done(new ApiError('unsupported_content_encoding'))
    }
    if (request.method === 'OPTIONS') return answerPreflight(reply)
    allowAnyOrigin(request, reply)
    done()
  })
  if (log.level === 'debug' || log.level === 'trace') logRequests(app, log)
  // Without a listener Node answers 417 with a body of its own.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  answerBehindBodies(app)
  closeUnread(app.server, silenceMaxMs)
  answerUnknown(app)
  app.setErrorHandler(answerErrors(log))
  return app
}

const noSchemas = (): never => {
  throw new Error('a route of Fastify has no schema here')
}

/** By route pattern, because an address may hold what opens a door. */
function logRequests(app: FastifyInstance, log: FastifyBaseLogger) {
  app.addHook(
    'onResponse',
    ({ id: requestId, method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
      log.debug({ requestId, method, route: routeOptions.url, status, ms: Math.round(elapsedTime) })
      done()
    },
  )
}

const OF_NODE: Record<string, ApiError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout'),
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large'),
}

const broken = new WeakSet<Socket>()

/** What Node's own parser refuses never reaches Fastify; it still gets the error shape. */
function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  requestId: string,
  patienceMs: number,
) {
  if (error.code === 'ECONNRESET') return void socket.destroy()
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceivingFile(socket)) return
  // The parser complains of every byte that still comes.
  if (broken.has(socket)) return
  broken.add(socket)
  // Whoever does not take what is leaving, or does not close, holds no place for ever.
  const impatience = setTimeout(() => socket.destroy(), patienceMs)
  socket.once('close', () => clearTimeout(impatience))
  // The answer to the request before this one is still leaving: it leaves whole, and is the last.
  if (!socket.writable || socket.writableLength > 0) return void socket.end()

  const answer = OF_NODE[error.code ?? ''] ?? badRequest('this is not an HTTP request')
  const body = JSON.stringify(answer.body)
  socket.end(
    `HTTP/1.1 ${answer.status} ${answer.code}\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
