import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newGuest } from '../../testing/guests.ts'
import { nestedJson } from '../../testing/json-text.ts'
import { type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

describe('invalid frames', () => {
  let service: Service
  let side: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    service = await startService('sqlite')
    side = (await service.newProject()).development
    await side.server('PUT', '/v1/config', { features: { multiplayer: true, realtimeChannels: true } })
  })
  after(() => service.stop())

  const REFUSED: [what: string, member: string, path: string, reason: RegExp][] = [
    ['U+0000', '"type":"a\\u0000b"', '$.type', /U\+0000/],
    ['half of a surrogate pair', '"type":"x","to":["\\ud83d"]', '$.to[0]', /surrogate/],
    ['65 levels', `"type":"x","more":${nestedJson(64)}`, '$.more', /64 levels/],
    ['a number that is too large', '"type":"x","more":1e400', '$.more', /finite/],
    ['a key named __proto__', '"type":"x","more":{"__proto__":1}', '$.more', /__proto__/],
    ['data of 513 levels', `"type":"x","data":${nestedJson(513)}`, '$.data', /512 levels/],
  ]
  for (const [what, member, path, reason] of REFUSED)
    for (const rid of ['"mine"', '7'])
      test(`[WSK-07] [WSK-10] ${what} is rejected in the reply to ${rid}, and does not count as a broken frame`, async () => {
        const socket = await connect(service, side, await newGuest(side))
        for (let frame = 1; frame <= 4; frame++) {
          socket.send(`{"t":"send",${member},"rid":${rid}}`)
          const { error, ...rest } = await socket.until(({ t }) => t === 'reply' || t === 'warn', 'an answer')
          assert.deepEqual(rest, { t: 'reply', rid: JSON.parse(rid), ok: false })
          assert.equal(error.code, 'invalid_request')
          assert.deepEqual(
            error.details.errors.map((problem: { path: string }) => problem.path),
            [path],
          )
          assert.match(error.details.errors[0].message, reason)
        }
        await socket.close()
      })

  test('[WSK-10] frames without carried data have the same checks', async () => {
    const socket = await connect(service, side, await newGuest(side))
    for (const [member, path] of [
      ['"roomId":"a\\u0000"', '$.roomId'],
      ['"roomId":"a","more":-1e400', '$.more'],
      ['"roomId":"a","data":{"__proto__":1}', '$.data'],
    ]) {
      socket.send(`{"t":"join","rid":1,${member}}`)
      const { error } = await socket.next('reply')
      assert.deepEqual([error.code, error.details.errors[0].path], ['invalid_request', path])
    }
    await socket.close()
  })

  test('[WSK-07] [WSK-10] a missing t is rejected, and does not count as a broken frame', async () => {
    const socket = await connect(service, side)
    for (const t of ['', '"t":5,', '"t":null,', '"t":["leave"],']) {
      socket.send(`{${t}"rid":1}`)
      const { ok, error } = await socket.next('reply')
      assert.deepEqual([ok, error.code, error.details.errors[0].path], [false, 'invalid_request', '$.t'])
    }
    socket.send('{}')
    assert.equal((await socket.next('warn'))['code'], 'invalid_request')
    await socket.close()
  })

  test('[WSK-10] broken frames are forgotten after a minute', async () => {
    const socket = await connect(service, side)
    const breakOne = async () => {
      socket.send('{')
      assert.equal((await socket.next('warn'))['code'], 'invalid_frame')
    }
    await breakOne()
    service.clock.advance(30_000)
    await breakOne()
    service.clock.advance(30_000)
    await breakOne()
    service.clock.advance(29_999)
    socket.send('[]')
    assert.deepEqual(await socket.closed, { code: 4001, reason: 'invalid_frame' })
  })

  for (const rid of [
    '"a\\u0000"',
    '"\\ud83d"',
    '1e400',
    '1.5',
    '9007199254740992',
    '-9007199254740992',
    '{}',
  ])
    test(`[WSK-07] a rid that cannot be returned unchanged is rejected with a warning: ${rid}`, async () => {
      const socket = await connect(service, side)
      for (let frame = 1; frame <= 4; frame++) {
        socket.send(`{"t":"leave","rid":${rid}}`)
        const { code, request, details } = await socket.next('warn')
        assert.deepEqual([code, request, details.errors[0].path], ['invalid_request', 'leave', '$.rid'])
      }
      await socket.close()
    })

  test('[WSK-07] a rid has at most 64 code points, also if each takes several code units', async () => {
    const socket = await connect(service, side)
    for (const rid of ['🎲'.repeat(64), `${'x'.repeat(63)}🎲`]) {
      socket.send({ t: 'nothing', rid })
      assert.equal((await socket.next('reply'))['rid'], rid)
    }
    for (const rid of ['🎲'.repeat(65), `${'x'.repeat(64)}🎲`]) {
      socket.send({ t: 'nothing', rid })
      assert.equal((await socket.next('warn'))['code'], 'invalid_request')
    }
    await socket.close()
  })

  test('[WSK-08] the part of a request that a warning quotes is valid text, wherever it was cut', async () => {
    const socket = await connect(service, side)
    socket.send({ t: `${'x'.repeat(63)}🎲` })
    const { request, details } = await socket.next('warn')
    assert.deepEqual([request, details.t], Array(2).fill(`${'x'.repeat(63)}\ufffd`))
    await socket.close()
  })

  test('[WSK-08] [CHN-10] a warning contains the channel of the request', async () => {
    const socket = await connect(service, side, await newGuest(side))
    for (const channel of ['one', 'two']) await socket.request({ t: 'channelJoin', channel })
    for (let i = 0; i < 65; i++) socket.send({ t: 'channelSend', channel: 'two', type: 'x' })
    socket.send({ t: 'channelSend', channel: 'three', type: 'x' })
    socket.send({ t: 'channelSend', channel: 'x'.repeat(65), type: 'x' })
    socket.send({ t: 'channelSend', channel: 3, type: 'x' })
    socket.send({ t: 'leave' })

    const received = []
    for (let i = 0; i < 5; i++) {
      const { code, request, channel } = await socket.next('warn')
      received.push([code, request, channel])
    }
    assert.deepEqual(received, [
      ['rate_limited', 'channelSend', 'two'],
      ['not_in_channel', 'channelSend', 'three'],
      ['not_in_channel', 'channelSend', 'x'.repeat(64)],
      ['invalid_request', 'channelSend', undefined],
      ['not_in_room', 'leave', undefined],
    ])
    await socket.close()
  })
})
