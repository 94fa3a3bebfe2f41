import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'

import { connectTurn } from '../../../testing/turn-client.ts'
import { startRelay, type TestRelay } from '../../../testing/turn-relay.ts'

let relay: TestRelay
beforeEach(async () => {
  relay = await startRelay()
})
afterEach(() => relay.stop())

const ROOM = { environmentId: 'env', roomId: 'room', playerId: 'ada', localAddress: '127.0.0.1' }

/** The address of an interface; undefined on a machine that has none. */
async function ownAddress(): Promise<string | undefined> {
  const answer = await relay.iceServers(ROOM)
  const urls = answer?.iceServers[0]?.urls ?? []
  assert.deepEqual(
    urls.slice(0, 2),
    ['udp', 'tcp'].map((transport) => `turn:127.0.0.1:${relay.port}?transport=${transport}`),
  )
  const [, address, port] = /^turn:([\d.]+):(\d+)\?transport=udp$/.exec(urls[2] ?? '') ?? []
  assert.equal(port ?? String(relay.port), String(relay.port))
  return address
}

test('[P2P-03] a relay on a loopback address is also on an address of an interface, for programs of this machine only', async () => {
  const address = await ownAddress()
  // Many requests at the same time open it once.
  assert.deepEqual(
    await Promise.all(Array.from({ length: 5 }, ownAddress)),
    Array.from({ length: 5 }, () => address),
  )
  if (address === undefined) return
  const ada = await connectTurn(relay.port, { transport: 'udp', host: address })
  await ada.allocate(await relay.credentials('ada'))
  await ada.close()

  // Not from an address of an interface, so dropped: the answer to the second request is the only one.
  const [stranger, friend] = [createSocket('udp4'), createSocket('udp4')]
  stranger.bind(0, '127.0.0.1')
  friend.bind(0, address)
  const binding = Buffer.from('000100002112a442000000000000000000000000', 'hex')
  const heard: string[] = []
  stranger.on('message', () => heard.push('stranger'))
  stranger.send(binding, relay.port, address)
  friend.send(binding, relay.port, address)
  await once(friend, 'message')
  assert.deepEqual(heard, [])
  stranger.close()
  friend.close()
})

test('a relay on all addresses opens no further one', async () => {
  const open = await startRelay({ host: '0.0.0.0' })
  assert.equal((await open.iceServers(ROOM))?.iceServers[0]?.urls.length, 2)
  await open.stop()
})
