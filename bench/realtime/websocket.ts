import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

/** The client side of a WebSocket. */
export type Socket = {
  send(payload: string | Buffer): void
  /** What `work` sends is written at once. */
  together(work: () => void): void
  /** Sends a close frame; resolves when the connection has ended. */
  close(): Promise<void>
}

const [TEXT, BINARY, CLOSE, PING, PONG] = [1, 2, 8, 9, 10]
const [FINAL, MASKED] = [0x80, 0x80]
const OPEN_TIMEOUT_MS = 20_000
const CONNECTIONS_PER_ADDRESS = 1_000
let opened = 0

/**
 * Each process has addresses of loopback of its own, because one address has only 28,000 ports for connections. It takes another one after some
 * connections: a port is in use for a minute after its connection was closed, and among ten thousand of them the search for a free one takes
 * a millisecond, so that the server would wait for its clients.
 */
function ownAddress(): string {
  const turn = Math.floor(opened++ / CONNECTIONS_PER_ADDRESS) % 250
  return `127.${turn + 1}.${(process.pid >> 8) & 0xff}.${process.pid & 0xff || 1}`
}

/**
 * Uses a plain socket and a minimum of RFC 6455: the generator shares the machine with the server it measures, and a library
 * would cost more than some of the servers. The server is trusted to send only unfragmented messages.
 */
export function openSocket(
  port: number,
  path: string,
  onMessage: (payload: Buffer, socket: Socket) => void,
  localAddress = ownAddress(),
  /** The service closes the connection, with this code; 1006 if it said nothing. */
  onClose: (code: number) => void = () => {},
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connection = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
    const timeout = setTimeout(() => connection.destroy(new Error('no upgrade')), OPEN_TIMEOUT_MS)
    const ended = new Promise<void>((end) => connection.once('close', () => end()))
    let received: Buffer = Buffer.of()
    let isOpen = false
    let code = 1006

    const socket: Socket = {
      send: (payload) =>
        void connection.write(
          typeof payload === 'string' ? frame(TEXT, Buffer.from(payload)) : frame(BINARY, payload),
        ),
      together(work) {
        connection.cork()
        work()
        connection.uncork()
      },
      close() {
        connection.write(frame(CLOSE, Buffer.of(0x03, 0xe8)))
        return ended
      },
    }

    function upgraded(): boolean {
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return false
      const head = received.toString('latin1', 0, headEnd)
      if (!head.startsWith('HTTP/1.1 101')) throw new Error(`no upgrade on port ${port}: ${head}`)
      received = received.subarray(headEnd + 4)
      clearTimeout(timeout)
      isOpen = true
      resolve(socket)
      return true
    }

    function deliver(opcode: number, payload: Buffer) {
      if (opcode === TEXT || opcode === BINARY) onMessage(payload, socket)
      else if (opcode === PING) connection.write(frame(PONG, payload))
      else if (opcode === CLOSE) {
        if (payload.length >= 2) code = payload.readUInt16BE()
        connection.end()
      }
    }

    connection.write(upgradeRequest(path))
    connection.on('error', reject)
    connection.on('close', () => {
      reject(new Error(`port ${port} closed the connection`))
      if (isOpen) onClose(code)
    })
    connection.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (!isOpen && !upgraded()) return
      received = received.subarray(readFrames(received, deliver))
    })
  })
}

const upgradeRequest = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Version: 13',
    '\r\n',
  ].join('\r\n')

/** Delivers all complete frames; returns how many bytes they took. */
function readFrames(bytes: Buffer, deliver: (opcode: number, payload: Buffer) => void): number {
  let at = 0
  while (bytes.length - at >= 2) {
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const headerBytes = short < 126 ? 2 : short === 126 ? 4 : 10
    if (bytes.length - at < headerBytes) break
    const from = at + headerBytes
    const to =
      from + (short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6))
    if (bytes.length < to) break
    deliver((bytes[at] ?? 0) & 0x0f, bytes.subarray(from, to))
    at = to
  }
  return at
}

/** Uses an all-zero mask, which is valid and needs no computation. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const maskAt = length < 126 ? 2 : 4
  const bytes = Buffer.alloc(maskAt + 4 + length)
  bytes[0] = FINAL | opcode
  bytes[1] = MASKED | Math.min(length, 126)
  if (maskAt === 4) bytes.writeUInt16BE(length, 2)
  payload.copy(bytes, maskAt + 4)
  return bytes
}
