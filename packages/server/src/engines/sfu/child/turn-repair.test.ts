import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'

import * as fc from 'fast-check'

import { runs } from '../../../testing/runs.ts'
import { readBindingRequest } from './stun.ts'
import { openTurnRepair, repaired } from './turn-repair.ts'

const PASSWORD = 'our password of 24 chars'
const PASSWORDS = new Map([['ours', PASSWORD]])
const CONTROLLING = 0x802a
const [USERNAME, INTEGRITY, FINGERPRINT] = [0x0006, 0x0008, 0x8028]

function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

/** A binding request as a browser sends it, signed and with a checksum. */
function bindingRequest({ userName = 'ours:theirs', tieBreaker = 0n, password = PASSWORD } = {}): Buffer {
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

test('[VOI-08] a tie-breaker of zero becomes one, and the message is signed as if the client had sent it', () => {
  assert.deepEqual(repaired(bindingRequest(), PASSWORDS), bindingRequest({ tieBreaker: 1n }))
  const good = bindingRequest({ tieBreaker: 77n })
  assert.deepEqual(repaired(good, PASSWORDS), good)
  assert.equal(repaired(bindingRequest({ userName: 'unknown:theirs' }), PASSWORDS), undefined)
})

test('[VOI-08] a message without the signature of our password is neither signed nor forwarded', () => {
  for (const tieBreaker of [0n, 77n]) {
    assert.equal(repaired(bindingRequest({ tieBreaker, password: 'guessed' }), PASSWORDS), undefined)
    const unsigned = bindingRequest({ tieBreaker })
    unsigned.fill(0, unsigned.length - 28, unsigned.length - 8)
    assert.equal(repaired(unsigned, PASSWORDS), undefined)
  }
  const good = bindingRequest({ tieBreaker: 77n })
  const zero = attribute(CONTROLLING, Buffer.alloc(8))
  const longer = Buffer.concat([good, zero])
  assert.deepEqual(repaired(longer, PASSWORDS), longer, 'what follows the signature is not read')
})

test('[VOI-08] no message makes the reader of binding requests fail', () => {
  const request = bindingRequest()
  const noise = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes))
  const damaged = fc
    .array(fc.tuple(fc.nat(request.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
    .map((changes) => {
      const message = Buffer.from(request)
      for (const [at, byte] of changes) message[at] = byte
      return message
    })
  const cut = fc.nat(request.length).map((length) => request.subarray(0, length))
  fc.assert(
    fc.property(fc.oneof(noise, damaged, cut), (message) => {
      const read = readBindingRequest(message, PASSWORDS)
      const forwarded = repaired(message, PASSWORDS)
      assert.equal(forwarded === undefined, read === undefined)
      if (forwarded) assert.equal(forwarded.length, message.length)
    }),
    { numRuns: runs(2_000, 200_000) },
  )
})

test('[VOI-08] the port for TURN forwards only what belongs to a member, and answers go back', async (t) => {
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => socket.close()))
  async function bound() {
    const socket = createSocket('udp4')
    sockets.push(socket)
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return { socket, port: (socket.address() as AddressInfo).port }
  }
  const [engine, repair, member, stranger] = [await bound(), await bound(), await bound(), await bound()]
  openTurnRepair(repair.socket, { address: '127.0.0.1', port: engine.port }, PASSWORDS)
  const received: Buffer[] = []
  engine.socket.on('message', (message, { port }) => {
    received.push(message)
    engine.socket.send(`answer ${received.length}`, port, '127.0.0.1')
  })
  const send = (from: Socket, message: Buffer) => from.send(message, repair.port, '127.0.0.1')

  send(stranger.socket, Buffer.from('noise'))
  send(stranger.socket, bindingRequest({ userName: 'unknown:theirs' }))
  send(stranger.socket, bindingRequest({ password: 'guessed' }))
  send(member.socket, bindingRequest())
  const [first] = (await once(member.socket, 'message')) as [Buffer]
  assert.equal(String(first), 'answer 1')
  send(member.socket, Buffer.from('sound'))
  const [second] = (await once(member.socket, 'message')) as [Buffer]
  assert.equal(String(second), 'answer 2')
  assert.deepEqual(received, [bindingRequest({ tieBreaker: 1n }), Buffer.from('sound')])
})
