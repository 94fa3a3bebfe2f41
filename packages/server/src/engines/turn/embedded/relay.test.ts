import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { createStoppedClock, MINUTE_MS, type MovableClock, SECOND_MS } from '../../../platform/clock.ts'
import { lifetimeAttribute, lifetimeIn, peerAttribute } from '../../../testing/turn-client.ts'
import { CHANNEL, startRelay, type TestRelay } from '../../../testing/turn-relay.ts'
import { ipBytes } from './addresses.ts'
import { ATTRIBUTE, type Attribute, TYPE } from './stun.ts'

const LIMITS = { channelsPerAllocationMax: 2, bytesPerSecondMax: 10_000 }

describe('the embedded relay', () => {
  let clock: MovableClock
  let relay: TestRelay

  beforeEach(async () => {
    clock = createStoppedClock()
    relay = await startRelay({ clock, limits: LIMITS })
  })
  afterEach(() => relay.stop())

  describe('relays between players of one room', () => {
    for (const [one, other] of [
      ['udp', 'udp'],
      ['udp', 'tcp'],
      ['tcp', 'tcp'],
    ] as const) {
      test(`over ${one} and ${other}, both ways, with indications and with channels`, async () => {
        const ada = await relay.enter('ada', { transport: one })
        const bob = await relay.enter('bob', { transport: other })
        assert.deepEqual([await ada.permit(bob), await bob.permit(ada)], [0, 0])
        ada.client.sendTo(bob.address, 'hello')
        assert.equal(await bob.client.nextText(), `${ada.address.port} hello`)

        assert.equal(await bob.bind(ada), 0)
        ada.client.sendTo(bob.address, 'by channel')
        assert.equal(await bob.client.nextText(), '#4000 by channel')
        for (const text of ['', 'a', 'ab', 'abc', 'abcd', 'x'.repeat(1_400)]) {
          bob.client.sendOn(CHANNEL, text)
          assert.equal(await ada.client.nextText(), `${bob.address.port} ${text}`)
        }
      })
    }

    test('once both have permitted it, and not before', async () => {
      const [ada, bob] = [await relay.enter('ada'), await relay.enter('bob')]
      ada.client.sendTo(bob.address, 'one')
      await ada.permit(bob)
      ada.client.sendTo(bob.address, 'two')
      bob.client.sendTo(ada.address, 'two')
      assert.deepEqual(await ada.client.receivedSoFar(), [])
      assert.deepEqual(await bob.client.receivedSoFar(), [])
      assert.deepEqual(await ada.client.receivedSoFar(), [])
      await bob.permit(ada)
      ada.client.sendTo(bob.address, 'three')
      assert.equal(await bob.client.nextText(), `${ada.address.port} three`)
    })

    test('for 5 minutes after a permission and 10 after a channel was bound', async () => {
      const [ada, bob] = [await relay.enter('ada'), await relay.enter('bob')]
      await ada.bind(bob)
      await bob.bind(ada)
      clock.advance(5 * MINUTE_MS - 1)
      ada.client.sendOn(CHANNEL, 'in time')
      assert.equal(await bob.client.nextText(), '#4000 in time')
      clock.advance(1)
      ada.client.sendOn(CHANNEL, 'too late')
      await ada.client.receivedSoFar()
      assert.deepEqual(await bob.client.receivedSoFar(), [])

      clock.advance(5 * MINUTE_MS - 1)
      for (const player of [ada, bob]) await player.refresh()
      clock.advance(1)
      for (const [from, to] of [
        [ada, bob],
        [bob, ada],
      ] as const)
        await from.permit(to)
      ada.client.sendOn(CHANNEL, 'the channel is gone')
      ada.client.sendTo(bob.address, 'the permission is not')
      assert.equal(await bob.client.nextText(), `${ada.address.port} the permission is not`)
    })

    test('up to the rate limit, and more after some time', async () => {
      const [ada, bob] = [await relay.enter('ada'), await relay.enter('bob')]
      await ada.bind(bob)
      await bob.bind(ada)
      const burst = async (count: number) => {
        for (let sent = 0; sent < count; sent++) ada.client.sendOn(CHANNEL, 'x'.repeat(936))
        await ada.client.receivedSoFar()
        return (await bob.client.receivedSoFar()).length
      }
      assert.equal(await burst(12), 10)
      clock.advance(300)
      assert.equal(await burst(12), 3)
      clock.advance(MINUTE_MS)
      assert.equal(await burst(12), 10)
    })

    test('on at most the maximum number of channels, each number bound to one peer', async () => {
      const [ada, bob, cleo] = [await relay.enter('ada'), await relay.enter('bob'), await relay.enter('cleo')]
      assert.equal(await ada.bind(bob, 0x3fff), 400)
      assert.equal(await ada.bind(bob, 0x8000), 400)
      assert.equal(await ada.bind(bob, 0x4000), 0)
      assert.equal(await ada.bind(bob, 0x4000), 0)
      assert.equal(await ada.bind(bob, 0x4001), 400)
      assert.equal(await ada.bind(cleo, 0x4000), 400)
      assert.equal(await ada.bind(cleo, 0x7fff), 0)
      assert.equal(await ada.bind(ada, 0x4002), 508)
    })
  })

  describe('relays no data', () => {
    test('[P2P-03] to another room or environment (403)', async () => {
      const ada = await relay.enter('ada')
      for (const place of [{ room: 'other' }, { environment: 'other' }]) {
        const eve = await relay.enter('eve', place)
        assert.deepEqual([await eve.permit(ada), await eve.bind(ada)], [403, 403])
        assert.deepEqual([await ada.permit(eve), await ada.bind(eve)], [403, 403])
        await eve.permit(eve)
        await ada.permit(ada)
        eve.client.sendTo(ada.address, 'let me in')
        eve.client.sendOn(CHANNEL, 'let me in')
        assert.deepEqual(await eve.client.receivedSoFar(), [])
        assert.deepEqual(await ada.client.receivedSoFar(), [])
      }
    })

    test('to any other host: no open relay, no way into the operator’s network (403)', async () => {
      const { client, credentials, address } = await relay.enter('ada')
      for (const ip of [
        '127.0.0.1',
        '169.254.169.254',
        '10.0.0.1',
        '0.0.0.0',
        '255.255.255.255',
        '8.8.8.8',
        '::1',
      ]) {
        const peer = { ip: ipBytes(ip), port: relay.port }
        assert.equal(await client.permit(peer, credentials), 403, ip)
        assert.equal(await client.bind(CHANNEL, peer, credentials), 403, ip)
        const mixed = [peerAttribute(address), peerAttribute(peer)]
        assert.equal((await client.ask(TYPE.createPermission, mixed, credentials)).code, 403, ip)
      }
    })

    test('without a peer, or with an incomplete one (400)', async () => {
      const { client, credentials } = await relay.enter('ada')
      const half: Attribute = [ATTRIBUTE.xorPeerAddress, Buffer.from([0, 1, 0])]
      const strange: Attribute = [ATTRIBUTE.xorPeerAddress, Buffer.from([0, 3, 0, 0, 0, 0, 0, 0])]
      for (const attributes of [[], [half], [strange]]) {
        assert.equal((await client.ask(TYPE.createPermission, attributes, credentials)).code, 400)
        assert.equal((await client.ask(TYPE.channelBind, attributes, credentials)).code, 400)
      }
    })

    test('without an allocation (437)', async () => {
      const ada = await relay.enter('ada')
      const client = await relay.connect()
      const credentials = await relay.credentials('bob')
      assert.equal(await client.permit(ada.address, credentials), 437)
      assert.equal(await client.bind(CHANNEL, ada.address, credentials), 437)
      assert.equal((await client.ask(TYPE.refresh, [], credentials)).code, 437)
      client.sendTo(ada.address, 'anyone?')
      client.sendOn(CHANNEL, 'anyone?')
      assert.deepEqual(await client.receivedSoFar(), [])
    })
  })

  describe('ends an allocation', () => {
    test('10 minutes after its last refresh', async () => {
      const player = await relay.enter('ada')
      clock.advance(10 * MINUTE_MS - 1)
      const { code, answer } = await player.refresh()
      assert.deepEqual([code, lifetimeIn(answer)], [0, 600])
      clock.advance(10 * MINUTE_MS)
      assert.equal((await player.refresh()).code, 437)
      assert.equal(relay.allocations(), 0)
    })

    test('with its credentials at the latest, unless the player has new ones', async () => {
      const player = await relay.enter('ada')
      for (let minutes = 9; minutes < 54; minutes += 9) {
        clock.advance(9 * MINUTE_MS)
        assert.equal(lifetimeIn((await player.refresh()).answer), 600)
      }
      clock.advance(9 * MINUTE_MS)
      assert.equal(lifetimeIn((await player.refresh()).answer), 6 * 60)
      const renewed = await relay.credentials('ada')
      assert.equal(lifetimeIn((await player.refresh(renewed)).answer), 600)
    })

    test('when its client requests it, and receives nothing afterwards', async () => {
      const [ada, bob] = [await relay.enter('ada'), await relay.enter('bob')]
      await ada.bind(bob)
      await bob.bind(ada)
      await bob.refresh(bob.credentials, lifetimeAttribute(0))
      ada.client.sendOn(CHANNEL, 'are you there?')
      await ada.client.receivedSoFar()
      assert.deepEqual(await bob.client.receivedSoFar(), [])
      assert.notEqual((await relay.enter('bob')).address.port, bob.address.port)
    })

    test('when its TCP connection closes', async () => {
      const { client } = await relay.enter('ada', { transport: 'tcp' })
      const stays = await relay.enter('bob', { transport: 'tcp' })
      await client.close()
      while (relay.allocations() > 1) await stays.client.ask(TYPE.binding)
      assert.equal((await stays.refresh()).code, 0)
    })

    test('when it expires, and closes a TCP connection without use', async () => {
      await relay.enter('ada')
      const idle = await relay.connect('tcp')
      const busy = await relay.enter('bob', { transport: 'tcp' })
      const gone = idle.closed()
      clock.advance(30 * SECOND_MS)
      await gone
      assert.equal((await busy.refresh()).code, 0)

      const over = busy.client.closed()
      clock.advance(10 * MINUTE_MS)
      await over
      assert.equal(relay.allocations(), 0)
    })
  })
})
