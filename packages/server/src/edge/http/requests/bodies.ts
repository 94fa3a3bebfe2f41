import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Readable, Transform } from 'node:stream'

import type { FastifyInstance, RouteOptions } from 'fastify'

import type { ApiError } from '../../../platform/api-error.ts'

/** The limit of a body, which a setting decides, and the error for a larger one, which the specification decides. */
export type BodyLimit = { bytesMax: number; refusal(bodyBytes: number | undefined): ApiError }

/** Enough for 50 MB over a slow connection. */
const ARRIVAL_TIMEOUT_MS = 15 * 60_000

/** How long the rest of a rejected upload is read and discarded, so that the sender receives the response. */
const DISCARD_TIMEOUT_MS = 10_000

const uploadSockets = new WeakSet<Socket>()

/** Whether an upload is arriving on this socket: uploads have a longer timeout. */
export const isReceivingFile = (socket: Socket): boolean => uploadSockets.has(socket)

/** In a separate scope, where no body is parsed: the handler reads it as a stream. */
export function routeForFiles(app: FastifyInstance, options: RouteOptions) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route(options)
  })
}

/** In a separate scope, where the handler gets the bytes of a body of any type. */
export function routeForRawBodies(app: FastifyInstance, options: RouteOptions) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route(options)
  })
}

/** The body of a request; if it exceeds the limit, the stream fails with the error of the limit. */
export function fileBody(request: IncomingMessage, limit: BodyLimit): Readable {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit.bytesMax) throw limit.refusal(announced)

  const { socket } = request
  uploadSockets.add(socket)
  request.once('close', () => uploadSockets.delete(socket))
  endWithin(request, ARRIVAL_TIMEOUT_MS)
  return upTo(limit, request)
}

export function discardRemainder(request: IncomingMessage) {
  if (request.complete) return
  endWithin(request, DISCARD_TIMEOUT_MS)
  // The body has no reader left; resume it, or the remaining bytes never drain.
  request.unpipe().resume()
}

function endWithin(request: IncomingMessage, ms: number) {
  const late = setTimeout(() => request.destroy(), ms).unref()
  request.once('close', () => clearTimeout(late))
}

/** If the body is too large, the request stays open, because the response is sent on the same connection. */
function upTo({ bytesMax, refusal }: BodyLimit, request: IncomingMessage): Readable {
  let size = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > bytesMax) done(refusal(undefined))
      else done(null, chunk)
    },
  })
  // Readers get the error from the stream; this listener keeps an unread body from crashing the process.
  body.on('error', () => {})
  request.once('error', (error) => body.destroy(error))
  request.once('close', () => request.complete || body.destroy(new Error('the client disconnected')))
  return request.pipe(body)
}
