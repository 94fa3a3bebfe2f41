import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const PASSWORD = 'our password of 24 chars'
export const CONTROLLING = 0x802a
const [USERNAME, INTEGRITY, FINGERPRINT] = [0x0006, 0x0008, 0x8028]

export function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

/** A binding request of ICE as a browser sends it, signed and with a checksum. */
export function bindingRequest({
  userName = 'ours:theirs',
  tieBreaker = 0n,
  password = PASSWORD,
} = {}): Buffer {
  const header = Buffer.alloc(20)
  header.writeUInt16BE(1, 0)
  header.writeUInt32BE(0x2112a442, 4)
  header.write('transaction', 8)
  const tie = Buffer.alloc(8)
  tie.writeBigUInt64BE(tieBreaker)
  let message = Buffer.concat([
    header,
    attribute(USERNAME, Buffer.from(userName)),
    attribute(CONTROLLING, tie),
  ])
  message.writeUInt16BE(message.length - 20 + 24, 2)
  message = Buffer.concat([
    message,
    attribute(INTEGRITY, createHmac('sha1', password).update(message).digest()),
  ])
  message.writeUInt16BE(message.length - 20 + 8, 2)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE((crc32(message) ^ 0x5354554e) >>> 0)
  return Buffer.concat([message, attribute(FINGERPRINT, checksum)])
}
