import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Passes the answer of an upgrade on and connects both sockets until one of them closes. */
export function writeUpgrade(
  answer: IncomingMessage,
  upstream: Duplex,
  head: Buffer,
  socket: Duplex,
  addBytes: (bytes: number) => void = () => {},
) {
  // A WebSocket may be silent for long.
  answer.socket.setTimeout(0)
  socket.write(headText(answer))
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
  }
}

export function headText({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode ?? 502} ${statusMessage ?? ''}`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
