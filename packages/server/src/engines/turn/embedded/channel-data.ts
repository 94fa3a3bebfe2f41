import { padded } from './stun.ts'

/** Data of a bound channel: a header of four bytes instead of a message (RFC 8656, section 12). */
export const CHANNEL_MIN = 0x4000
export const CHANNEL_MAX = 0x7fff
export const CHANNEL_HEADER_BYTES = 4

/** Its first two bits distinguish it from a STUN message, where they are zero. */
export const isChannelData = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0xc0) === 0x40

export function parseChannelData(bytes: Buffer): { channel: number; data: Buffer } | undefined {
  if (bytes.length < CHANNEL_HEADER_BYTES) return undefined
  const end = CHANNEL_HEADER_BYTES + bytes.readUInt16BE(2)
  if (end > bytes.length) return undefined
  return { channel: bytes.readUInt16BE(0), data: bytes.subarray(CHANNEL_HEADER_BYTES, end) }
}

/** In a stream the next frame must begin at a multiple of four; a datagram needs no padding. */
export function composeChannelData(channel: number, data: Buffer, isStream: boolean): Buffer {
  const end = CHANNEL_HEADER_BYTES + data.length
  const bytes = Buffer.allocUnsafe(isStream ? padded(end) : end)
  bytes.writeUInt16BE(channel, 0)
  bytes.writeUInt16BE(data.length, 2)
  data.copy(bytes, CHANNEL_HEADER_BYTES)
  return bytes.fill(0, end)
}
