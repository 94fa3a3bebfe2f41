import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'

import { bindingRequest, PASSWORD } from '../../../testing/binding-requests.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { createIceTcp } from './ice-tcp.ts'
import { createTcpLimits, PER_MEMBER_MAX, WAITING_MAX, WAITING_PER_ADDRESS_MAX } from './tcp-limits.ts'

async function openPort(t: TestContext) {
  const engine = createSocket('udp4').bind(0, '127.0.0.1')
  await once(engine, 'listening')
  engine.on('message', (message, { port }) => engine.send(message, port, '127.0.0.1'))
  const { port: enginePort } = engine.address()
  const passwords = new Map([['ours', PASSWORD]])
  const tcp = createIceTcp({ address: '127.0.0.1', port: () => enginePort }, passwords)
  let most = 0
  tcp.server.on('connection', () => (most = Math.max(most, tcp.connections())))
  tcp.server.listen(0, '127.0.0.1')
  await once(tcp.server, 'listening')
  const { port } = tcp.server.address() as AddressInfo
  const clients: Socket[] = []
  t.after(async () => {
    for (const client of clients) client.destroy()
    await comesTrue('all are closed', () => tcp.connections() === 0)
    tcp.server.close()
    engine.close()
  })
  async function open(localAddress = '127.0.0.1') {
    const client = connect({ port, host: '127.0.0.1', localAddress })
    client.on('error', () => {})
    clients.push(client)
    await once(client, 'connect')
    return client
  }
  async function join(client: Socket) {
    const request = bindingRequest({ tieBreaker: 7n })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(request.length)
    client.write(Buffer.concat([length, request]))
    const [answer] = (await once(client, 'data')) as [Buffer]
    assert.deepEqual(answer.subarray(2), request)
  }
  return { open, join, most: () => most }
}

test('[VOI-08] TCP connections of strangers take nothing from members', async (t) => {
  const { open, join, most } = await openPort(t)
  const member = await open()
  await join(member)
  const first = await open()
  const closed = once(first, 'close')
  for (let n = 0; n < WAITING_PER_ADDRESS_MAX; n++) await open()
  await closed
  assert.equal(most(), 1 + WAITING_PER_ADDRESS_MAX)
  const late = await open()
  await join(late)
  await join(await open('127.0.0.2'))
  assert.deepEqual([member.destroyed, late.destroyed], [false, false])
})

/** Connections at `limits`; the names of those that were ended are in `ended`. */
function entering() {
  const limits = createTcpLimits()
  const ended: string[] = []
  const enter = (address: string, label: string) => {
    const entry = limits.enter(address, () => {
      ended.push(label)
      entry.leave()
    })
    return entry
  }
  return { limits, ended, enter }
}

test('[VOI-08] where too many TCP connections wait, the oldest ends: of the address, or of all', () => {
  const { limits, ended, enter } = entering()
  enter('192.0.2.1', 'oldest of all')
  for (let n = 0; n < WAITING_PER_ADDRESS_MAX; n++) enter(`2001:db8::${n}`, `own ${n}`)
  assert.deepEqual(ended, [])
  enter('2001:db8::ffff', 'one more')
  assert.deepEqual(ended.splice(0), ['own 0'])
  for (let n = limits.count(); n < WAITING_MAX; n++) enter(`198.51.100.${n % 200}`, `other ${n}`)
  assert.deepEqual(ended, [])
  enter('203.0.113.1', 'one more')
  assert.deepEqual(ended, ['oldest of all'])
  assert.equal(limits.count(), WAITING_MAX)
})

test('[VOI-08] members have limits of their own, up to a number per member and per address', () => {
  const { limits, ended, enter } = entering()
  const admitted = (address: string, name: string) => {
    const entry = enter(address, name)
    const isAdmitted = entry.admit(name)
    if (!isAdmitted) entry.leave()
    return isAdmitted && entry
  }
  const [first] = Array.from({ length: PER_MEMBER_MAX }, () => admitted('192.0.2.1', 'one'))
  assert.equal(admitted('192.0.2.2', 'one'), false)
  assert.ok(first)
  first.leave()
  first.leave()
  assert.ok(admitted('192.0.2.2', 'one'))
  assert.equal(admitted('192.0.2.2', 'one'), false)

  const fill = (address: string) => {
    let count = 0
    while (admitted(address, `${address} ${count}`)) count++
    return count
  }
  assert.equal(fill('192.0.2.1'), 500 - (PER_MEMBER_MAX - 1))
  assert.ok(admitted('192.0.2.3', 'another'))
  for (let n = 10; n < 14; n++) fill(`192.0.2.${n}`)
  assert.equal(limits.count(), 2_000)
  assert.equal(admitted('192.0.2.20', 'late'), false)
  assert.deepEqual(ended, [])
})
