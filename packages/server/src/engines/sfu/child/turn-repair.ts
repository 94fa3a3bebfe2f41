import type { Socket } from 'node:dgram'
import { crc32 } from 'node:zlib'

import { type BindingRequest, type IcePasswords, integrityOf } from './stun.ts'
import { createUdpClients, type Engine, ignoreErrors } from './udp-clients.ts'

const CLIENTS_MAX = 2_000
/** A member has one per network interface and TURN URL. There is no limit per address: all come from that of the TURN server. */
export const CLIENTS_PER_MEMBER_MAX = 32
const FINGERPRINT_XOR = 0x5354554e

/**
 * A second UDP port, for clients behind TURN over TCP or TLS: there Chromium sends an ICE tie-breaker of zero, which libjuice rejects
 * (its issue 355). This port changes it to one, signs the message again with our own password, and forwards everything else
 * unchanged. It is no longer needed when libjuice accepts zero.
 */
export function openTurnRepair(socket: Socket, engine: Engine, passwords: IcePasswords): void {
  const limits = { clientsMax: CLIENTS_MAX, perMemberMax: CLIENTS_PER_MEMBER_MAX }
  const clients = createUdpClients(engine, passwords, limits)
  socket.on('error', ignoreErrors)
  socket.on('message', (message, from) => clients.forward(socket, message, from, { change: repaired }))
}

/** The message as the engine accepts it. */
export function repaired(
  message: Buffer,
  { password, tieBreakerAt, integrityAt, fingerprintAt }: BindingRequest,
): Buffer {
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
