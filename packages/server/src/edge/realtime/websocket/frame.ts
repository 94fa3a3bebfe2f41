import {
  CLOSE,
  CONTROL_BYTES_MAX,
  FINAL,
  LENGTH_IN_16_BITS,
  LENGTH_IN_64_BITS,
  NO_STATUS_RECEIVED,
  PING,
  PONG,
  TEXT,
} from './protocol.ts'

/** Frames as a server sends them: whole and unmasked. Made once, a frame serves any number of receivers. */
export function textFrame(text: string): Buffer {
  const payloadBytes = Buffer.byteLength(text)
  const headerBytes = payloadBytes <= 125 ? 2 : payloadBytes <= 0xffff ? 4 : 10
  const frame = Buffer.allocUnsafe(headerBytes + payloadBytes)
  frame[0] = FINAL | TEXT
  if (headerBytes === 2) {
    frame[1] = payloadBytes
  } else if (headerBytes === 4) {
    frame[1] = LENGTH_IN_16_BITS
    frame.writeUInt16BE(payloadBytes, 2)
  } else {
    frame[1] = LENGTH_IN_64_BITS
    frame.writeUInt16BE(0, 2)
    frame.writeUIntBE(payloadBytes, 4, 6)
  }
  frame.write(text, headerBytes)
  return frame
}

export const pingFrame: Buffer = Buffer.of(FINAL | PING, 0)

/** The payload is that of a ping, so at most 125 bytes. */
export const pongFrame = (payload: Buffer): Buffer => controlFrame(PONG, payload)

/** A reason over 123 bytes is cut after the last character that fits whole. */
export function closeFrame(code: number, reason: string): Buffer {
  if (code === NO_STATUS_RECEIVED) return controlFrame(CLOSE, Buffer.of())
  const payload = Buffer.allocUnsafe(CONTROL_BYTES_MAX)
  payload.writeUInt16BE(code)
  const reasonBytes = payload.write(reason, 2)
  return controlFrame(CLOSE, payload.subarray(0, 2 + reasonBytes))
}

function controlFrame(opcode: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(2 + payload.length)
  frame[0] = FINAL | opcode
  frame[1] = payload.length
  frame.set(payload, 2)
  return frame
}
