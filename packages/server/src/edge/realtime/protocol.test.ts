import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newGuest } from '../../testing/guests.ts'
import { type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

describe('what is wrong with a frame', () => {
  let service: Service
  let side: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    service = await startService('sqlite')
    side = (await service.newProject()).development
    await side.server('PUT', '/v1/config', { features: { multiplayer: true, realtimeChannels: true } })
  })
  after(() => service.stop())

  const REFUSED: [what: string, member: string, reason: RegExp][] = [
    ['U+0000', '"data":"a\\u0000b"', /U\+0000/],
    ['half of a surrogate pair', '"data":"\\ud83d"', /surrogate/],
    ['65 levels', `"data":${'['.repeat(64)}${']'.repeat(64)}`, /nested/],
    ['a number that is too large', '"data":1e400', /number/],
    ['a key named __proto__', '"data":{"__proto__":1}', /__proto__/],
  ]
  for (const [what, member, reason] of REFUSED)
    for (const rid of ['"mine"', '7'])
      test(`[WSK-07] [WSK-10] [GEN-06] ${what} is told to whoever waits for ${rid}, and third time ends the connection`, async () => {
        const socket = await connect(service, side)
        for (let frame = 1; frame <= 2; frame++) {
          socket.send(`{"t":"send","type":"x",${member},"rid":${rid}}`)
          const { error, ...rest } = await socket.until(({ t }) => t === 'reply' || t === 'warn', 'an answer')
          assert.deepEqual(rest, { t: 'reply', rid: JSON.parse(rid), ok: false })
          assert.equal(error.code, 'invalid_frame')
          assert.match(error.details.reason, reason)
        }
        socket.send(`{"t":"send","type":"x",${member},"rid":${rid}}`)
        assert.deepEqual(await socket.closed, { code: 4001, reason: 'invalid_frame' })
      })

  test('[WSK-07] [WSK-10] so is a missing t', async () => {
    const socket = await connect(service, side)
    socket.send('{"rid":1}')
    const { ok, error } = await socket.next('reply')
    assert.deepEqual([ok, error.code, error.details], [false, 'invalid_frame', { reason: 't is missing' }])
    await socket.close()
  })

  for (const rid of ['"a\\u0000"', '"\\ud83d"', '1e400'])
    test(`[WSK-07] a rid that cannot be sent back as it came is answered by a warning: ${rid}`, async () => {
      const socket = await connect(service, side)
      socket.send(`{"t":"leave","rid":${rid}}`)
      assert.equal((await socket.next('warn'))['code'], 'invalid_frame')
      await socket.close()
    })

  test('[WSK-07] a rid has at most 64 code points, however many units each takes', async () => {
    const socket = await connect(service, side)
    for (const rid of ['🎲'.repeat(64), `${'x'.repeat(63)}🎲`]) {
      socket.send({ t: 'nothing', rid })
      assert.equal((await socket.next('reply'))['rid'], rid)
    }
    for (const rid of ['🎲'.repeat(65), `${'x'.repeat(64)}🎲`]) {
      socket.send({ t: 'nothing', rid })
      assert.equal((await socket.next('warn'))['code'], 'invalid_frame')
    }
    await socket.close()
  })

  test('[WSK-08] what is told of a request is a whole text, wherever it was cut', async () => {
    const socket = await connect(service, side)
    socket.send({ t: `${'x'.repeat(63)}🎲` })
    const { request, details } = await socket.next('warn')
    assert.deepEqual([request, details.t], Array(2).fill(`${'x'.repeat(63)}\ufffd`))
    await socket.close()
  })

  test('[WSK-08] [CHN-10] a warning names the channel that the request named', async () => {
    const socket = await connect(service, side, await newGuest(side))
    for (const channel of ['one', 'two']) await socket.request({ t: 'channelJoin', channel })
    for (let i = 0; i < 21; i++) socket.send({ t: 'channelSend', channel: 'two', type: 'x' })
    socket.send({ t: 'channelSend', channel: 'three', type: 'x' })
    socket.send({ t: 'channelSend', channel: 'x'.repeat(65), type: 'x' })
    socket.send({ t: 'channelSend', channel: 3, type: 'x' })
    socket.send({ t: 'leave' })

    const told = []
    for (let i = 0; i < 5; i++) {
      const { code, request, channel } = await socket.next('warn')
      told.push([code, request, channel])
    }
    assert.deepEqual(told, [
      ['rate_limited', 'channelSend', 'two'],
      ['not_in_channel', 'channelSend', 'three'],
      ['not_in_channel', 'channelSend', 'x'.repeat(64)],
      ['invalid_request', 'channelSend', undefined],
      ['not_in_room', 'leave', undefined],
    ])
    await socket.close()
  })
})
