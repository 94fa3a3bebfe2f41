import assert from 'node:assert/strict'
import type { Socket } from 'node:dgram'
import { channel } from 'node:diagnostics_channel'
import { after, before, describe, test } from 'node:test'

import { type Credentials, type TurnClient, UDP_WANTED } from '../../../testing/turn-client.ts'
import { CHANNEL, startRelay, type TestRelay } from '../../../testing/turn-relay.ts'
import type { Address } from './addresses.ts'
import { composeChannelData, isChannelData } from './channel-data.ts'
import { PACKET_BYTES_MAX } from './client-transport.ts'
import { ATTRIBUTE, type Attribute, composeMessage, messageId, successOf, TYPE } from './stun.ts'

const SEED = 20_260_101
const ID = messageId(Buffer.alloc(12, 7))

const bare = composeMessage(TYPE.binding, ID, [])
const changed = (bytes: Buffer, change: (bytes: Buffer) => unknown): Buffer => {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}
const long = (bytes: number): Attribute => [ATTRIBUTE.data, Buffer.alloc(bytes)]

/** Packets that are not TURN: they get no response. */
const MALFORMED: [string, Buffer][] = [
  ['one byte', Buffer.from([0])],
  ['half a header', bare.subarray(0, 10)],
  ['another cookie', changed(bare, (bytes) => bytes.writeUInt32BE(0x2112a443, 4))],
  ['a length beyond the end', changed(bare, (bytes) => bytes.writeUInt16BE(4, 2))],
  ['a length before the end', Buffer.concat([bare, Buffer.alloc(4)])],
  [
    'a length that is not a multiple of four',
    changed(Buffer.concat([bare, Buffer.alloc(3)]), (b) => b.writeUInt16BE(3, 2)),
  ],
  [
    'an attribute beyond the end',
    composeMessage(TYPE.binding, ID, [[0x8022, Buffer.alloc(4)]]).fill(0xff, 22, 24),
  ],
  [
    'a MESSAGE-INTEGRITY that is too short',
    composeMessage(TYPE.allocate, ID, [[ATTRIBUTE.messageIntegrity, Buffer.alloc(16)]]),
  ],
  [
    'a fingerprint that is wrong',
    composeMessage(TYPE.binding, ID, [[ATTRIBUTE.fingerprint, Buffer.alloc(4)]]),
  ],
  [
    'a fingerprint that is not the last',
    composeMessage(TYPE.binding, ID, [
      [ATTRIBUTE.fingerprint, Buffer.alloc(4)],
      [0x8022, Buffer.alloc(4)],
    ]),
  ],
  ['more than a packet holds', composeMessage(TYPE.binding, ID, [long(PACKET_BYTES_MAX)])],
  [
    'channel data beyond the end',
    changed(composeChannelData(CHANNEL, Buffer.alloc(8), true), (b) => b.writeUInt16BE(99, 2)),
  ],
  ['reserved bits', Buffer.alloc(40, 0xff)],
  ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ['a packet of DTLS', Buffer.concat([Buffer.from('16feff0000000000000000002c', 'hex'), Buffer.alloc(44)])],
]

/** Well-formed messages to which a server does not respond. */
const UNANSWERED: [string, Buffer][] = [
  ['an unknown method', composeMessage(0x000b, ID, [])],
  ['a success', composeMessage(successOf(TYPE.allocate), ID, [])],
  ['a data indication', composeMessage(TYPE.dataIndication, ID, [long(8)])],
  ['a send indication without a peer', composeMessage(TYPE.sendIndication, ID, [long(8)])],
  ['data of a channel that is not bound', composeChannelData(CHANNEL, Buffer.from('hello'), true)],
]

describe('the embedded relay under attack', () => {
  let relay: TestRelay
  let ada: TurnClient
  let bob: TurnClient
  let credentials: Credentials
  let [adaAt, bobAt]: Address[] = []

  before(async () => {
    relay = await startRelay({ limits: { bytesPerSecondMax: 100_000_000 } })
    credentials = await relay.credentials('ada')
    ;[ada, bob] = [await relay.connect(), await relay.connect()]
    ;[adaAt, bobAt] = [await ada.allocate(credentials), await bob.allocate(credentials)]
    await ada.bind(CHANNEL, bobAt, credentials)
    await bob.bind(CHANNEL, adaAt, credentials)
  })
  after(() => relay.stop())

  /** Two other players can still exchange data. */
  async function assertUnharmed() {
    ada.sendOn(CHANNEL, 'still there?')
    assert.equal(await bob.nextText(), '#4000 still there?')
  }

  for (const [name, packet] of [...MALFORMED, ...UNANSWERED]) {
    test(`gives no answer over UDP to ${name}`, async () => {
      const client = await relay.connect()
      client.send(packet)
      assert.deepEqual(await client.receivedSoFar(), [])
      await assertUnharmed()
    })
  }

  for (const [name, packet] of MALFORMED.filter(([, { length }]) => length >= 20)) {
    test(`closes a TCP connection that sends ${name}`, async () => {
      const client = await relay.connect('tcp')
      const closed = client.closed()
      // Padded, so that it is complete for any length that it claims.
      client.send(Buffer.concat([packet, Buffer.alloc(PACKET_BYTES_MAX)]))
      await closed
      await assertUnharmed()
    })
  }

  for (const [name, packet] of UNANSWERED) {
    test(`keeps a TCP connection that sends ${name}`, async () => {
      const client = await relay.connect('tcp')
      client.send(packet)
      assert.deepEqual(await client.receivedSoFar(), [])
    })
  }

  test('reads frames of TCP in pieces of one byte, and many in one piece', async () => {
    const client = await relay.connect('tcp')
    const { bytes } = client.compose(TYPE.binding, [[0x8022, Buffer.from('a slow client')]])
    for (const byte of bytes) client.send(Buffer.from([byte]))
    await client.next()
    client.send(Buffer.concat([bytes, bytes, bytes]))
    for (let count = 0; count < 3; count++) await client.next()
  })

  test('answers an unauthenticated client with at most 64 bytes', async () => {
    const types = [TYPE.binding, TYPE.allocate, TYPE.refresh, TYPE.createPermission, TYPE.channelBind]
    const key = Buffer.from('no key of ours')
    const claims: Attribute[][] = [
      [],
      [UDP_WANTED],
      [[ATTRIBUTE.username, Buffer.alloc(500, 'u')]],
      [
        [ATTRIBUTE.username, Buffer.from('9999999999:env/room:ada')],
        [ATTRIBUTE.realm, Buffer.from('svc')],
        [ATTRIBUTE.nonce, Buffer.from('AAAAAAAAAAAAAA')],
      ],
      Array.from({ length: 50 }, (_, index) => [0x7000 + index, Buffer.alloc(0)]),
    ]
    for (const type of types) {
      for (const attributes of claims) {
        for (const closing of [{}, { key }, { key, fingerprint: true }]) {
          const client = await relay.connect()
          client.send(composeMessage(type, ID, attributes, closing))
          const { length } = await client.next()
          assert.ok(length <= 64, `${length} bytes for type ${type}`)
          await client.close()
        }
      }
    }
    await assertUnharmed()
  })

  test('handles 20,000 randomly changed packets without a crash', async () => {
    const client = await relay.connect()
    const chance = seeded(SEED)
    await client.ask(TYPE.allocate, [UDP_WANTED])
    const valid = [
      bare,
      client.compose(TYPE.allocate, [UDP_WANTED], credentials).bytes,
      client.compose(TYPE.refresh, [], credentials).bytes,
      client.compose(TYPE.channelBind, [[ATTRIBUTE.channelNumber, Buffer.alloc(4)]], credentials).bytes,
      composeMessage(TYPE.sendIndication, ID, [[ATTRIBUTE.xorPeerAddress, Buffer.alloc(8)], long(20)]),
      composeChannelData(CHANNEL, Buffer.alloc(30), true),
    ]
    for (let count = 0; count < 20_000; count++) {
      const packet = Buffer.from(valid[chance(valid.length)] ?? bare)
      for (let change = chance(4); change >= 0; change--) packet[chance(packet.length)] = chance(256)
      client.send(packet.subarray(0, chance(8) === 0 ? chance(packet.length) : packet.length))
      if (count % 200 === 0) await assertUnharmed()
    }
    await assertUnharmed()
    // One of them may be unchanged by chance.
    assert.ok(relay.allocations() <= 3)
  })

  test('sends no answer to port 0', async (t) => {
    const opened: Socket[] = []
    const note = (message: unknown) => void opened.push((message as { socket: Socket }).socket)
    const created = channel('udp.socket')
    created.subscribe(note)
    t.after(() => created.unsubscribe(note))
    const another = await startRelay()
    t.after(() => another.close())

    // Emitted as Node would report such a packet, which only a raw socket can send.
    for (const socket of opened)
      socket.emit('message', bare, { address: '127.0.0.1', family: 'IPv4', port: 0, size: bare.length })
    assert.ok(opened.length > 0)
  })

  test('drops packets that a TCP client does not read, instead of buffering them', async () => {
    const writer = await relay.connect('tcp')
    const reader = await relay.connect('tcp')
    const readerAt = await reader.allocate(credentials)
    const writerAt = await writer.allocate(credentials)
    assert.equal(await writer.bind(CHANNEL, readerAt, credentials), 0)
    assert.equal(await reader.bind(CHANNEL, writerAt, credentials), 0)

    reader.reading(false)
    const packets = 40_000
    for (let count = 0; count < packets; count++) writer.sendOn(CHANNEL, 'x'.repeat(1_000))
    await writer.ask(TYPE.binding)
    reader.reading(true)
    // The first response may be dropped like everything else; one of them arrives.
    let arrived = 0
    for (; ; arrived++) {
      reader.send(bare)
      if (!isChannelData(await reader.next())) break
    }
    assert.ok(arrived > 0 && arrived < packets, `${arrived} of ${packets} arrived`)
  })
})

/** A small pseudo-random generator with a fixed seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
