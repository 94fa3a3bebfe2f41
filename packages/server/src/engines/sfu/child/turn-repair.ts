import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { crc32 } from 'node:zlib'

import { Counts } from './counts.ts'
import {
  type BindingRequest,
  type IcePasswords,
  integrityOf,
  isBindingRequest,
  readBindingRequest,
} from './stun.ts'

const IDLE_MS = 30_000
const SWEEP_MS = 5_000
const CLIENTS_MAX = 2_000
/** A member has one per network interface and TURN URL. There is no limit per address: all come from that of the TURN server. */
export const CLIENTS_PER_MEMBER_MAX = 32
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
  const clients = new Map<string, { upstream: Socket; usedAtMs: number; name: string }>()
  const ofMember = new Counts(CLIENTS_PER_MEMBER_MAX)
  // An address that cannot be reached must not end the process.
  const ignoreErrors = () => {}
  socket.on('error', ignoreErrors)

  /** Undefined: there are too many. */
  function newClient(name: string, address: string, port: number) {
    if (clients.size >= CLIENTS_MAX || ofMember.isFull(name)) return undefined
    const upstream = createSocket(isIPv6(engine.address) ? 'udp6' : 'udp4')
    upstream.on('message', (answer) => socket.send(answer, port, address, ignoreErrors))
    upstream.on('error', ignoreErrors)
    const client = { upstream, usedAtMs: 0, name }
    clients.set(`${address} ${port}`, client)
    ofMember.add(name)
    return client
  }

  socket.on('message', (message, { address, port }) => {
    if (port === 0) return
    const request = readBindingRequest(message, passwords)
    if (!request && isBindingRequest(message)) return
    const client = clients.get(`${address} ${port}`) ?? (request && newClient(request.name, address, port))
    if (!client) return
    client.usedAtMs = performance.now()
    const forwarded = request ? repaired(message, request) : message
    client.upstream.send(forwarded, engine.port, engine.address, ignoreErrors)
  })

  setInterval(() => {
    for (const [key, { upstream, usedAtMs, name }] of clients) {
      if (performance.now() - usedAtMs < IDLE_MS) continue
      upstream.close()
      clients.delete(key)
      ofMember.remove(name)
    }
  }, SWEEP_MS).unref()
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
