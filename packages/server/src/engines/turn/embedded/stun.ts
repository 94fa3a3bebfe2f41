import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** STUN messages (RFC 8489), the part that TURN (RFC 8656) between players of a room needs. */
export const TYPE = {
  binding: 0x0001,
  allocate: 0x0003,
  refresh: 0x0004,
  createPermission: 0x0008,
  channelBind: 0x0009,
  sendIndication: 0x0016,
  dataIndication: 0x0017,
} as const

export const successOf = (requestType: number): number => requestType | 0x0100
export const errorOf = (requestType: number): number => requestType | 0x0110

export const ATTRIBUTE = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  channelNumber: 0x000c,
  lifetime: 0x000d,
  xorPeerAddress: 0x0012,
  data: 0x0013,
  realm: 0x0014,
  nonce: 0x0015,
  xorRelayedAddress: 0x0016,
  requestedAddressFamily: 0x0017,
  evenPort: 0x0018,
  requestedTransport: 0x0019,
  xorMappedAddress: 0x0020,
  fingerprint: 0x8028,
} as const

const UNDERSTOOD: ReadonlySet<number> = new Set(Object.values(ATTRIBUTE))
/** A request with an unknown attribute below this type must be rejected. */
const OPTIONAL_FROM = 0x8000

export type Attribute = readonly [type: number, value: Buffer]

export type Message = {
  type: number
  /** The magic cookie and the transaction id: the 16 bytes that addresses are XORed with. */
  id: Buffer
  attributes: readonly Attribute[]
  hasFingerprint: boolean
  /** The bytes that MESSAGE-INTEGRITY covers, and its value. */
  sealed?: { bytes: Buffer; integrity: Buffer }
}

const COOKIE = 0x2112a442
export const MESSAGE_HEADER_BYTES = 20
const INTEGRITY_BYTES = 20
const FINGERPRINT_XOR = 0x5354554e

export const padded = (bytes: number): number => (bytes + 3) & ~3

/** Returns undefined for malformed messages. */
export function parseMessage(bytes: Buffer): Message | undefined {
  if (bytes.length < MESSAGE_HEADER_BYTES || bytes.length % 4 !== 0) return undefined
  if (bytes.readUInt16BE(2) !== bytes.length - MESSAGE_HEADER_BYTES) return undefined
  if (bytes.readUInt32BE(4) !== COOKIE) return undefined

  const attributes: Attribute[] = []
  let integrityAt: number | undefined
  for (let at = MESSAGE_HEADER_BYTES; at < bytes.length;) {
    const type = bytes.readUInt16BE(at)
    const valueAt = at + 4
    const end = valueAt + bytes.readUInt16BE(at + 2)
    if (end > bytes.length) return undefined

    if (type === ATTRIBUTE.fingerprint) {
      if (!isFingerprint(bytes, at)) return undefined
      attributes.push([type, bytes.subarray(valueAt, end)])
    }
    // Attributes after MESSAGE-INTEGRITY are not authenticated, so they are ignored.
    else if (integrityAt === undefined) attributes.push([type, bytes.subarray(valueAt, end)])
    if (type === ATTRIBUTE.messageIntegrity) integrityAt ??= at
    at = padded(end)
  }

  const message = {
    type: bytes.readUInt16BE(0),
    id: bytes.subarray(4, MESSAGE_HEADER_BYTES),
    attributes,
    hasFingerprint: attributes.at(-1)?.[0] === ATTRIBUTE.fingerprint,
  }
  if (integrityAt === undefined) return message
  const integrity = valueOf(message, ATTRIBUTE.messageIntegrity)
  if (integrity?.length !== INTEGRITY_BYTES) return undefined
  return { ...message, sealed: { bytes: upToIntegrity(bytes, integrityAt), integrity } }
}

/** FINGERPRINT is always the last attribute, a checksum of everything before it. */
const isFingerprint = (bytes: Buffer, at: number): boolean =>
  at + 8 === bytes.length &&
  bytes.readUInt16BE(at + 2) === 4 &&
  bytes.readUInt32BE(at + 4) === fingerprintOf(bytes.subarray(0, at))

const fingerprintOf = (bytes: Buffer): number => (crc32(bytes) ^ FINGERPRINT_XOR) >>> 0

/** MESSAGE-INTEGRITY is computed as if the message ended with it. */
function upToIntegrity(bytes: Buffer, integrityAt: number): Buffer {
  const sealed = Buffer.from(bytes.subarray(0, integrityAt))
  sealed.writeUInt16BE(integrityAt + 4 + INTEGRITY_BYTES - MESSAGE_HEADER_BYTES, 2)
  return sealed
}

export function hasValidIntegrity(
  key: Buffer,
  { bytes, integrity }: { bytes: Buffer; integrity: Buffer },
): boolean {
  return timingSafeEqual(createHmac('sha1', key).update(bytes).digest(), integrity)
}

export const valueOf = ({ attributes }: Pick<Message, 'attributes'>, type: number): Buffer | undefined =>
  attributes.find((attribute) => attribute[0] === type)?.[1]

export const valuesOf = ({ attributes }: Message, type: number): Buffer[] =>
  attributes.filter((attribute) => attribute[0] === type).map(([, value]) => value)

/** Attributes that must be understood and are unknown here. */
export const unknownAttributesIn = ({ attributes }: Message): number[] =>
  attributes.map(([type]) => type).filter((type) => type < OPTIONAL_FROM && !UNDERSTOOD.has(type))

type Closing = { key?: Buffer | undefined; fingerprint?: boolean }

/** Encodes a message; with a key it ends with MESSAGE-INTEGRITY, and optionally with FINGERPRINT. */
export function composeMessage(
  type: number,
  id: Buffer,
  attributes: readonly Attribute[],
  { key, fingerprint = false }: Closing = {},
): Buffer {
  const attributesEnd = attributes.reduce(
    (sum, [, value]) => sum + 4 + padded(value.length),
    MESSAGE_HEADER_BYTES,
  )
  const integrityEnd = attributesEnd + (key ? 4 + INTEGRITY_BYTES : 0)
  const bytes = Buffer.alloc(integrityEnd + (fingerprint ? 8 : 0))
  bytes.writeUInt16BE(type, 0)
  id.copy(bytes, 4)

  let at = MESSAGE_HEADER_BYTES
  for (const attribute of attributes) at = writeAttribute(bytes, at, attribute)
  if (key) {
    bytes.writeUInt16BE(integrityEnd - MESSAGE_HEADER_BYTES, 2)
    const integrity = createHmac('sha1', key).update(bytes.subarray(0, at)).digest()
    at = writeAttribute(bytes, at, [ATTRIBUTE.messageIntegrity, integrity])
  }
  bytes.writeUInt16BE(bytes.length - MESSAGE_HEADER_BYTES, 2)
  if (fingerprint) {
    writeAttribute(bytes, at, [ATTRIBUTE.fingerprint, uint32(fingerprintOf(bytes.subarray(0, at)))])
  }
  return bytes
}

function writeAttribute(bytes: Buffer, at: number, [type, value]: Attribute): number {
  bytes.writeUInt16BE(type, at)
  bytes.writeUInt16BE(value.length, at + 2)
  value.copy(bytes, at + 4)
  return at + 4 + padded(value.length)
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The magic cookie after type and length of every message; 12 random bytes follow. */
export const messageId = (chance: Buffer): Buffer => Buffer.concat([uint32(COOKIE), chance])
