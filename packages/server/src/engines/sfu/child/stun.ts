import { createHmac, timingSafeEqual } from 'node:crypto'

/** Binding requests of ICE (RFC 8489, RFC 8445), as far as the two bridges to the engine read them. */

/** Our ICE user name → our ICE password, for the connections that are open. */
export type IcePasswords = Map<string, string>

export type BindingRequest = {
  /** Our user name and password of the connection that the request is for. */
  name: string
  password: string
  /** Where the attributes begin; -1: there is none. */
  tieBreakerAt: number
  integrityAt: number
  fingerprintAt: number
}

const HEADER_BYTES = 20
const INTEGRITY_BYTES = 4 + 20
const BINDING_REQUEST = 1
const COOKIE = 0x2112a442
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
}

export const isBindingRequest = (message: Buffer): boolean =>
  message.length >= HEADER_BYTES &&
  message.readUInt16BE(0) === BINDING_REQUEST &&
  message.readUInt32BE(4) === COOKIE

/** What signs a message: covers all before the attribute, as if the message ended with it (RFC 8489, 14.5). */
export function integrityOf(message: Buffer, integrityAt: number, password: string): Buffer {
  const header = Buffer.from(message.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(integrityAt + INTEGRITY_BYTES - HEADER_BYTES, 2)
  const rest = message.subarray(HEADER_BYTES, integrityAt)
  return createHmac('sha1', password).update(header).update(rest).digest()
}

/** Undefined if it is not well-formed, or not signed with the password of one of our open connections. */
export function readBindingRequest(message: Buffer, passwords: IcePasswords): BindingRequest | undefined {
  if (!isBindingRequest(message)) return undefined
  let name = ''
  let [tieBreakerAt, integrityAt, fingerprintAt] = [-1, -1, -1]
  for (let at = HEADER_BYTES; at + 4 <= message.length;) {
    const type = message.readUInt16BE(at)
    const length = message.readUInt16BE(at + 2)
    if (at + 4 + length > message.length) return undefined
    const isTieBreaker = type === ATTRIBUTE.controlled || type === ATTRIBUTE.controlling
    // The signature does not cover what follows it.
    if (integrityAt >= 0) {
      if (type === ATTRIBUTE.fingerprint && length === 4) fingerprintAt = at
    } else if (type === ATTRIBUTE.username)
      name = message.toString('utf8', at + 4, at + 4 + length).split(':')[0] ?? ''
    else if (isTieBreaker && length === 8) tieBreakerAt = at
    else if (type === ATTRIBUTE.integrity && length === 20) integrityAt = at
    at += 4 + ((length + 3) & ~3)
  }
  const password = passwords.get(name)
  if (password === undefined || integrityAt < 0) return undefined
  const signature = message.subarray(integrityAt + 4, integrityAt + INTEGRITY_BYTES)
  if (!timingSafeEqual(signature, integrityOf(message, integrityAt, password))) return undefined
  return { name, password, tieBreakerAt, integrityAt, fingerprintAt }
}
