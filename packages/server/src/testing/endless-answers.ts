import { once } from 'node:events'
import type { Socket } from 'node:net'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const PART_BYTES = 65_536
const SLOW_MS = 20

/** `start` is sent once, `part` again and again: as fast as it is taken in, or one byte at a time. */
type Behavior = { start?: string; part: string; isSlow?: true }

/** What a hostile server can answer without end. A server answers the path `/<name>` with it. */
export const ENDLESS_ANSWERS: Readonly<Record<string, Behavior>> = {
  'interim-answers': { part: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
  'interim-answers-with-links': { part: `HTTP/1.1 103 Early Hints\r\nLink: </${'x'.repeat(1_000)}>\r\n\r\n` },
  processing: { part: 'HTTP/1.1 102 Processing\r\n\r\n' },
  continue: { part: 'HTTP/1.1 100 Continue\r\n\r\n' },
  'slow-interim-answers': { part: 'HTTP/1.1 103 Early Hints\r\n\r\n', isSlow: true },
  'slow-headers': { start: OK, part: 'x: y\r\n', isSlow: true },
  headers: { start: OK, part: 'x: y\r\n' },
  'one-long-header': { start: `${OK}x: `, part: 'y' },
  'empty-lines': { part: '\r\n' },
  'one-byte-chunks': { start: CHUNKED, part: '1\r\nx\r\n' },
  'chunk-extensions': { start: CHUNKED, part: `1;${'e'.repeat(8_000)}\r\nx\r\n` },
  'one-long-extension': { start: `${CHUNKED}1;`, part: 'e' },
  trailers: { start: `${CHUNKED}0\r\n`, part: 'x: y\r\n' },
  'small-body': { start: CHUNKED, part: '1\r\nx\r\n', isSlow: true },
  'large-body': { start: `${OK}\r\n`, part: 'x'.repeat(PART_BYTES) },
  redirects: { part: '' },
}

/** Answers the requests of a connection as their paths say, until it is closed. A redirect points to itself. */
export function answerWithoutEnd(socket: Socket, onRequest: () => void) {
  socket.on('error', () => {})
  socket.on('data', (data: Buffer) => {
    onRequest()
    const [, name = ''] = /^\S+ (?:http:\/\/[^/]+)?\/(\S*)/.exec(data.toString('latin1')) ?? []
    const behavior = ENDLESS_ANSWERS[name]
    if (!behavior) return socket.end(`${OK}Content-Length: 2\r\n\r\nok`)
    if (name === 'redirects')
      return socket.write(`HTTP/1.1 302 Found\r\nLocation: /redirects\r\nContent-Length: 0\r\n\r\n`)
    socket.removeAllListeners('data').resume()
    return behavior.isSlow ? sendSlowly(socket, behavior) : void sendFast(socket, behavior)
  })
}

function sendSlowly(socket: Socket, { start = '', part }: Behavior) {
  let at = 0
  socket.write(start)
  const timer = setInterval(() => socket.write(part[at++ % part.length] ?? ''), SLOW_MS)
  socket.on('close', () => clearInterval(timer))
}

async function sendFast(socket: Socket, { start = '', part }: Behavior) {
  const many = Buffer.from(part.repeat(Math.ceil(PART_BYTES / part.length)), 'latin1')
  const closed = once(socket, 'close').catch(() => {})
  socket.write(start)
  while (!socket.destroyed)
    if (!socket.write(many)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
}
