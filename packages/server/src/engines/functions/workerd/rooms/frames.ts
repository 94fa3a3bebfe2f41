import { isUtf8 } from 'node:buffer'

// The part of RFC 6455 that a healthy workerd uses: whole text messages, not masked, and answers to pings.

const FINAL_TEXT = 0x81
const FINAL_PONG = 0x8a
const FINAL_PING = 0x89
const MASKED = 0x80
const LENGTH = 0x7f
const LENGTH_IN_16_BITS = 126
const LENGTH_IN_64_BITS = 127
const CONTROL_BYTES_MAX = 125
const HEAD_BYTES_MAX = 10
/** The first memory for a message that has not arrived whole. It grows with what arrives, whatever length was promised. */
const PART_BYTES_MIN = 64 * 1024

/** Text of a message in either direction. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024

type FrameEvents = {
  onText(bytes: Buffer): void
  onPong(): void
  /** The last call: what came is nothing that a healthy process sends. */
  onBroken(): void
}

/** Reads the frames of a process from chunks of any size. */
export class FrameReader {
  readonly #events: FrameEvents
  /** Of a frame that has not arrived whole. */
  readonly #head = Buffer.alloc(HEAD_BYTES_MAX)
  #headBytes = 0
  #part: Buffer | undefined
  #partBytes = 0
  #isOver = false

  constructor(events: FrameEvents) {
    this.#events = events
  }

  /** Memory of a message that has not arrived whole. */
  get keptBytes(): number {
    return this.#part?.length ?? 0
  }

  read(chunk: Buffer) {
    let at = 0
    while (at < chunk.length && !this.#isOver) at = this.#readSome(chunk, at)
  }

  stop() {
    this.#isOver = true
    this.#part = undefined
  }

  /** Reads up to the end of the head, or of the frame. Returns where the rest begins. */
  #readSome(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && this.#headBytes < this.#headBytesNeeded())
      this.#head[this.#headBytes++] = chunk[at++] ?? 0
    if (this.#headBytes < this.#headBytesNeeded()) return at
    const length = this.#payloadBytes()
    if (length === undefined) return this.#break(at)
    const missing = length - this.#partBytes
    const piece = chunk.subarray(at, at + missing)
    if (piece.length < missing) this.#keep(piece, length)
    else this.#finish(piece, length)
    return at + piece.length
  }

  #headBytesNeeded(): number {
    if (this.#headBytes < 2) return 2
    const length = (this.#head[1] ?? 0) & LENGTH
    return length === LENGTH_IN_16_BITS ? 4 : length === LENGTH_IN_64_BITS ? 10 : 2
  }

  /** Of a complete head. Undefined: it is not acceptable. */
  #payloadBytes(): number | undefined {
    const [first = 0, second = 0] = this.#head
    if (second & MASKED) return undefined
    const short = second & LENGTH
    if (first === FINAL_PONG) return short <= CONTROL_BYTES_MAX ? short : undefined
    if (first !== FINAL_TEXT) return undefined
    if (short < LENGTH_IN_16_BITS) return short
    if (short === LENGTH_IN_16_BITS) return this.#head.readUInt16BE(2)
    const length = this.#head.readUInt32BE(2) * 2 ** 32 + this.#head.readUInt32BE(6)
    return length <= MESSAGE_BYTES_MAX ? length : undefined
  }

  #keep(piece: Buffer, length: number) {
    const bytes = this.#partBytes + piece.length
    if (this.#part === undefined || bytes > this.#part.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(length, Math.max(PART_BYTES_MIN, 2 * bytes)))
      if (this.#part) larger.set(this.#part.subarray(0, this.#partBytes))
      this.#part = larger
    }
    this.#part.set(piece, this.#partBytes)
    this.#partBytes = bytes
  }

  #finish(piece: Buffer, length: number) {
    const isPong = this.#head[0] === FINAL_PONG
    if (this.#part) this.#keep(piece, length)
    const payload = this.#part?.subarray(0, length) ?? piece
    this.#headBytes = 0
    this.#part = undefined
    this.#partBytes = 0
    if (isPong) this.#events.onPong()
    else if (isUtf8(payload)) this.#events.onText(payload)
    else this.#break(0)
  }

  #break(at: number): number {
    this.stop()
    this.#events.onBroken()
    return at
  }
}

/** A message to the process. A client must mask its frames; a mask of zeros changes nothing, so the text is copied once. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headBytes = length < LENGTH_IN_16_BITS ? 6 : length <= 0xffff ? 8 : 14
  const frame = Buffer.allocUnsafe(headBytes + length)
  frame[0] = FINAL_TEXT
  if (headBytes === 6) frame[1] = MASKED | length
  else if (headBytes === 8) {
    frame[1] = MASKED | LENGTH_IN_16_BITS
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = MASKED | LENGTH_IN_64_BITS
    frame.writeUInt32BE(0, 2)
    frame.writeUInt32BE(length, 6)
  }
  frame.writeUInt32BE(0, headBytes - 4)
  frame.write(text, headBytes)
  return frame
}

export const pingFrame: Buffer = Buffer.of(FINAL_PING, MASKED, 0, 0, 0, 0)
