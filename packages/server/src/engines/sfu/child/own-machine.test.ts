import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { bindingRequest, PASSWORD } from '../../../testing/binding-requests.ts'
import { openOwnMachine } from './own-machine.ts'

async function bound(t: { after(run: () => void): void }, address: string): Promise<Socket> {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

test('a relay server on a loopback address forwards from other addresses only what comes from this machine and begins a known connection', async (t) => {
  const engine = await bound(t, '127.0.0.1')
  const { port } = engine.address() as AddressInfo
  const bridge = openOwnMachine({ address: '127.0.0.1', port }, new Map([['ours', PASSWORD]]))
  t.after(() => bridge.close())
  const addresses = await bridge.addresses()
  assert.deepEqual(await bridge.addresses(), addresses)

  for (const address of addresses) {
    const [client, other] = [await bound(t, address), await bound(t, '127.0.0.1')]
    const received: Buffer[] = []
    engine.on('message', (message) => received.push(message))
    // Dropped: another source, an unknown name, and no request at all.
    other.send(bindingRequest(), port, address)
    client.send(bindingRequest({ userName: 'them:x' }), port, address)
    client.send(Buffer.from('sound'), port, address)
    const request = bindingRequest()
    client.send(request, port, address)
    const [, from] = (await once(engine, 'message')) as [Buffer, { address: string; port: number }]
    assert.equal(from.address, address)
    client.send(Buffer.from('sound'), port, address)
    await once(engine, 'message')
    assert.deepEqual(received, [request, Buffer.from('sound')])

    engine.send('answer', from.port, from.address)
    const [answer] = (await once(client, 'message')) as [Buffer]
    assert.equal(String(answer), 'answer')
    engine.removeAllListeners('message')
  }
})
