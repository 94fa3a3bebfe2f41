/** RTP packets (RFC 3550), as far as forwarding needs them. */

export const HEADER_BYTES = 12
/** Quieter than this is silence, in dB below full scale. */
const SILENCE_DB = 127
/** For a member whose browser sends no levels. */
const UNKNOWN_LEVEL_DB = 40

export type Packet = {
  payloadType: number
  marker: boolean
  sequence: number
  timestamp: number
  /** dB below full scale: 0 is the loudest. */
  levelDb: number
  payload: Buffer
}

/** Undefined if it is not a well-formed packet with a payload. `levelId` is the id of the level extension; 0: there is none. */
export function parsePacket(bytes: Buffer, levelId: number): Packet | undefined {
  if (bytes.length < HEADER_BYTES) return undefined
  const [first = 0, second = 0] = bytes
  if (first >> 6 !== 2) return undefined
  let start = HEADER_BYTES + (first & 0x0f) * 4
  let levelDb = UNKNOWN_LEVEL_DB
  if (first & 0x10) {
    if (start + 4 > bytes.length) return undefined
    const end = start + 4 + bytes.readUInt16BE(start + 2) * 4
    if (end > bytes.length) return undefined
    if (levelId > 0 && bytes.readUInt16BE(start) === 0xbede) levelDb = levelIn(bytes, start + 4, end, levelId)
    start = end
  }
  const paddingBytes = first & 0x20 ? (bytes.at(-1) ?? 0) : 0
  if (start + paddingBytes >= bytes.length) return undefined
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    levelDb,
    payload: bytes.subarray(start, bytes.length - paddingBytes),
  }
}

/** One-byte header extensions (RFC 8285). */
function levelIn(bytes: Buffer, from: number, end: number, levelId: number): number {
  for (let at = from; at < end;) {
    const head = bytes[at] ?? 0
    if (head === 0) {
      at++
      continue
    }
    const id = head >> 4
    if (id === levelId && at + 1 < end) return (bytes[at + 1] ?? SILENCE_DB) & 0x7f
    at += 2 + (head & 0x0f)
  }
  return UNKNOWN_LEVEL_DB
}

type Header = { payloadType: number; marker: boolean; sequence: number; timestamp: number; source: number }

/** With a plain header: valid for every receiver, whatever ids its browser chose for extensions. */
export function composePacket(
  { payloadType, marker, sequence, timestamp, source }: Header,
  payload: Buffer,
): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length)
  bytes[0] = 0x80
  bytes[1] = (marker ? 0x80 : 0) | payloadType
  bytes.writeUInt16BE(sequence, 2)
  bytes.writeUInt32BE(timestamp, 4)
  bytes.writeUInt32BE(source, 8)
  payload.copy(bytes, HEADER_BYTES)
  return bytes
}
