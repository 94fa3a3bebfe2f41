import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { createStoppedClock, HOUR_MS, type MovableClock, SECOND_MS } from '../../../platform/clock.ts'
import { lifetimeAttribute, lifetimeIn, UDP_WANTED } from '../../../testing/turn-client.ts'
import { startRelay, type TestRelay, TURN_SECRET } from '../../../testing/turn-relay.ts'
import { ipBytes, readXorAddress } from './addresses.ts'
import { ATTRIBUTE, type Attribute, TYPE, valueOf } from './stun.ts'

const LIMITS = { allocationsMax: 5, allocationsPerEnvironmentMax: 3, allocationsPerPlayerMax: 2 }

describe('the embedded relay', () => {
  let clock: MovableClock
  let relay: TestRelay

  beforeEach(async () => {
    clock = createStoppedClock()
    relay = await startRelay({ clock, limits: LIMITS })
  })
  afterEach(() => relay.stop())

  describe('as a STUN server', () => {
    for (const transport of ['udp', 'tcp'] as const) {
      test(`returns to a client over ${transport} its own address`, async () => {
        const client = await relay.connect(transport)
        const { code, answer } = await client.ask(TYPE.binding)
        assert.equal(code, 0)
        const seen = readXorAddress(valueOf(answer, ATTRIBUTE.xorMappedAddress) ?? assert.fail(), answer.id)
        assert.deepEqual(seen?.ip, ipBytes('127.0.0.1'))
      })
    }

    test('listens on IPv6 and IPv4 together, and reports an IPv4 client as IPv4', async (t) => {
      const both = await startRelay({ host: '::' })
      t.after(both.stop)
      for (const host of ['::1', '127.0.0.1']) {
        for (const transport of ['udp', 'tcp'] as const) {
          const { answer } = await (await both.connect(transport, host)).ask(TYPE.binding)
          const seen = readXorAddress(valueOf(answer, ATTRIBUTE.xorMappedAddress) ?? assert.fail(), answer.id)
          assert.deepEqual(seen?.ip, ipBytes(host))
        }
      }
    })
  })

  describe('gives an allocation', () => {
    test('[P2P-03] to a client with credentials, on an unused address', async () => {
      const client = await relay.connect()
      const { code, answer } = await client.ask(TYPE.allocate, [UDP_WANTED], await relay.credentials('ada'))
      assert.equal(code, 0)
      assert.equal(lifetimeIn(answer), 600)
      const relayed = readXorAddress(valueOf(answer, ATTRIBUTE.xorRelayedAddress) ?? assert.fail(), answer.id)
      assert.equal((relayed?.ip.readUInt8(0) ?? 0) & 0xf8, 0xf0)
      assert.equal(relay.allocations(), 1)
    })

    test('once for a repeated request', async () => {
      const client = await relay.connect()
      const credentials = await relay.credentials('ada')
      await client.ask(TYPE.allocate, [UDP_WANTED])
      const { bytes } = client.compose(TYPE.allocate, [UDP_WANTED], credentials)
      client.send(bytes)
      client.send(bytes)
      assert.deepEqual(await client.next(), await client.next())
      assert.equal(relay.allocations(), 1)
    })

    test('only one to a client (437)', async () => {
      const { client, credentials } = await relay.enter('ada')
      assert.equal((await client.ask(TYPE.allocate, [UDP_WANTED], credentials)).code, 437)
    })

    test('for UDP over IPv4 only, and none for unknown attributes', async () => {
      const transport = (protocol: number): Attribute => [
        ATTRIBUTE.requestedTransport,
        Buffer.from([protocol, 0, 0, 0]),
      ]
      const family = (number: number): Attribute => [
        ATTRIBUTE.requestedAddressFamily,
        Buffer.from([number, 0, 0, 0]),
      ]
      assert.equal(await relay.codeOfAllocate([]), 400)
      assert.equal(await relay.codeOfAllocate([transport(6)]), 442)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED, family(2)]), 440)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED, [ATTRIBUTE.evenPort, Buffer.from([0x80])]]), 508)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED, [0x0022, Buffer.alloc(8)]]), 420)
      assert.equal(relay.allocations(), 0)
      assert.equal(
        await relay.codeOfAllocate([
          UDP_WANTED,
          family(1),
          [ATTRIBUTE.evenPort, Buffer.from([0])],
          [0x8022, Buffer.from('a client')],
        ]),
        0,
      )
    })

    test('up to the quota of a player (486), of an environment and in total (508)', async () => {
      for (const name of ['ada', 'ada', 'bob']) await relay.enter(name)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED]), 486)
      assert.equal(
        await relay.codeOfAllocate([UDP_WANTED], await relay.credentials('ada', 'another room')),
        486,
      )
      assert.equal(await relay.codeOfAllocate([UDP_WANTED], await relay.credentials('cleo')), 508)
      for (const name of ['dora', 'eli']) await relay.enter(name, { environment: 'other' })
      assert.equal(
        await relay.codeOfAllocate([UDP_WANTED], await relay.credentials('fay', 'room', 'other')),
        508,
      )
      assert.equal(relay.allocations(), 5)
    })

    test('again after one is released', async () => {
      const player = await relay.enter('ada')
      await relay.enter('ada')
      assert.equal(await relay.codeOfAllocate([UDP_WANTED]), 486)
      const { code, answer } = await player.refresh(player.credentials, lifetimeAttribute(0))
      assert.deepEqual([code, lifetimeIn(answer)], [0, 0])
      assert.equal(await relay.codeOfAllocate([UDP_WANTED]), 0)
    })
  })

  describe('rejects credentials', () => {
    test('[P2P-03] that are wrong, invented or missing (401)', async () => {
      const good = await relay.credentials('ada')
      const [expiry = ''] = (good.username ?? '').split(':')
      for (const credentials of [
        { ...good, credential: 'wrong' },
        { ...good, username: `${expiry}:env/room:bob` },
        { ...good, username: `${expiry}:env/other:ada` },
        { ...good, username: `${Number(expiry) + 1}:env/room:ada` },
        { ...good, username: 'ada' },
        { ...good, username: '' },
        { ...good, username: `${expiry}:env/room:ada:ada` },
      ]) {
        assert.equal(await relay.codeOfAllocate([UDP_WANTED], credentials), 401)
      }
      assert.equal((await (await relay.connect()).ask(TYPE.allocate, [UDP_WANTED])).code, 401)
      assert.equal(relay.allocations(), 0)
    })

    test('[P2P-03] exactly one hour after their creation', async () => {
      const credentials = await relay.credentials('ada')
      clock.advance(HOUR_MS - SECOND_MS)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED], credentials), 0)
      clock.advance(SECOND_MS)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED], credentials), 401)
    })

    test('that expire while it responds, and continues to work', async (t) => {
      let nowMs = clock.now().getTime()
      let tickMs = 0
      const readMs = () => (nowMs += tickMs)
      const ticking = await startRelay({ clock: { now: () => new Date(readMs()), elapsedMs: readMs } })
      t.after(ticking.stop)
      const credentials = await ticking.credentials('ada')
      const expiresAtMs = nowMs + HOUR_MS
      // The clock advances by one millisecond per read, so each read in turn is the first that finds them expired.
      for (let leftMs = 0; leftMs < 20; leftMs++) {
        tickMs = 0
        nowMs = expiresAtMs - leftMs
        const client = await ticking.connect()
        await client.ask(TYPE.allocate, [UDP_WANTED])
        tickMs = 1
        const { code } = await client.ask(TYPE.allocate, [UDP_WANTED], credentials)
        assert.ok([0, 401].includes(code), `${code}`)
      }
    })

    test('of a service with another secret key, but accepts those of a node with the same key', async (t) => {
      const sibling = await startRelay({ clock, secret: TURN_SECRET })
      const stranger = await startRelay({ clock, secret: Buffer.from('another secret key') })
      t.after(sibling.stop)
      t.after(stranger.stop)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED], await sibling.credentials('ada')), 0)
      assert.equal(await relay.codeOfAllocate([UDP_WANTED], await stranger.credentials('ada')), 401)
    })

    test('with a nonce that is old, of another client or invented (438), and returns a new one', async () => {
      const { client: other } = await relay.enter('bob')
      const foreign = other.nonce() ?? assert.fail()
      const client = await relay.connect()
      const credentials = await relay.credentials('ada')
      for (const nonce of [foreign, Buffer.from('AAAAAAAAAAAAAA'), Buffer.from('x'), Buffer.alloc(0)]) {
        client.useNonce(nonce)
        assert.equal((await client.ask(TYPE.allocate, [UDP_WANTED], credentials)).code, 438)
      }
      assert.equal((await client.ask(TYPE.allocate, [UDP_WANTED], credentials)).code, 0)
      clock.advance(HOUR_MS)
      assert.equal((await client.ask(TYPE.refresh, [], await relay.credentials('ada'))).code, 438)
    })

    test('of another player for an allocation that has an owner (441)', async () => {
      const player = await relay.enter('ada')
      for (const credentials of [
        await relay.credentials('bob'),
        await relay.credentials('ada', 'other'),
        await relay.credentials('ada', 'room', 'other'),
      ]) {
        assert.equal((await player.refresh(credentials)).code, 441)
        assert.equal(await player.client.permit(player.address, credentials), 441)
      }
    })
  })
})
