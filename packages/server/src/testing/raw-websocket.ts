import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, mock, type TestContext } from 'node:test'

import { Connection } from '../edge/realtime/connection.ts'
import type { SocketHandlers, WebSocketConnection } from '../edge/realtime/websocket/connection.ts'
import { directSocketOf } from '../edge/realtime/websocket/direct-socket.ts'
import { acceptWebSocket } from '../edge/realtime/websocket/upgrade.ts'

/** A client that sends exactly the bytes of a test, valid or not. */

export const HANDSHAKE_KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

export const handshake = (path = '/v1/realtime'): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${HANDSHAKE_KEY}`,
    'Sec-WebSocket-Version: 13',
    '\r\n',
  ].join('\r\n')

export type ClientFrame = {
  opcode: number
  payload?: Uint8Array | string
  isFinal?: boolean
  reserved?: number
  mask?: Uint8Array | null
  /** The number of bytes for the length, if not the minimum. */
  lengthBytes?: 0 | 2 | 8
}

export function clientFrame(frame: ClientFrame): Buffer {
  const { opcode, isFinal = true, reserved = 0, mask = Buffer.of(0x12, 0xf4, 0x56, 0xc8) } = frame
  const payload = Buffer.from(frame.payload ?? '')
  const lengthBytes = frame.lengthBytes ?? (payload.length < 126 ? 0 : payload.length <= 0xffff ? 2 : 8)
  const length = Buffer.alloc(1 + lengthBytes)
  if (lengthBytes === 2) length.writeUInt16BE(payload.length, 1)
  if (lengthBytes === 8) length.writeBigUInt64BE(BigInt(payload.length), 1)
  length[0] = (lengthBytes === 0 ? payload.length : lengthBytes === 2 ? 126 : 127) | (mask ? 0x80 : 0)
  const masked = mask ? payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)) : payload
  return Buffer.concat([
    Buffer.of((isFinal ? 0x80 : 0) | reserved | opcode),
    length,
    mask ?? Buffer.of(),
    masked,
  ])
}

export const clientText = (text: string): Buffer => clientFrame({ opcode: 1, payload: text })

export function clientClose(code?: number, reason = ''): Buffer {
  if (code === undefined) return clientFrame({ opcode: 8 })
  return clientFrame({
    opcode: 8,
    payload: Buffer.concat([Buffer.of(code >> 8, code & 255), Buffer.from(reason)]),
  })
}

export type ServerFrame = { opcode: number; payload: Buffer }

/** The complete frames that a server sent, and the remaining bytes. */
export function serverFrames(bytes: Buffer): { frames: ServerFrame[]; rest: Buffer } {
  const frames: ServerFrame[] = []
  let at = 0
  while (bytes.length - at >= 2) {
    const length = bytes[at + 1] ?? 0
    const from = at + (length < 126 ? 2 : length === 126 ? 4 : 10)
    if (bytes.length < from) break
    const payloadBytes =
      length < 126
        ? length
        : length === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2))
    if (bytes.length < from + payloadBytes) break
    frames.push({ opcode: (bytes[at] ?? 0) & 15, payload: bytes.subarray(from, from + payloadBytes) })
    at = from + payloadBytes
  }
  return { frames, rest: bytes.subarray(at) }
}

export const textsOf = (frames: ServerFrame[]): string[] => frames.map(({ payload }) => payload.toString())

/** Code and reason of each close frame; null for no code. */
export const closesOf = (frames: ServerFrame[]): [code: number | null, reason: string][] =>
  frames
    .filter(({ opcode }) => opcode === 8)
    .map(({ payload }) => [payload.length > 0 ? payload.readUInt16BE() : null, payload.toString('utf8', 2)])

export type RawClient = Awaited<ReturnType<typeof openRaw>>

/** Connects, sends the handshake and `afterwards` in the same packet, and reads the response. */
export async function openRaw(port: number, afterwards: Buffer = Buffer.of()) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).setNoDelay(true)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  socket.write(Buffer.concat([Buffer.from(handshake()), afterwards]))

  let unread: Buffer = Buffer.of()
  while (!unread.includes('\r\n\r\n')) unread = Buffer.concat([unread, ...(await once(socket, 'data'))])
  const [head = ''] = unread.toString('latin1').split('\r\n\r\n')
  const frames: ServerFrame[] = []
  const take = (chunk: Buffer) => {
    const read = serverFrames(Buffer.concat([unread, chunk]))
    frames.push(...read.frames)
    unread = read.rest
  }
  unread = unread.subarray(head.length + 4)
  take(Buffer.of())
  socket.on('data', take)

  return {
    socket,
    /** The status line and headers of the response. */
    head,
    /** Received frames that `next` has not returned yet. */
    frames,
    /** Resolves when the connection has closed. */
    ended,
    send: (...bytes: Buffer[]) => socket.write(Buffer.concat(bytes)),
    async next(count: number): Promise<ServerFrame[]> {
      while (frames.length < count) {
        if (socket.closed) throw new Error(`the connection ended after ${frames.length} of ${count} frames`)
        await Promise.race([once(socket, 'data'), ended])
      }
      return frames.splice(0, count)
    },
  }
}

/** Records the events of a connection. */
export function createTold() {
  const received = {
    messages: [] as string[],
    binaries: 0,
    pongs: 0,
    controls: 0,
    closed: [] as [number, string][],
  }
  const waiting = new Set<() => void>()
  const note = () => waiting.forEach((look) => look())
  const on: SocketHandlers = {
    message(payload) {
      received.messages.push(payload.toString())
      note()
    },
    binary() {
      received.binaries++
      note()
    },
    pong() {
      received.pongs++
      note()
    },
    control() {
      received.controls++
      note()
    },
    closed(code, reason) {
      received.closed.push([code, reason])
      note()
    },
  }
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return Object.assign(received, { on, until, untilClosed: () => until(() => received.closed.length > 0) })
}

type Arrival = { link: WebSocketConnection; received: ReturnType<typeof createTold>; socket: Socket }

/** A server that accepts every WebSocket. */
export async function startLinks(options = { payloadBytesMax: 65_536 }) {
  const server = createServer()
  const arrivals: ((arrival: Arrival) => void)[] = []
  server.on('upgrade', (request, upgraded, head) => {
    const socket = directSocketOf(upgraded)
    const link = acceptWebSocket(request, socket, head, { ...options, requestIds: () => 'req_test' })
    if (!link) return
    const received = createTold()
    link.on = received.on
    arrivals.shift()?.({ link, received, socket: socket as Socket })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    port,
    /** One after the other, so that the connection belongs to this client. */
    async open(afterwards?: Buffer) {
      const arrival = new Promise<Arrival>((resolve) => arrivals.push(resolve))
      const client = await openRaw(port, afterwards)
      return { client, ...(await arrival) }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** A connection of the service on the socket, before its client has authenticated. */
export const connectionOn = (link: WebSocketConnection): Connection =>
  new Connection(link, {
    ref: 'a/1',
    origin: undefined,
    clientAddress: '127.0.0.1',
    nowMs: 0,
    isLimited: true,
    sent: { frames: 0 },
    input: {
      framesReceived: 0,
      elapsedMs: () => 0,
      frame: () => undefined,
      binary: () => undefined,
      closed: () => undefined,
    },
  })

/** For a whole test file, in which no peer is disconnected by time unless a test moves the timers. */
export function linksOfFile(payloadBytesMax: number) {
  mock.timers.enable({ apis: ['setInterval'] })
  let links: Awaited<ReturnType<typeof startLinks>>
  before(async () => void (links = await startLinks({ payloadBytesMax })))
  after(() => links.stop())

  return async (t: TestContext) => {
    const opened = await links.open()
    t.after(() => opened.client.socket.destroy())
    return opened
  }
}
