import { isUtf8 } from 'node:buffer'

import { GrowingBuffer } from './buffers.ts'
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  FINAL,
  headerBytesOf,
  INVALID_PAYLOAD,
  isValidCloseCode,
  MESSAGE_TOO_BIG,
  NO_STATUS_RECEIVED,
  OPCODE,
  payloadBytesOf,
  PING,
  PONG,
  problemOf,
  PROTOCOL_ERROR,
  TEXT,
  unmask,
} from './frame.ts'

/**
 * Handlers for what a peer sends, shared by all connections. Either `close` or `fail` is called last.
 */
export type FrameEvents<Receiver> = {
  text(receiver: Receiver, payload: Buffer): void
  binary(receiver: Receiver): void
  ping(receiver: Receiver, payload: Buffer): void
  pong(receiver: Receiver): void
  /** A fragment that is not the last of its message. */
  fragment(receiver: Receiver, payloadBytes: number): void
  close(receiver: Receiver, code: number, reason: string): void
  /** The peer violated the protocol. `code` is the close code, `reason` says which rule. */
  fail(receiver: Receiver, code: FailCode, reason: string): void
}

type FailCode = typeof PROTOCOL_ERROR | typeof INVALID_PAYLOAD | typeof MESSAGE_TOO_BIG

/**
 * Reads the frames of a client from chunks of any size. A frame that is complete in one chunk is unmasked in place and not copied.
 * Nothing is buffered between messages; within a message, its bytes and one header or one control frame are.
 */
export class FrameReader<Receiver> {
  isPaused = false
  readonly #events: FrameEvents<Receiver>
  readonly #receiver: Receiver
  readonly #payloadBytesMax: number
  /** The beginning of a frame whose rest has not arrived. */
  #unread: GrowingBuffer | undefined
  /** The opcode of the message whose fragments are arriving; CONTINUATION if there is none. */
  #opcode = CONTINUATION
  #message: GrowingBuffer | undefined
  #messageBytes = 0
  #over = false

  constructor(events: FrameEvents<Receiver>, receiver: Receiver, payloadBytesMax: number) {
    this.#events = events
    this.#receiver = receiver
    this.#payloadBytesMax = payloadBytesMax
  }

  /** Buffered bytes of incomplete messages. */
  get keptBytes(): number {
    return (this.#unread?.length ?? 0) + (this.#message?.length ?? 0)
  }

  /**
   * Returns how many bytes were read: all of them, unless a handler paused the reader. It may change the bytes that it has read.
   */
  read(chunk: Buffer): number {
    let at = 0
    while (at < chunk.length && !this.isPaused) {
      if (this.#over) return chunk.length
      at = this.#unread ? this.#readOn(this.#unread, chunk, at) : this.#readFrame(chunk, at)
    }
    return at
  }

  /** Ignores all further input. */
  stop(): void {
    this.#over = true
    this.#unread = undefined
    this.#message = undefined
  }

  #readFrame(chunk: Buffer, at: number): number {
    const frameBytes = this.#frameBytes(chunk, at)
    if (at + frameBytes <= chunk.length) {
      this.#take(chunk, at, frameBytes)
      return at + frameBytes
    }
    this.#unread = new GrowingBuffer()
    this.#unread.append(chunk.subarray(at))
    return chunk.length
  }

  /** Takes from the chunk only the missing bytes of the incomplete frame; its length becomes known while its header arrives. */
  #readOn(unread: GrowingBuffer, chunk: Buffer, from: number): number {
    let at = from
    let frameBytes = this.#frameBytes(unread.bytes, 0)
    while (unread.length < frameBytes && at < chunk.length) {
      const piece = chunk.subarray(at, at + frameBytes - unread.length)
      unread.append(piece)
      at += piece.length
      frameBytes = this.#frameBytes(unread.bytes, 0)
    }
    if (unread.length < frameBytes) return at
    this.#unread = undefined
    this.#take(unread.bytes, 0, frameBytes)
    return at
  }

  /**
   * The length of the frame that begins here, as far as it is known from the part of the header that has arrived; 0 if the frame is
   * invalid.
   */
  #frameBytes(bytes: Buffer, at: number): number {
    const arrivedBytes = bytes.length - at
    if (arrivedBytes < 2) return 2
    const first = bytes[at] ?? 0
    const second = bytes[at + 1] ?? 0
    const problem = problemOf(first, second, this.#opcode !== CONTINUATION)
    if (problem) return this.#fail(PROTOCOL_ERROR, problem)

    const headerBytes = headerBytesOf(second)
    if (arrivedBytes < headerBytes) return headerBytes
    const payloadBytes = payloadBytesOf(bytes, at)
    if (payloadBytes === undefined)
      return this.#fail(PROTOCOL_ERROR, 'the length is not in its shortest form')
    const isControl = (first & OPCODE) >= CLOSE
    if (!isControl && this.#messageBytes + payloadBytes > this.#payloadBytesMax)
      return this.#fail(MESSAGE_TOO_BIG, 'the message is too big')
    return headerBytes + payloadBytes
  }

  #take(bytes: Buffer, at: number, frameBytes: number): void {
    if (this.#over) return
    const first = bytes[at] ?? 0
    const opcode = first & OPCODE
    const isFinal = (first & FINAL) !== 0
    const from = at + headerBytesOf(bytes[at + 1] ?? 0)
    const to = at + frameBytes
    unmask(bytes, from, to)
    const payload = bytes.subarray(from, to)
    if (opcode === PING) this.#events.ping(this.#receiver, payload)
    else if (opcode === PONG) this.#events.pong(this.#receiver)
    else if (opcode === CLOSE) this.#close(payload)
    else if (isFinal && opcode !== CONTINUATION) this.#deliver(opcode, payload)
    else this.#fragment(opcode, payload, isFinal)
  }

  #fragment(opcode: number, payload: Buffer, isFinal: boolean): void {
    if (opcode !== CONTINUATION) this.#opcode = opcode
    this.#messageBytes += payload.length
    // The content of binary messages is not used.
    if (this.#opcode === TEXT) {
      this.#message ??= new GrowingBuffer()
      this.#message.append(payload)
    }
    if (!isFinal) return this.#events.fragment(this.#receiver, payload.length)
    const whole = { opcode: this.#opcode, payload: this.#message?.bytes ?? payload }
    this.#opcode = CONTINUATION
    this.#message = undefined
    this.#messageBytes = 0
    this.#deliver(whole.opcode, whole.payload)
  }

  #deliver(opcode: number, payload: Buffer): void {
    if (opcode === BINARY) this.#events.binary(this.#receiver)
    else if (isUtf8(payload)) this.#events.text(this.#receiver, payload)
    else this.#fail(INVALID_PAYLOAD, 'the text is not UTF-8')
  }

  #close(payload: Buffer): void {
    if (payload.length === 1) return void this.#fail(PROTOCOL_ERROR, 'half a close code')
    const code = payload.length === 0 ? NO_STATUS_RECEIVED : payload.readUInt16BE()
    const reason = payload.subarray(2)
    if (payload.length > 0 && !isValidCloseCode(code))
      return void this.#fail(PROTOCOL_ERROR, 'this close code may not be sent')
    if (!isUtf8(reason)) return void this.#fail(INVALID_PAYLOAD, 'the close reason is not UTF-8')
    this.stop()
    this.#events.close(this.#receiver, code, reason.toString())
  }

  #fail(code: FailCode, reason: string): 0 {
    this.stop()
    this.#events.fail(this.#receiver, code, reason)
    return 0
  }
}
