import { connect, type Socket } from 'node:net'

import type { ServerFrame } from '../../src/testing/frame-check.ts'
import { clientFrame, clientText, handshake, serverFrames } from '../../src/testing/raw-websocket.ts'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10
const TIMEOUT_MS = 60_000

/** A client of which thousands fit into one process: it answers pings and stores no received frame. */
export class ClientSocket {
  /** Called for every frame that is not a reply. */
  onEvent: (event: ServerFrame) => void = () => {}
  readonly closed: Promise<{ code: number | null; reason: string }>
  readonly #socket: Socket
  readonly #asked = new Map<number, (reply: ServerFrame) => void>()
  #close: { code: number | null; reason: string } = { code: null, reason: '' }
  #unread: Buffer = Buffer.of()
  #hasUpgraded = false
  #count = 0

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).on('error', () => {})
    this.closed = new Promise((resolve) => socket.once('close', () => resolve(this.#close)))
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  /** Connects and authenticates; returns the client with its welcome frame. */
  static async open(port: number, auth: object): Promise<ClientSocket & { welcome: ServerFrame }> {
    const client = new ClientSocket(connect(port, '127.0.0.1'))
    const { promise, resolve, reject } = Promise.withResolvers<ServerFrame>()
    client.onEvent = resolve
    client.closed
      .then(({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)))
      .catch(() => {})
    client.#socket.write(
      Buffer.concat([Buffer.from(handshake()), clientText(JSON.stringify({ t: 'auth', ...auth }))]),
    )
    const welcome = await withTimeout(promise, 'a welcome')
    client.onEvent = () => {}
    return Object.assign(client, { welcome })
  }

  send(frame: object) {
    if (this.#socket.writable) this.#socket.write(clientText(JSON.stringify(frame)))
  }

  /** Returns the data of the reply. */
  async ask(frame: object): Promise<unknown> {
    const rid = ++this.#count
    const { promise, resolve } = Promise.withResolvers<ServerFrame>()
    this.#asked.set(rid, resolve)
    this.send({ ...frame, rid })
    const reply = await withTimeout(promise, `an answer to ${JSON.stringify(frame)}`)
    if (!reply['ok']) throw new Error(JSON.stringify({ frame, reply }))
    return reply['data']
  }

  /** Stops reading, like a program that hangs. */
  hang = () => void this.#socket.pause()
  wake = () => void this.#socket.resume()
  destroy = () => void this.#socket.destroy()

  #read(chunk: Buffer) {
    const bytes = this.#unread.length > 0 ? Buffer.concat([this.#unread, chunk]) : chunk
    const from = this.#hasUpgraded ? 0 : bytes.indexOf('\r\n\r\n') + 4
    if (from === 3) return void (this.#unread = bytes)
    this.#hasUpgraded = true
    const { frames, rest } = serverFrames(bytes.subarray(from))
    // Copied, because a slice would keep the much larger chunk in memory.
    this.#unread = rest.length > 0 ? Buffer.from(rest) : Buffer.of()
    for (const { opcode, payload } of frames) this.#take(opcode, payload)
  }

  #take(opcode: number, payload: Buffer) {
    if (opcode === PING) this.#socket.write(clientFrame({ opcode: PONG, payload }))
    if (opcode === CLOSE) {
      const code = payload.length > 1 ? payload.readUInt16BE() : null
      this.#close = { code, reason: payload.toString('utf8', 2) }
      this.#socket.end(clientFrame({ opcode: CLOSE, payload }))
    }
    if (opcode === TEXT) this.#told(JSON.parse(payload.toString()) as ServerFrame)
  }

  #told(received: ServerFrame) {
    const answer = received.t === 'reply' ? this.#asked.get(Number(received['rid'])) : undefined
    if (!answer) return this.onEvent(received)
    this.#asked.delete(Number(received['rid']))
    answer(received)
  }
}

function withTimeout<T>(work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} did not come`)), TIMEOUT_MS)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
