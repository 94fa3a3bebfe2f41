import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { crc32 } from 'node:zlib'

import { type IcePasswords, integrityOf, isBindingRequest, readBindingRequest } from './stun.ts'

const IDLE_MS = 30_000
const SWEEP_MS = 5_000
const CLIENTS_MAX = 2_000
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
  // An address that cannot be reached must not end the process.
  const ignoreErrors = () => {}
  socket.on('error', ignoreErrors)

  socket.on('message', (message, { address, port }) => {
    if (port === 0) return
    const key = `${address} ${port}`
    let client = clients.get(key)
    const forwarded = isBindingRequest(message) ? repaired(message, passwords) : client && message
    if (!forwarded) return
    if (!client) {
      if (clients.size >= CLIENTS_MAX) return
      const upstream = createSocket(isIPv6(engine.address) ? 'udp6' : 'udp4')
      upstream.on('message', (answer) => socket.send(answer, port, address, ignoreErrors))
      upstream.on('error', ignoreErrors)
      client = { upstream, usedAtMs: 0 }
      clients.set(key, client)
    }
    client.usedAtMs = performance.now()
    client.upstream.send(forwarded, engine.port, engine.address, ignoreErrors)
  })

  setInterval(() => {
    for (const [key, { upstream, usedAtMs }] of clients) {
      if (performance.now() - usedAtMs < IDLE_MS) continue
      upstream.close()
      clients.delete(key)
    }
  }, SWEEP_MS).unref()
}

/** Undefined if the message is not signed with the password of one of our open connections. */
export function repaired(message: Buffer, passwords: IcePasswords): Buffer | undefined {
  const request = readBindingRequest(message, passwords)
  if (!request) return undefined
  const { password, tieBreakerAt, integrityAt, fingerprintAt } = request
  if (tieBreakerAt < 0 || message.readBigUInt64BE(tieBreakerAt + 4) !== 0n) return message

  const changed = Buffer.from(message)
  changed.writeBigUInt64BE(1n, tieBreakerAt + 4)
  integrityOf(changed, integrityAt, password).copy(changed, integrityAt + 4)
  if (fingerprintAt >= 0) {
    const checksum = (crc32(changed.subarray(0, fingerprintAt)) ^ FINGERPRINT_XOR) >>> 0
    changed.writeUInt32BE(checksum, fingerprintAt + 4)
  }
  return changed
}
