import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { openOwnMachine } from './own-machine.ts'

/** A binding request for the user name `ours`, as far as it is read. */
function bindingRequest(name: string): Buffer {
  const attributes = Buffer.alloc(4 + 8 + 4 + 20)
  attributes.writeUInt16BE(0x0006, 0)
  attributes.writeUInt16BE(name.length, 2)
  attributes.write(name, 4)
  attributes.writeUInt16BE(0x0008, 12)
  attributes.writeUInt16BE(20, 14)
  const header = Buffer.alloc(20)
  header.writeUInt16BE(1, 0)
  header.writeUInt16BE(attributes.length, 2)
  header.writeUInt32BE(0x2112a442, 4)
  return Buffer.concat([header, attributes])
}

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
  const bridge = openOwnMachine({ address: '127.0.0.1', port }, new Map([['ours', 'password']]))
  t.after(() => bridge.close())
  const addresses = await bridge.addresses()
  assert.deepEqual(await bridge.addresses(), addresses)

  for (const address of addresses) {
    const [client, other] = [await bound(t, address), await bound(t, '127.0.0.1')]
    const received: Buffer[] = []
    engine.on('message', (message) => received.push(message))
    // Dropped: another source, an unknown name, and no request at all.
    other.send(bindingRequest('ours:x'), port, address)
    client.send(bindingRequest('them:x'), port, address)
    client.send(Buffer.from('sound'), port, address)
    const request = bindingRequest('ours:x')
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
