import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { FastifyInstance } from 'fastify'

const DISCARDED_BYTES_MAX = 8 * 1024 * 1024
const DISCARD_TIMEOUT_MS = 2_000

/**
 * Closing a connection while bytes of the client are unread resets it, and the reset may destroy a response that is still on its
 * way (RFC 9112, 9.6). So when this response closes the connection, the rest of the body is read and discarded before it ends: the
 * client receives the error for a body that is too large.
 */
export const hasUnreadBody = ({ complete, readableEnded }: IncomingMessage): boolean =>
  !complete && !readableEnded

/** Whether the connection is closed after this response. `connection` is the header of the response. */
export const isLastOf = ({ shouldKeepAlive }: ServerResponse, connection: unknown): boolean =>
  !shouldKeepAlive || connection === 'close'

export function discardBodyBeforeReply(app: FastifyInstance) {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    // Nearly every body has been read by now. Only for the others it matters whether the connection will be closed.
    if (!hasUnreadBody(raw) || !isLastOf(reply.raw, reply.getHeader('connection'))) return done(null, payload)
    discardBody(raw, () => done(null, payload))
  })
}

/** Stops at 8 MiB, after 2 s, or when the client disconnects. */
export function discardBody(body: IncomingMessage, done: () => void) {
  let bytes = 0
  const end = () => {
    clearTimeout(deadlineTimer)
    body.off('data', count).off('end', end).off('close', end).off('error', end)
    done()
  }
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARDED_BYTES_MAX) end()
  }
  const deadlineTimer = setTimeout(end, DISCARD_TIMEOUT_MS)
  body.on('data', count).on('end', end).on('close', end).on('error', end).resume()
}

/**
 * Closes connections whose client reads nothing of its response for this time. Node's timeout for each connection, reset on each
 * request, adds about 5 % to a small request; so only connections with unread bytes get one.
 */
export function closeStalledReaders(server: Server, readTimeoutMs: number) {
  const open = new Set<Socket>()
  /** The same function for all connections. */
  function forget(this: Socket) {
    open.delete(this)
  }
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', forget)
  })

  const checkTimer = setInterval(() => {
    for (const socket of open)
      // Node removes the timeout at the end of the response.
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(readTimeoutMs)
  }, readTimeoutMs / 4).unref()
  server.once('close', () => clearInterval(checkTimer))
}
