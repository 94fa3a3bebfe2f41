import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Readable, Transform } from 'node:stream'

import type { FastifyInstance, RouteOptions } from 'fastify'

import type { ApiError } from '../../../platform/api-error.ts'

/** Where a setting decides how large a body may be, and the specification how a larger one is refused. */
export type BodyLimit = { bytesMax: number; refusal(bodyBytes: number | undefined): ApiError }

/** Fifty megabytes over a slow line. */
const ARRIVES_WITHIN_MS = 15 * 60_000

/** What is left of a file that was refused is let go by unread for this long, so that the sender sees the answer. */
const REST_MS = 10_000

const patient = new WeakSet<Socket>()

/** Whether a file is arriving here: it has longer than other requests, and ends by a clock of its own. */
export const isReceivingFile = (socket: Socket): boolean => patient.has(socket)

/** In a scope of its own, where a body of any type is left alone: the handler takes it as it arrives. */
export function routeForFiles(app: FastifyInstance, options: RouteOptions) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route(options)
  })
}

/** In a scope of its own, where the bytes of a body of any type are the body. */
export function routeForRawBodies(app: FastifyInstance, options: RouteOptions) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route(options)
  })
}

/** The body of a request up to its limit; one byte more and it fails with the refusal. */
export function fileBody(request: IncomingMessage, limit: BodyLimit): Readable {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit.bytesMax) throw limit.refusal(announced)

  const { socket } = request
  patient.add(socket)
  request.once('close', () => patient.delete(socket))
  endWithin(request, ARRIVES_WITHIN_MS)
  return upTo(limit, request)
}

export function letGoBy(request: IncomingMessage) {
  if (request.complete) return
  endWithin(request, REST_MS)
  // Nobody reads the body any more, and while it waits for somebody the rest would not come by.
  request.unpipe().resume()
}

function endWithin(request: IncomingMessage, ms: number) {
  const late = setTimeout(() => request.destroy(), ms).unref()
  request.once('close', () => clearTimeout(late))
}

/** When the failure is ours the request stays open: its connection still has to carry the answer. */
function upTo({ bytesMax, refusal }: BodyLimit, request: IncomingMessage): Readable {
  let size = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > bytesMax) done(refusal(undefined))
      else done(null, chunk)
    },
  })
  // Whoever reads it is told; one that nobody reads yet, or any more, must not end the process.
  body.on('error', () => {})
  request.once('error', (error) => body.destroy(error))
  request.once('close', () => request.complete || body.destroy(new Error('the sender has gone')))
  return request.pipe(body)
}
