import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { clientFrame, clientText, closesOf, openRaw, type RawClient } from '../../testing/raw-websocket.ts'
import { type Service, startService } from '../../testing/service.ts'
import { portOf } from '../../testing/sockets.ts'

const BURST = LIMITS.controlFramesBurstMax
const ping = clientFrame({ opcode: 9 })
const pong = clientFrame({ opcode: 10 })
const firstFragment = clientFrame({
  opcode: 1,
  isFinal: false,
  payload: ' '.repeat(LIMITS.shortFragmentBytes),
})
const fragment = (payloadBytes: number) =>
  clientFrame({ opcode: 0, isFinal: false, payload: ' '.repeat(payloadBytes) })
const times = (count: number, frame: Buffer) => Array.from({ length: count }, () => frame)
const request = (rid: string) => JSON.stringify({ t: 'cancelMatch', rid })

describe('a client that floods', () => {
  let service: Service
  let side: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    service = await startService('sqlite')
    side = (await service.newProject()).development
    await side.server('PUT', '/v1/config', { features: { multiplayer: true, realtimeChannels: true } })
  })
  after(() => service.stop())

  const knock = async (first?: Buffer) => openRaw(await portOf(service), first)
  async function authFrame(rest: object = {}) {
    const { body } = await side.public('POST', '/v1/auth/guest', {})
    return JSON.stringify({ t: 'auth', key: side.publishableKey, token: body.accessToken, ...rest })
  }
  async function enter(who: 'player' | 'anonymous' = 'player') {
    const anonymous = JSON.stringify({ t: 'auth', key: side.publishableKey, anon: true })
    const client = await knock(clientText(who === 'player' ? await authFrame() : anonymous))
    await client.next(1)
    return client
  }
  async function reply(client: RawClient, rid: string) {
    const isIt = () => client.frames.some(({ payload }) => payload.includes(`"rid":"${rid}"`))
    while (!isIt()) {
      assert.ok(!client.socket.closed, `closed with ${JSON.stringify(closesOf(client.frames))}`)
      await Promise.race([once(client.socket, 'data'), client.ended])
    }
  }
  /** Waits until the server has closed the connection. */
  async function closeOf(client: RawClient) {
    await client.ended
    return closesOf(client.frames)[0]
  }

  for (const [name, begin, frames] of [
    ['pings', [], (count: number) => times(count, ping)],
    ['pongs', [], (count: number) => times(count, pong)],
    ['empty fragments', [firstFragment], (count: number) => times(count, fragment(0))],
    [
      'short fragments',
      [firstFragment],
      (count: number) => times(count, fragment(LIMITS.shortFragmentBytes - 1)),
    ],
    ['pings and pongs', [], (count: number) => times(count, ping).map((frame, i) => (i % 2 ? frame : pong))],
  ] as const) {
    test(`[WSK-12] a burst of ${BURST} ${name} is accepted, one more closes the connection with 4029`, async () => {
      const client = await enter()
      client.send(...begin, ...frames(BURST))
      // A message that has begun must end before a request is read.
      client.send(
        begin.length > 0 ? clientFrame({ opcode: 0, payload: request('1') }) : clientText(request('1')),
      )
      await reply(client, '1')

      const another = await enter()
      another.send(...begin, ...frames(BURST + 1))
      assert.deepEqual(await closeOf(another), [4029, 'rate_limited'])
      client.socket.destroy()
    })
  }

  test('[WSK-12] after the burst 10 control frames a second are accepted', async () => {
    const client = await enter()
    client.send(...times(BURST, ping), clientText(request('burst')))
    await reply(client, 'burst')
    service.clock.advance(1_000)
    client.send(...times(LIMITS.controlFramesPerSecondMax, ping), clientText(request('second')))
    await reply(client, 'second')
    client.send(ping)
    assert.deepEqual(await closeOf(client), [4029, 'rate_limited'])
  })

  test('[WSK-12] an anonymous connection has the same limit of control frames', async () => {
    const client = await enter('anonymous')
    client.send(...times(BURST + 1, ping))
    assert.deepEqual(await closeOf(client), [4029, 'rate_limited'])
  })

  test('[WSK-12] fragments of 128 bytes do not count: a message of 16 KB may consist of them', async () => {
    const client = await enter()
    client.send(firstFragment, ...times(127, fragment(LIMITS.shortFragmentBytes)))
    client.send(clientFrame({ opcode: 0, payload: request('1') }))
    await reply(client, '1')
    client.socket.destroy()
  })

  test('[WSK-20] 600 small frames of a connection in a room are accepted together, one more is dropped', async () => {
    const client = await enter()
    client.send(clientText('{"t":"create","rid":"room"}'))
    await reply(client, 'room')
    service.clock.advance(10_000)
    const frames = Array.from({ length: LIMITS.roomFramesBurstMax + 1 }, (_, n) => ({
      t: 'send',
      type: 'n',
      rid: `n${n}`,
    }))
    client.send(...frames.map((frame) => clientText(JSON.stringify(frame))))
    await reply(client, `n${LIMITS.roomFramesBurstMax}`)
    const refused = client.frames.filter(({ payload }) => payload.includes('"rate_limited"'))
    assert.deepEqual(
      refused.map(({ payload }) => JSON.parse(String(payload)).rid),
      [undefined, `n${LIMITS.roomFramesBurstMax}`],
    )
    client.socket.destroy()
  })

  test('[WSK-20] a dropped frame with a `rid` is answered, 256 of them between two warnings', async () => {
    const { droppedFrameRepliesMax: repliesMax, framesBurstMax } = LIMITS
    const client = await enter()
    const sent = framesBurstMax + repliesMax + 100
    client.send(...Array.from({ length: sent }, (_, rid) => clientText(`{"t":"x","rid":${rid}}`)))
    client.send(ping)
    while (!client.frames.some(({ opcode }) => opcode === 10)) await once(client.socket, 'data')
    const codesOf = (t: string) =>
      client.frames
        .map(({ payload }) => String(payload))
        .filter((text) => text.startsWith(`{"t":"${t}"`))
        .map((text) => (JSON.parse(text).error ?? JSON.parse(text)).code)
    assert.deepEqual(codesOf('warn'), ['rate_limited'])
    assert.deepEqual(
      Object.entries(Object.groupBy(codesOf('reply'), String)).map(([code, all]) => [code, all?.length]),
      [
        ['unknown_type', framesBurstMax],
        ['rate_limited', repliesMax],
      ],
    )
    client.socket.destroy()
  })

  test('[WSK-20] a ping is answered before requests that wait, above the rate of frames, and counts as a control frame', async () => {
    const auth = clientText(await authFrame({ rid: 'auth' }))
    const client = await knock(auth)
    await client.next(2)
    client.send(auth, clientText('{"t":"ping","rid":"first"}'))
    const frames = await client.next(2)
    assert.deepEqual(
      frames.map(({ payload }) => JSON.parse(String(payload)).rid),
      ['first', 'auth'],
    )
    client.socket.destroy()

    const another = await enter()
    another.send(...times(BURST * 3, clientText('{"t":"x"}')))
    another.send(...times(BURST, clientText('{"t":"ping","rid":7}')), clientText('{"t":"ping","rid":8}'))
    assert.deepEqual(await closeOf(another), [4029, 'rate_limited'])
    const answers = another.frames.filter(({ payload }) => payload.includes('"rid":7,"ok":true'))
    assert.equal(answers.length, BURST)
  })

  test('[WSK-12] 1,200 dropped frames after a warning are tolerated, one more closes with 4029', async () => {
    const borne = LIMITS.framesBurstMax + 1 + LIMITS.droppedFramesMax
    const client = await enter()
    client.send(...times(borne, clientText('{"t":"x","rid":1}')), ping)
    while (!client.frames.some(({ opcode }) => opcode === 10)) await once(client.socket, 'data')
    service.clock.advance(1_000)
    client.send(clientText(request('1')))
    await reply(client, '1')
    client.socket.destroy()

    const another = await enter()
    another.send(...times(borne + 1, clientText('{"t":"x","rid":1}')))
    assert.deepEqual(await closeOf(another), [4029, 'rate_limited'])
  })

  describe('a client before its auth frame', () => {
    test(`[WSK-12] may send ${BURST} control frames; one more closes with 1008`, async () => {
      const client = await knock(Buffer.concat([...times(BURST, ping), clientText(await authFrame())]))
      const frames = await client.next(2)
      assert.ok(frames.some(({ payload }) => payload.includes('"t":"welcome"')))
      client.socket.destroy()

      const another = await knock(Buffer.concat(times(BURST + 1, ping)))
      assert.deepEqual(await closeOf(another), [1008, 'rate_limited'])
    })

    test('[WSK-12] may not exceed the limit with empty fragments', async () => {
      const client = await knock(Buffer.concat([firstFragment, ...times(BURST + 1, fragment(0))]))
      assert.deepEqual(await closeOf(client), [1008, 'rate_limited'])
    })

    test('[WSK-12] may send 8 KB, the auth frame included; one byte more closes with 1008', async () => {
      const bare = await authFrame({ extra: '' })
      const ofBytes = (bytes: number) =>
        clientText(bare.replace('""', `"${'x'.repeat(bytes - bare.length - 8)}"`))
      assert.equal(ofBytes(LIMITS.authFrameBytesMax).length, LIMITS.authFrameBytesMax)
      const client = await knock(ofBytes(LIMITS.authFrameBytesMax))
      assert.match(String((await client.next(1))[0]?.payload), /welcome/)
      client.socket.destroy()

      const another = await knock(ofBytes(LIMITS.authFrameBytesMax + 1))
      assert.deepEqual(await closeOf(another), [1008, 'payload_too_large'])
    })

    test('[WSK-12] may not exceed the limit of bytes with small packets', async () => {
      const client = await knock()
      client.send(clientFrame({ opcode: 1, isFinal: false, payload: '{"t":"auth","x":"' }))
      for (let sent = 0; sent < 80 && !client.socket.closed; sent++)
        client.send(fragment(LIMITS.shortFragmentBytes))
      assert.deepEqual(await closeOf(client), [1008, 'payload_too_large'])
    })

    test('[WSK-01] frames sent directly after the auth frame wait for it, whatever their size', async () => {
      const large = clientText(JSON.stringify({ t: 'no such type', rid: 'large', x: 'x'.repeat(60_000) }))
      const many = times(50, clientText('{"t":"x"}'))
      const client = await knock(
        Buffer.concat([clientText(await authFrame()), large, ...many, clientText(request('last'))]),
      )
      await reply(client, 'large')
      await reply(client, 'last')
      client.socket.destroy()
    })
  })
})
