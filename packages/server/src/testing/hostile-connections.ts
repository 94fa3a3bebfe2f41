import { once } from 'node:events'
import { connect, type NetConnectOpts, type Socket } from 'node:net'

/** Random numbers that are the same in every run. */
export function seededNumbers(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

/** What servers send that are broken, old, hostile, or no HTTP servers. */
const ANSWERS = [
  '',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmore',
  'HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nTrailer: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx: y\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
  'HTTP/1.1 000 X\r\n\r\n',
  'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 O\x7f\xffK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n',
  'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nContent-Length: 0\r\n\r\n',
  `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  'HTTP/1.1 200 OK\r\nx: \x00\r\n\r\n',
  'HTTP/1.0 200\r\n\r\nuntil the end',
  'HTTP/2.0 200 OK\r\n\r\n',
  'HTTP/1.1 999 Odd\r\nConnection: close, keep-alive\r\n\r\n',
  'SSH-2.0-OpenSSH\r\n',
  '\x16\x03\x01\x00\x05\x01\x00',
]

/** Sends one of these, whole or in part, and keeps, ends or resets the connection. */
export function answerBadly(socket: Socket, number: (below: number) => number) {
  socket.on('error', () => {})
  socket.once('data', () => {
    const answer = ANSWERS[number(ANSWERS.length)] ?? ''
    const part = number(3) === 0 ? answer.slice(0, number(answer.length + 1)) : answer
    socket.write(part, 'latin1', () => end(socket, number))
  })
}

/** Connects, sends the requests in pieces, and leaves at any moment. Resolves when the connection is closed. */
export async function leaveEarly(
  to: NetConnectOpts,
  requests: readonly string[],
  number: (below: number) => number,
): Promise<void> {
  const socket = connect(to)
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.resume()
  for (let count = number(3); count >= 0 && !socket.destroyed; count--) {
    const request = requests[number(requests.length)] ?? ''
    const at = number(3) === 0 ? number(request.length + 1) : request.length
    socket.write(request.slice(0, at), 'latin1')
    if (number(2) === 0) await new Promise(setImmediate)
  }
  if (number(3) === 0)
    await Promise.race([once(socket, 'data').catch(() => {}), closed, new Promise(setImmediate)])
  if (number(4) === 0) socket.end()
  else end(socket, number)
  // Those that keep the connection open are closed by the end of this round.
  setTimeout(() => socket.destroy(), 20).unref()
  await closed
}

function end(socket: Socket, number: (below: number) => number) {
  const how = number(4)
  if (how === 0) return
  if (how === 1) socket.end()
  // A unix socket cannot send a reset.
  else if (how === 2 && socket.remoteAddress !== undefined) socket.resetAndDestroy()
  else socket.destroy()
}
