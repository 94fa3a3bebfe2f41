import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { ApiError } from '../../../platform/api-error.ts'
import { badRequest } from '../../http/errors.ts'
import { repeatedHeader } from '../../http/requests/repeated-headers.ts'
import { destroyIfNotClosed } from './close-timeout.ts'
import { type SocketLimits, WebSocketConnection } from './connection.ts'
import { directSocketOf } from './direct-socket.ts'

const VERSION = '13'
/** Sixteen bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/
/** RFC 6455, section 1.3: its hash proves that the server speaks WebSocket. */
const ACCEPTS = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * Accepts an upgrade and returns its connection; or sends an error and returns undefined. Extensions and subprotocols are not
 * accepted. The request is not kept in memory, because the socket may be open for hours.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { requestIds, ...limits }: SocketLimits & { requestIds: () => string },
): WebSocketConnection | undefined {
  const key = request.headers['sec-websocket-key'] ?? ''
  const refusal = refusalOf(request, key)
  if (refusal) return refuseUpgrade(socket, refusal, requestIds())

  socket.on('error', ignore)
  const direct = directSocketOf(socket).on('error', ignore)
  // The HTTP server has set no delay, and a new socket has no time limit.
  if (direct === socket && socket instanceof Socket) socket.setNoDelay(true).setTimeout(0)
  const response = responseOf(101, [
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${hash('sha1', key + ACCEPTS, 'base64')}`,
    `X-Request-Id: ${requestIds()}`,
  ])
  return new WebSocketConnection(direct, limits, head, response)
}

/** Sends the error as for any other request, and closes the connection within 2 s. */
export function refuseUpgrade(socket: Duplex, error: ApiError, requestId: string): undefined {
  const body = JSON.stringify(error.body)
  socket.on('error', ignore)
  const headers = [
    ...(error.status === 503 ? ['Retry-After: 1'] : []),
    ...(error.status === 426 ? ['Upgrade: websocket', `Sec-WebSocket-Version: ${VERSION}`] : []),
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(responseOf(error.status, headers, body))
  destroyIfNotClosed(socket)
  socket.resume().end()
}

function refusalOf(request: IncomingMessage, key: string): ApiError | undefined {
  const problem = problemOf(request)
  if (problem) return badRequest(problem)
  if (request.headers['sec-websocket-version'] !== VERSION)
    return new ApiError('upgrade_required', { version: VERSION })
  return KEY.test(key) ? undefined : badRequest('the header Sec-WebSocket-Key must be 16 bytes in base64')
}

function problemOf({ method, httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (method !== 'GET') return 'a WebSocket handshake requires GET'
  if (httpVersion !== '1.1') return 'a WebSocket handshake requires HTTP/1.1'
  if (!headers.host) return 'the header Host is missing'
  const repeated = repeatedHeader(rawHeaders)
  if (repeated !== undefined) return repeated
  if (!lists(headers.upgrade, 'websocket')) return 'the header Upgrade must contain websocket'
  if (!lists(headers.connection, 'upgrade')) return 'the header Connection must contain Upgrade'
  // Proxies disagree about where a body ends and the first frame begins.
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return 'a WebSocket handshake must have no body'
  return undefined
}

const lists = (header: string | undefined, token: string): boolean =>
  header?.split(',').some((one) => one.trim().toLowerCase() === token) ?? false

/** Socket errors need no handling: the `close` event follows. */
const ignore = () => {}

const responseOf = (status: number, headers: string[], body = ''): Buffer =>
  Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
