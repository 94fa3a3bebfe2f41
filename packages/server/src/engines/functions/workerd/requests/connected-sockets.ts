import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** When one side has ended, the other may still send what it has. */
const HALF_OPEN_MS = 2_000

/** Passes the answer of an upgrade on as it is, and connects both sockets until one of them closes. */
export function writeUpgrade(
  answer: IncomingMessage,
  upstream: Duplex,
  head: Buffer,
  socket: Duplex,
  addBytes: (bytes: number) => void = () => {},
) {
  const { statusCode, statusMessage, rawHeaders } = answer
  socket.write(headOf(statusCode ?? 502, rawHeaders, statusMessage))
  connectSockets(answer, upstream, head, socket, addBytes)
}

/**
 * Sends the last bytes of an upgrade that is not connected. What the other side sends is read, or its end would never be noticed, and
 * after 2 s the connection is closed all the same.
 */
export function endSocket(socket: Duplex, text: string) {
  socket.resume().end(text)
  closeSoon(socket)
}

/** Closes the socket if it is still open after 2 s. */
export function closeSoon(socket: Duplex) {
  const timer = setTimeout(() => socket.destroy(), HALF_OPEN_MS).unref()
  socket.on('close', () => clearTimeout(timer))
}

/** Connects both sockets until one of them closes. */
export function connectSockets(
  answer: IncomingMessage,
  upstream: Duplex,
  head: Buffer,
  socket: Duplex,
  addBytes: (bytes: number) => void,
) {
  // A WebSocket may be silent for long.
  answer.socket.setTimeout(0)
  if (head.length > 0) socket.write(head)
  upstream.on('data', (chunk: Buffer) => addBytes(chunk.length))
  socket.on('data', (chunk: Buffer) => addBytes(chunk.length))
  upstream.pipe(socket).pipe(upstream)
  for (const [one, other] of [
    [upstream, socket],
    [socket, upstream],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
    // Code need not answer a Close, and workerd does not end its side for it. The client is gone all the same.
    one.on('end', () => closeSoon(one))
  }
}

/** `headers`: name, value, name, value …. */
export function headOf(
  status: number,
  headers: readonly string[],
  message = STATUS_CODES[status] ?? '',
): string {
  const lines = [`HTTP/1.1 ${status} ${message}`]
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
