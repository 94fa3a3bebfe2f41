import type { Duplex } from 'node:stream'

import { expectFarewell } from './farewells.ts'
import { closeFrame, pingFrame, pongFrame } from './frame.ts'
import { Outbox } from './outbox.ts'
import { TOO_BIG, VANISHED } from './protocol.ts'
import { type FrameEvents, FrameReader } from './reader.ts'

export type LinkHandlers = {
  message(payload: Buffer): void
  binary(): void
  pong(): void
  /**
   * Once and last. Whoever closed first named the code and the reason: we, or the peer (1005 if it named none); 1006 for a peer that
   * vanished and after `destroy()`.
   */
  closed(code: number, reason: string): void
}

const NOBODY: LinkHandlers = { message() {}, binary() {}, pong() {}, closed() {} }

/** Our end of one WebSocket. */
export class WebSocketLink {
  static readonly #incoming: FrameEvents<WebSocketLink> = {
    text: (link, payload) => link.#ending ?? link.on.message(payload),
    binary: (link) => link.#ending ?? link.on.binary(),
    ping: (link, payload) => link.#ending ?? link.#outbox.sendPong(pongFrame(payload)),
    pong: (link) => link.#ending ?? link.on.pong(),
    close: (link, code, reason) => link.#end(code, reason),
    fail: (link, code) => link.#end(code, code === TOO_BIG ? 'payload_too_large' : 'invalid_frame'),
  }

  /** To be set in the turn of the upgrade; nothing comes before the next. */
  on: LinkHandlers = NOBODY
  readonly #socket: Duplex
  readonly #reader: FrameReader<WebSocketLink>
  readonly #outbox: Outbox
  /** Set by whatever ends the link, and then nothing is delivered or sent any more. */
  #ending: { code: number; reason: string } | undefined

  constructor(socket: Duplex, payloadBytesMax: number) {
    this.#socket = socket
    this.#outbox = new Outbox(socket)
    this.#reader = new FrameReader(WebSocketLink.#incoming, this, payloadBytesMax)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => this.#peerEnded())
    socket.on('close', () => this.#closed())
  }

  /** Until either side says or shows that it is over. */
  get isOpen(): boolean {
    return this.#ending === undefined
  }

  /** Bytes that the peer has not taken yet. */
  get queuedBytes(): number {
    return this.#outbox.queuedBytes
  }

  /** Whether the peer has not taken all that was sent to it in an earlier turn. */
  get isBehind(): boolean {
    return this.#outbox.isBehind
  }

  /** The frame leaves with all others of this turn of the loop, in one write. */
  send(frame: Buffer): void {
    if (!this.#ending) this.#outbox.send(frame)
  }

  ping(): void {
    this.send(pingFrame)
  }

  /** Sends what is queued and a close frame, and gives the peer 2 s at most to answer it. */
  close(code: number, reason: string): void {
    if (this.#ending) return
    this.#leave(code, reason)
    this.resume()
  }

  destroy(): void {
    this.#ending ??= { code: VANISHED, reason: '' }
    this.#socket.destroy()
  }

  /** From here on nothing is delivered until `resume()`, not even what has arrived. */
  pause(): void {
    this.#reader.isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#reader.isPaused = false
    this.#socket.resume()
  }

  #read(chunk: Buffer): void {
    const readBytes = this.#reader.read(chunk)
    if (readBytes < chunk.length) this.#socket.unshift(chunk.subarray(readBytes))
  }

  #leave(code: number, reason: string): void {
    this.#ending = { code, reason }
    this.#outbox.send(closeFrame(code, reason))
    expectFarewell(this)
  }

  /** Our side ends, but goes on reading: a connection cut with bytes unread may lose the close frame on its way. */
  #end(code: number, reason: string): void {
    if (!this.#ending) this.#leave(code, reason)
    this.#outbox.end()
  }

  #peerEnded(): void {
    if (this.#ending) this.#outbox.end()
    else this.destroy()
  }

  #closed(): void {
    this.#ending ??= { code: VANISHED, reason: '' }
    this.on.closed(this.#ending.code, this.#ending.reason)
  }
}
