import { createHmac } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { crc32 } from 'node:zlib'

/** Our ICE user name → our ICE password, for the connections that are open. */
export type IcePasswords = Map<string, string>

const IDLE_MS = 30_000
const SWEEP_MS = 5_000
const CLIENTS_MAX = 2_000
const HEADER_BYTES = 20
const COOKIE = 0x2112a442
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
}
const INTEGRITY_BYTES = 4 + 20
const FINGERPRINT_BYTES = 4 + 4
const FINGERPRINT_XOR = 0x5354554e

/**
 * A second UDP port, for clients behind TURN over TCP or TLS: there Chromium sends an ICE tie-breaker of zero, which libjuice rejects
 * (its issue 355). This port changes it to one, signs the message again with our own password, and forwards everything else
 * unchanged. It is no longer needed when libjuice accepts zero.
 */
export function openTurnRepair(
  socket: Socket,
  engine: { address: string; port: number },
  passwords: IcePasswords,
): void {
  const clients = new Map<string, { upstream: Socket; usedAtMs: number }>()

  socket.on('message', (message, { address, port }) => {
    const key = `${address} ${port}`
    let client = clients.get(key)
    const forwarded = isBindingRequest(message) ? repaired(message, passwords) : client && message
    if (!forwarded) return
    if (!client) {
      if (clients.size >= CLIENTS_MAX) return
      const upstream = createSocket(isIPv6(engine.address) ? 'udp6' : 'udp4')
      upstream.on('message', (answer) => socket.send(answer, port, address))
      upstream.on('error', () => {})
      client = { upstream, usedAtMs: 0 }
      clients.set(key, client)
    }
    client.usedAtMs = performance.now()
    client.upstream.send(forwarded, engine.port, engine.address)
  })

  setInterval(() => {
    for (const [key, { upstream, usedAtMs }] of clients) {
      if (performance.now() - usedAtMs < IDLE_MS) continue
      upstream.close()
      clients.delete(key)
    }
  }, SWEEP_MS).unref()
}

const isBindingRequest = (message: Buffer) =>
  message.length >= HEADER_BYTES && message.readUInt16BE(0) === 1 && message.readUInt32BE(4) === COOKIE

/** Undefined if the message is not for an open connection of ours. */
export function repaired(message: Buffer, passwords: IcePasswords): Buffer | undefined {
  let password: string | undefined
  let [tieBreakerAt, integrityAt, fingerprintAt] = [-1, -1, -1]
  for (let at = HEADER_BYTES; at + 4 <= message.length;) {
    const type = message.readUInt16BE(at)
    const length = message.readUInt16BE(at + 2)
    if (at + 4 + length > message.length) return undefined
    const isTieBreaker = type === ATTRIBUTE.controlled || type === ATTRIBUTE.controlling
    if (type === ATTRIBUTE.username)
      password = passwords.get(message.toString('utf8', at + 4, at + 4 + length).split(':')[0] ?? '')
    else if (isTieBreaker && length === 8) tieBreakerAt = at + 4
    else if (type === ATTRIBUTE.integrity && length === 20) integrityAt = at
    else if (type === ATTRIBUTE.fingerprint && length === 4) fingerprintAt = at
    at += 4 + ((length + 3) & ~3)
  }
  if (password === undefined || integrityAt < 0) return undefined
  if (tieBreakerAt < 0 || message.readBigUInt64BE(tieBreakerAt) !== 0n) return message

  const changed = Buffer.from(message)
  changed.writeBigUInt64BE(1n, tieBreakerAt)
  changed.writeUInt16BE(integrityAt + INTEGRITY_BYTES - HEADER_BYTES, 2)
  createHmac('sha1', password)
    .update(changed.subarray(0, integrityAt))
    .digest()
    .copy(changed, integrityAt + 4)
  if (fingerprintAt >= 0) {
    changed.writeUInt16BE(fingerprintAt + FINGERPRINT_BYTES - HEADER_BYTES, 2)
    const checksum = (crc32(changed.subarray(0, fingerprintAt)) ^ FINGERPRINT_XOR) >>> 0
    changed.writeUInt32BE(checksum, fingerprintAt + 4)
  }
  return changed
}
