import type { Duplex } from 'node:stream'

import { runEach } from '../../../platform/run-each.ts'
import { Backlog } from './buffers.ts'
import { DirectSocket } from './direct-socket.ts'

/** Up to this size copying frames into one buffer costs less than a vectored write; from 16 KiB on it costs twice as much. */
const JOINED_BYTES_MAX = 4_096

/** What a stream passes to `_write` with a buffer. The types do not know it. */
const NO_ENCODING = 'buffer' as BufferEncoding

/** Buffers that are flushed at the end of this tick. */
let waiting: SendBuffer[] = []

function flushWaiting(): void {
  const buffers = waiting
  waiting = []
  runEach(buffers, (buffer) => buffer.flush())
}

/**
 * The bytes to send on one socket. All frames of one tick are sent in one write at its end, and the next write begins when that one is
 * done. Frames that wait for it are copied into separate memory, so that `queuedBytes` is the memory that a slow peer uses: an uncopied
 * frame may keep 64 KiB of Node's shared pool in memory.
 *
 * Because it queues and joins by itself, it calls `_write` of the socket: the queue of Node's stream would cost another 2 µs a write.
 */
export class SendBuffer {
  readonly #socket: Duplex
  #frames: Buffer[] | undefined
  #framesBytes = 0
  #response: Buffer | undefined
  #pong: Buffer | undefined
  /** Of the write that is not done yet. */
  #writingBytes = 0
  /** What waits for that write. */
  #backlog: Backlog | undefined
  #isWaiting = false
  #isLast = false
  #hasPeerClosed = false

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  get queuedBytes(): number {
    return this.#framesBytes + (this.#backlog?.length ?? 0) + this.#writingBytes
  }

  get isBackpressured(): boolean {
    return this.#writingBytes > 0
  }

  send(frame: Buffer): void {
    if (this.#writingBytes > 0) {
      this.#backlog ??= new Backlog()
      return this.#backlog.append(frame)
    }
    if (this.#frames) this.#frames.push(frame)
    else this.#frames = [frame]
    this.#framesBytes += frame.length
    this.#wait()
  }

  /** The response to the upgrade: it goes before every frame. */
  sendResponse(response: Buffer): void {
    this.#response = response
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
    const { frames, bytes } = this.#take()
    if (bytes > 0) this.#write(frames, bytes)
    else if (this.#isLast) this.#close()
  }

  /** Without a half-close there is no wait for the peer's half, which takes two system calls and four events. */
  #close(): void {
    const socket = this.#socket
    if (this.#hasPeerClosed && socket instanceof DirectSocket) socket.destroy()
    else socket.end()
  }

  #wait(): void {
    if (this.#isWaiting || this.#writingBytes > 0) return
    this.#isWaiting = true
    if (waiting.push(this) === 1) setImmediate(flushWaiting)
  }

  #write(frames: readonly Buffer[], bytes: number): void {
    const socket = this.#socket
    this.#writingBytes = bytes
    const [first] = frames
    if (first && frames.length === 1) socket._write(first, NO_ENCODING, this.#written)
    else if (bytes <= JOINED_BYTES_MAX || !socket._writev)
      socket._write(Buffer.concat(frames, bytes), NO_ENCODING, this.#written)
    else
      socket._writev(
        frames.map((chunk) => ({ chunk, encoding: NO_ENCODING })),
        this.#written,
      )
  }

  /** Called before `_write` returns, unless the peer reads more slowly than we send. */
  readonly #written = (error?: Error | null): void => {
    this.#writingBytes = 0
    if (error) return void this.#socket.destroy()
    const pieces = this.#backlog?.pieces()
    this.#backlog = undefined
    for (const piece of pieces ?? []) this.send(piece)
    if (this.#pong || this.#isLast) this.#wait()
  }

  /** The pong goes before other frames: nothing may follow a close frame. */
  #take(): { frames: Buffer[]; bytes: number } {
    const frames = this.#frames ?? []
    if (this.#pong) frames.unshift(this.#pong)
    if (this.#response) frames.unshift(this.#response)
    const bytes = this.#framesBytes + (this.#pong?.length ?? 0) + (this.#response?.length ?? 0)
    this.#frames = undefined
    this.#framesBytes = 0
    this.#response = undefined
    this.#pong = undefined
    return { frames, bytes }
  }
}
