import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { LIMITS } from '@svc/contract/common/limits'

import { runEach } from '../../../platform/run-each.ts'
import { destroyIfNotClosed, hasClosed } from './close-timeout.ts'
import { onBytesOf } from './direct-socket.ts'
import {
  ABNORMAL_CLOSURE,
  closeFrame,
  MESSAGE_TOO_BIG,
  pingFrame,
  POLICY_VIOLATION,
  pongFrame,
} from './frame.ts'
import { type FrameEvents, FrameReader } from './reader.ts'
import { SendBuffer } from './send-buffer.ts'

export type SocketHandlers = {
  /** The payload is valid only during the call. */
  message(payload: Buffer): void
  binary(): void
  pong(): void
  /** A ping, a pong or a short fragment: input that costs work and carries no data. Called before it is handled. */
  control(): void
  /**
   * Called once, as the last event. Code and reason are those of the side that closed first: ours, or the peer's (1005 if it sent
   * none). 1006 if the peer disconnected without a close frame, and after `destroy()`.
   */
  closed(code: number, reason: string): void
}

const NOBODY: SocketHandlers = { message() {}, binary() {}, pong() {}, control() {}, closed() {} }

export type SocketLimits = {
  payloadBytesMax: number
  /** How many bytes a peer may send up to the end of its first message, including control frames. */
  firstMessageBytesMax?: number
}

/** How much is read after our close frame while we wait for the peer's. */
const UNREAD_BYTES_MAX = 64 * 1024

/** Connections whose bytes were read in this tick. */
let arrived: WebSocketConnection[] = []

/**
 * Bytes that were read in one tick are handled together, at its end: one by one, each found the caches of the processor filled by the
 * system calls of the one before.
 */
function handleArrived(): void {
  const links = arrived
  arrived = []
  runEach(links, (link) => link.handleArrived())
}

/** The server side of one WebSocket. */
export class WebSocketConnection {
  static readonly #incoming: FrameEvents<WebSocketConnection> = {
    text: (link, payload) => link.#ending ?? link.#message(payload),
    binary: (link) => link.#ending ?? link.on.binary(),
    ping: (link, payload) => link.#pinged(payload),
    pong: (link) => link.#ponged(),
    fragment: (link, bytes) => link.#ending ?? (bytes < LIMITS.shortFragmentBytes && link.on.control()),
    close: (link, code, reason) => link.#end(code, reason, true),
    fail: (link, code) => link.#end(code, code === MESSAGE_TOO_BIG ? 'payload_too_large' : 'invalid_frame'),
  }

  /** Set it in the same tick as the upgrade; nothing is delivered before the next tick. */
  on: SocketHandlers = NOBODY
  readonly #socket: Duplex
  readonly #reader: FrameReader<WebSocketConnection>
  readonly #sendBuffer: SendBuffer
  /** Set when the connection ends; nothing is delivered or sent afterwards. */
  #ending: { code: number; reason: string } | undefined
  /** How many bytes the peer may still send. */
  #bytesLeft: number
  /** What was read in this tick. */
  #arrived: Buffer | undefined
  /** What was read before the reader was paused. Nothing is read from the socket while it waits. */
  #rest: Buffer | undefined

  /** `head` are bytes that came with the upgrade. Its `response` is sent like a frame, at the end of the tick. */
  constructor(
    socket: Duplex,
    { payloadBytesMax, firstMessageBytesMax = Infinity }: SocketLimits,
    head?: Buffer,
    response?: Buffer,
  ) {
    this.#bytesLeft = firstMessageBytesMax
    this.#socket = socket
    this.#sendBuffer = new SendBuffer(socket)
    this.#reader = new FrameReader(WebSocketConnection.#incoming, this, payloadBytesMax)
    onBytesOf(socket, (chunk) => this.#arrive(chunk))
    socket.on('end', () => this.#peerEnded())
    socket.on('close', () => this.#closed())
    if (response) this.#sendBuffer.sendResponse(response)
    if (!head?.length) return
    this.pause()
    this.#rest = Buffer.from(head)
    this.resume()
  }

  /** True until either side has closed or failed. */
  get isOpen(): boolean {
    return this.#ending === undefined
  }

  /** Our side of the connection; undefined after it has closed. */
  get localAddress(): string | undefined {
    return (this.#socket as Socket).localAddress
  }

  /** Bytes that the peer has not read yet. */
  get queuedBytes(): number {
    return this.#sendBuffer.queuedBytes
  }

  /** Whether the peer has not read everything that was sent in earlier ticks. */
  get isBackpressured(): boolean {
    return this.#sendBuffer.isBackpressured
  }

  /** All frames of one tick are sent in one write. */
  send(frame: Buffer): void {
    if (!this.#ending) this.#sendBuffer.send(frame)
  }

  ping(): void {
    this.send(pingFrame)
  }

  /** Sends queued frames and a close frame, then waits at most 2 s for the peer's close frame. */
  close(code: number, reason: string): void {
    if (this.#ending) return
    this.#leave(code, reason)
    this.resume()
  }

  /** For a peer that abuses the connection: like `close()`, but ignores what the peer still sends. */
  refuse(code: number, reason: string): void {
    if (this.#ending) return
    this.#reader.stop()
    this.#end(code, reason)
    this.resume()
  }

  destroy(): void {
    this.#ending ??= { code: ABNORMAL_CLOSURE, reason: '' }
    this.#socket.destroy()
  }

  /** Nothing is delivered until `resume()`, including what has already arrived. */
  pause(): void {
    this.#reader.isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#reader.isPaused) return
    this.#reader.isPaused = false
    if (this.#rest) process.nextTick(() => this.#readRest())
    else this.#socket.resume()
  }

  #readRest(): void {
    const rest = this.#rest
    if (!rest || this.#reader.isPaused) return
    this.#rest = undefined
    this.#read(rest)
    if (!this.#reader.isPaused) this.#socket.resume()
  }

  #arrive(chunk: Buffer): void {
    if (this.#arrived) {
      this.#arrived = Buffer.concat([this.#arrived, chunk])
      return
    }
    this.#arrived = Buffer.from(chunk)
    if (arrived.push(this) === 1) setImmediate(handleArrived)
  }

  handleArrived(): void {
    const bytes = this.#arrived
    if (!bytes) return
    this.#arrived = undefined
    if (!this.#reader.isPaused) this.#read(bytes)
    else this.#rest = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes
  }

  /** After an error nothing of this connection can be read: what the reader has consumed is not known. */
  #read(chunk: Buffer): void {
    try {
      this.#readFrames(chunk)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  #readFrames(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && this.#bytesLeft > 0 && !this.#reader.isPaused) {
      const isAllowed = at === 0 && chunk.length <= this.#bytesLeft
      const readBytes = this.#reader.read(isAllowed ? chunk : chunk.subarray(at, at + this.#bytesLeft))
      this.#bytesLeft -= readBytes
      at += readBytes
    }
    if (at === chunk.length) return
    if (this.#reader.isPaused) return void (this.#rest = Buffer.from(chunk.subarray(at)))
    this.#reader.stop()
    this.#end(POLICY_VIOLATION, 'payload_too_large')
  }

  #message(payload: Buffer): void {
    this.#bytesLeft = Infinity
    this.on.message(payload)
  }

  #pinged(payload: Buffer): void {
    if (!this.#ending) this.on.control()
    if (!this.#ending) this.#sendBuffer.sendPong(pongFrame(payload))
  }

  #ponged(): void {
    if (!this.#ending) this.on.control()
    if (!this.#ending) this.on.pong()
  }

  #leave(code: number, reason: string): void {
    this.#ending = { code, reason }
    this.#bytesLeft = UNREAD_BYTES_MAX
    this.#sendBuffer.send(closeFrame(code, reason))
    destroyIfNotClosed(this)
  }

  /**
   * Half-close and keep reading: closing with unread bytes would reset the connection and could lose the close frame. A peer that has
   * closed sends nothing more.
   */
  #end(code: number, reason: string, hasPeerClosed = false): void {
    if (!this.#ending) this.#leave(code, reason)
    this.#sendBuffer.end(hasPeerClosed)
  }

  #peerEnded(): void {
    this.handleArrived()
    if (this.#ending) this.#sendBuffer.end()
    else this.destroy()
  }

  #closed(): void {
    hasClosed(this)
    this.handleArrived()
    this.#ending ??= { code: ABNORMAL_CLOSURE, reason: '' }
    this.on.closed(this.#ending.code, this.#ending.reason)
  }
}
