import type { IncomingMessage } from 'node:http'

import type { FastifyInstance } from 'fastify'

const REST_BYTES_MAX = 8 * 1024 * 1024
const REST_MAX_MS = 2_000

/**
 * A connection that is closed while there are bytes of the client that nobody has read is reset, and the reset may destroy an answer
 * that is still on its way (RFC 9112, 9.6). So where the connection ends with this answer, it leaves behind the rest of the body,
 * which is thrown away: a refusal of what is too large arrives.
 */
export function answerBehindBodies(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    // Nearly every body has been read by now; only for the others is it worth asking what becomes of the connection.
    if (request.raw.complete || request.raw.readableEnded) return done(null, payload)
    const isLast = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close'
    if (!isLast) return done(null, payload)
    throwAway(request.raw, () => done(null, payload))
  })
}

/** Whoever sends more, or slower, or goes away, is not waited for. */
function throwAway(body: IncomingMessage, done: () => void) {
  let bytes = 0
  const end = () => {
    clearTimeout(impatience)
    body.off('data', count).off('end', end).off('close', end).off('error', end)
    done()
  }
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > REST_BYTES_MAX) end()
  }
  const impatience = setTimeout(end, REST_MAX_MS)
  body.on('data', count).on('end', end).on('close', end).on('error', end).resume()
}
