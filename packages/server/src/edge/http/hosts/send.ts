import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { FastifyRequest } from 'fastify'

import { discardBody, hasUnreadBody, isLastOf } from '../connections/unread.ts'
import { writeWhole } from '../connections/whole-response.ts'
import type { RawResponse } from '../files/raw-response.ts'

/** Writes a response of an app without Fastify. A client that leaves it unread for so long is disconnected. */
export function send(
  response: ServerResponse,
  answer: RawResponse,
  { id, method, raw }: FastifyRequest,
  readTimeoutMs: number,
) {
  const { body } = answer
  if (!(body instanceof Buffer && writeWhole(response, { ...answer, body }, id))) {
    response.writeHead(answer.status, [...answer.headers, 'X-Request-Id', id])
    if (body instanceof Readable && method !== 'HEAD') stream(body, raw, response)
    else if (body instanceof Readable) response.end(void body.destroy())
    else endAfterRequest(raw, response, body)
  }
  const isSent = !(body instanceof Readable) && response.writableLength === 0
  if (!isSent) response.setTimeout(readTimeoutMs, () => response.destroy())
}

/**
 * A client that disconnects, also before the first byte, is not an error; if the store fails in the middle, the response is truncated.
 * In both cases the file is closed. The listener is on the socket: when the socket closes, Node also closes responses that wait
 * behind others, but not if an upgrade follows them.
 */
function stream(body: Readable, request: IncomingMessage, response: ServerResponse) {
  const { socket } = request
  if (response.destroyed || socket.destroyed) return void body.destroy()
  const leave = () => void body.destroy()
  socket.setMaxListeners(0).once('close', leave)
  pipeline(body, response, { end: false })
    .then(
      () => endAfterRequest(request, response),
      () => response.destroy(),
    )
    .finally(() => socket.off('close', leave))
}

/** A client that still sends its body gets the response, also if it closes the connection. */
function endAfterRequest(request: IncomingMessage, response: ServerResponse, body?: Buffer) {
  if (!hasUnreadBody(request) || !isLastOf(response, response.getHeader('connection'))) response.end(body)
  else discardBody(request, () => response.end(body))
}
