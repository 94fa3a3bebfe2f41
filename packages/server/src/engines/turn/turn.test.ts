import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { connectTurn } from '../../testing/turn-client.ts'
import { openTurn } from './open.ts'
import type { TurnSettings } from './turn.ts'

const ASKING = { environmentId: 'env_1', roomId: 'room_1', playerId: 'ply_1', localAddress: '127.0.0.1' }
const EMBEDDED = { provider: 'embedded', host: '127.0.0.1', port: 0, publicIp: undefined } as const

async function open(settings: TurnSettings) {
  const logged: string[] = []
  const log = (line: string) => void logged.push(line)
  const secret = Buffer.alloc(32, 1)
  const turn = await openTurn(settings, { clock: createStoppedClock(), random: systemRandom, log, secret })
  return { turn, logged, serversFor: serversOf(turn) }
}
const serversOf = (turn: Awaited<ReturnType<typeof openTurn>>) => async (localAddress: string) =>
  (await turn.iceServers({ ...ASKING, localAddress }))?.iceServers[0]

describe('TURN', () => {
  test('[P2P-04] is off with TURN_PROVIDER=none', async () => {
    const { turn } = await open({ provider: 'none' })
    assert.equal(await turn.iceServers(ASKING), undefined)
    await turn.close()
  })

  test('[P2P-03] on a separate server has the URLs of the settings', async () => {
    const { serversFor } = await open({ provider: 'coturn', urls: ['turn:a', 'turn:b'], secret: 's' })
    assert.deepEqual((await serversFor('127.0.0.1'))?.urls, ['turn:a', 'turn:b'])
  })

  test('[P2P-03] is embedded: UDP and TCP at the address where the player reached this machine, for one hour', async (t) => {
    const { turn, serversFor } = await open(EMBEDDED)
    t.after(() => turn.close())
    const answer = await turn.iceServers(ASKING)
    const [server] = answer?.iceServers ?? []
    assert.equal(answer?.expiresAt, '2026-01-01T01:00:00.000Z')
    assert.equal(server?.username, '1767229200:env_1/room_1:ply_1')
    const [, port = ''] = /^turn:127\.0\.0\.1:(\d+)\?transport=udp$/.exec(server?.urls[0] ?? '') ?? []
    assert.equal(server?.urls[1], `turn:127.0.0.1:${port}?transport=tcp`)

    for (const transport of ['udp', 'tcp'] as const) {
      const client = await connectTurn(Number(port), { transport })
      await client.allocate(server ?? {})
      await client.close()
    }
    const addresses = [
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8::7', '[2001:db8::7]'],
    ]
    for (const [local = '', written] of addresses)
      assert.equal((await serversFor(local))?.urls[0], `turn:${written}:${port}?transport=udp`)
  })

  test('[P2P-03] has the address PUBLIC_IP if it is set', async (t) => {
    const { turn, serversFor } = await open({ ...EMBEDDED, publicIp: '203.0.113.9' })
    t.after(() => turn.close())
    assert.match((await serversFor('127.0.0.1'))?.urls[0] ?? '', /^turn:203\.0\.113\.9:\d+\?transport=udp$/)
  })

  test('listens on every address of a name', async (t) => {
    const { turn, serversFor } = await open({ ...EMBEDDED, host: 'localhost' })
    t.after(() => turn.close())
    const server = await serversFor('127.0.0.1')
    const port = Number(/:(\d+)\?/.exec(server?.urls[0] ?? '')?.[1])
    const client = await connectTurn(port)
    await client.allocate(server ?? {})
    await client.close()
  })

  for (const transport of ['TCP', 'UDP']) {
    test(`uses another port if TURN_PORT is taken for ${transport}, and logs it`, async (t) => {
      const taken = transport === 'TCP' ? await takeTcp() : await takeUdp()
      t.after(taken.release)
      const { turn, logged, serversFor } = await open({ ...EMBEDDED, port: taken.port })
      t.after(() => turn.close())

      const server = await serversFor('127.0.0.1')
      const port = Number(/:(\d+)\?/.exec(server?.urls[0] ?? '')?.[1])
      assert.notEqual(port, taken.port)
      assert.deepEqual(logged, [
        `TURN_PORT ${taken.port} cannot be used (EADDRINUSE): TURN is on port ${port} until the next start.`,
      ])
      const client = await connectTurn(port)
      await client.allocate(server ?? {})
      await client.close()
    })
  }

  test('fails to start if HOST is not an address of this machine', async () => {
    await assert.rejects(open({ ...EMBEDDED, host: '203.0.113.9' }), /EADDRNOTAVAIL/)
  })

  test('releases its port when it is closed', async () => {
    const first = await open(EMBEDDED)
    const port = Number(/:(\d+)\?/.exec((await first.serversFor('127.0.0.1'))?.urls[0] ?? '')?.[1])
    const client = await connectTurn(port, { transport: 'tcp' })
    const closed = client.closed()
    await first.turn.close()
    await closed

    const second = await open({ ...EMBEDDED, port })
    assert.deepEqual(second.logged, [])
    await second.turn.close()
  })
})

async function takeTcp() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, release: () => void server.close() }
}

async function takeUdp() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, release: () => void socket.close() }
}
