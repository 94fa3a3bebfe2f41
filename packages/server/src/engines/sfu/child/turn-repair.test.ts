import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'

import * as fc from 'fast-check'

import { attribute, bindingRequest, CONTROLLING, PASSWORD } from '../../../testing/binding-requests.ts'
import { runs } from '../../../testing/runs.ts'
import { readBindingRequest } from './stun.ts'
import { CLIENTS_PER_MEMBER_MAX, openTurnRepair, repaired } from './turn-repair.ts'

const PASSWORDS = new Map([
  ['ours', PASSWORD],
  ['other', PASSWORD],
])

const readAndRepaired = (message: Buffer) => {
  const request = readBindingRequest(message, PASSWORDS)
  return request && repaired(message, request)
}

test('[VOI-08] a tie-breaker of zero becomes one, and the message is signed as if the client had sent it', () => {
  assert.deepEqual(readAndRepaired(bindingRequest()), bindingRequest({ tieBreaker: 1n }))
  const good = bindingRequest({ tieBreaker: 77n })
  assert.deepEqual(readAndRepaired(good), good)
  assert.equal(readAndRepaired(bindingRequest({ userName: 'unknown:theirs' })), undefined)
})

test('[VOI-08] a message without the signature of our password is neither signed nor forwarded', () => {
  for (const tieBreaker of [0n, 77n]) {
    assert.equal(readAndRepaired(bindingRequest({ tieBreaker, password: 'guessed' })), undefined)
    const unsigned = bindingRequest({ tieBreaker })
    unsigned.fill(0, unsigned.length - 28, unsigned.length - 8)
    assert.equal(readAndRepaired(unsigned), undefined)
  }
  const good = bindingRequest({ tieBreaker: 77n })
  const zero = attribute(CONTROLLING, Buffer.alloc(8))
  const longer = Buffer.concat([good, zero])
  assert.deepEqual(readAndRepaired(longer), longer, 'what follows the signature is not read')
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
      const forwarded = readAndRepaired(message)
      if (forwarded) assert.equal(forwarded.length, message.length)
    }),
    { numRuns: runs(2_000, 200_000) },
  )
})

async function openPort(t: TestContext) {
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => socket.close()))
  async function bound() {
    const socket = createSocket('udp4')
    sockets.push(socket)
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return { socket, port: (socket.address() as AddressInfo).port }
  }
  const [engine, repair] = [await bound(), await bound()]
  openTurnRepair(repair.socket, { address: '127.0.0.1', port: engine.port }, PASSWORDS)
  const received: Buffer[] = []
  engine.socket.on('message', (message, { port }) => {
    received.push(message)
    engine.socket.send(`answer ${received.length}`, port, '127.0.0.1')
  })
  const newClient = async () => (await bound()).socket
  const send = (from: Socket, message: Buffer) =>
    new Promise((resolve) => from.send(message, repair.port, '127.0.0.1', resolve))
  return { newClient, send, received }
}

test('[VOI-08] the port for TURN forwards only what belongs to a member, and answers go back', async (t) => {
  const { newClient, send, received } = await openPort(t)
  const [member, stranger] = [await newClient(), await newClient()]
  await send(stranger, Buffer.from('noise'))
  await send(stranger, bindingRequest({ userName: 'unknown:theirs' }))
  await send(stranger, bindingRequest({ password: 'guessed' }))
  const answerTo = async (message: Buffer) => {
    const [[answer]] = await Promise.all([once(member, 'message'), send(member, message)])
    return String(answer)
  }
  assert.equal(await answerTo(bindingRequest()), 'answer 1')
  assert.equal(await answerTo(Buffer.from('sound')), 'answer 2')
  assert.deepEqual(received, [bindingRequest({ tieBreaker: 1n }), Buffer.from('sound')])
})

test('[VOI-08] one member cannot take the places of all others on the port for TURN', async (t) => {
  const { newClient, send, received } = await openPort(t)
  const mine = bindingRequest({ tieBreaker: 7n })
  for (let n = 0; n < CLIENTS_PER_MEMBER_MAX + 5; n++) await send(await newClient(), mine)
  const other = await newClient()
  const answered = once(other, 'message')
  const others = bindingRequest({ userName: 'other:theirs', tieBreaker: 8n })
  await send(other, others)
  await answered
  assert.equal(received.filter((message) => message.equals(mine)).length, CLIENTS_PER_MEMBER_MAX)
  assert.ok(received.some((message) => message.equals(others)))
})
