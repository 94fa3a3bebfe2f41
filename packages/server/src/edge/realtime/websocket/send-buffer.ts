import type { Duplex } from 'node:stream'

import { Backlog } from './buffers.ts'
import { DirectSocket } from './direct-socket.ts'

/** Up to this size copying frames into one buffer costs less than a vectored write; from 16 KiB on it costs twice as much. */
const JOINED_BYTES_MAX = 4_096

/** Buffers that are flushed at the end of this tick. */
let waiting: SendBuffer[] = []

function flushWaiting(): void {
  const buffers = waiting
  waiting = []
  for (const buffer of buffers) buffer.flush()
}

/**
 * The bytes to send on one socket. All frames of one tick are sent in one write at its end. While the peer reads more slowly than
 * we send, frames are copied into separate memory, so that `queuedBytes` is the memory that the peer uses: an uncopied frame may
 * keep 64 KiB of Node's shared pool in memory.
 */
export class SendBuffer {
  readonly #socket: Duplex
  #frames: Buffer[] | undefined
  #framesBytes = 0
  #pong: Buffer | undefined
  #backlog: Backlog | undefined
  #isWaiting = false
  #isLast = false
  #hasPeerClosed = false

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  get queuedBytes(): number {
    return this.#framesBytes + (this.#backlog?.length ?? 0) + this.#socket.writableLength
  }

  get isBackpressured(): boolean {
    return this.#backlog !== undefined
  }

  send(frame: Buffer): void {
    if (this.#backlog) return this.#backlog.append(frame)
    if (this.#frames) this.#frames.push(frame)
    else this.#frames = [frame]
    this.#framesBytes += frame.length
    this.#wait()
  }

  /** Only the newest pong is kept (RFC 6455, 5.5.3): a flood of pings queues nothing. */
  sendPong(frame: Buffer): void {
    this.#pong = frame
    this.#wait()
  }

  /** Closes the connection after the queued frames: only our half, unless the peer has closed, too. */
  end(hasPeerClosed = false): void {
    this.#isLast = true
    this.#hasPeerClosed ||= hasPeerClosed
    this.#wait()
  }

  flush(): void {
    this.#isWaiting = false
    if (!this.#socket.writable) return
    const keepsUp = this.#write()
    if (this.#isLast) return this.#close()
    if (keepsUp) return
    this.#backlog = new Backlog()
    this.#socket.once('drain', () => this.#catchUp())
  }

  /** Without a half-close there is no wait for the peer's half, which takes two system calls and four events. */
  #close(): void {
    const socket = this.#socket
    const isSent = socket instanceof DirectSocket && socket.writableLength === 0
    if (this.#hasPeerClosed && isSent) socket.destroy()
    else socket.end()
  }

  #wait(): void {
    if (this.#isWaiting || this.#backlog) return
    this.#isWaiting = true
    if (waiting.push(this) === 1) setImmediate(flushWaiting)
  }

  #catchUp(): void {
    const pieces = this.#backlog?.pieces() ?? []
    this.#backlog = undefined
    for (const piece of pieces) this.send(piece)
    // A pong or the end may be queued, too.
    this.#wait()
  }

  /** Returns false if the peer reads more slowly than we send. */
  #write(): boolean {
    const socket = this.#socket
    const isBackpressured = socket.writableLength > 0
    const { frames, bytes } = this.#take()
    const [first] = frames
    if (!first) return true
    if (isBackpressured) return socket.write(joined(frames, Buffer.allocUnsafeSlow(bytes)))
    if (frames.length === 1) return socket.write(first)
    if (bytes <= JOINED_BYTES_MAX) return socket.write(joined(frames, Buffer.allocUnsafe(bytes)))
    socket.cork()
    for (const frame of frames) socket.write(frame)
    socket.uncork()
    return !socket.writableNeedDrain
  }

  /** The pong goes first: nothing may follow a close frame. */
  #take(): { frames: Buffer[]; bytes: number } {
    const frames = this.#frames ?? []
    if (this.#pong) frames.unshift(this.#pong)
    const bytes = this.#framesBytes + (this.#pong?.length ?? 0)
    this.#frames = undefined
    this.#framesBytes = 0
    this.#pong = undefined
    return { frames, bytes }
  }
}

function joined(frames: readonly Buffer[], into: Buffer): Buffer {
  let at = 0
  for (const frame of frames) {
    into.set(frame, at)
    at += frame.length
  }
  return into
}
