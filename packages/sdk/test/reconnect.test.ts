import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Room, RoomPlayer, Svc, SvcError } from '../src/index.ts'
import { CONFIG, eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'
import { startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

async function pair(): Promise<{ ada: Svc; bo: Svc; adas: Room; bos: Room }> {
  const [ada, bo] = [await fixtures.client(), await fixtures.client()]
  const adas = await ada.rooms.create({ mode: 'party' })
  const joined = next(adas, 'player_joined')
  const bos = await bo.rooms.join({ id: adas.id })
  await joined
  return { ada, bo, adas, bos }
}

const back = (...rooms: Room[]) => Promise.all(rooms.map((room) => next(room, 'reconnected')))

test('a closed connection is opened again, with the same seat, state and order', async () => {
  const { adas, bos, bo } = await pair()
  adas.setMyState({ score: 1 })
  adas.setState({ turn: 1 })
  await eventually(() => bos.state['turn'] === 1, 'the state')
  const [lost, returned, players] = [next(adas, 'reconnecting'), back(adas, bos), adas.players]

  fixtures.destroyConnections()
  await lost
  assert.equal(adas.isConnected, false)
  await returned

  assert.ok(adas.players === players && adas.isConnected)
  assert.deepEqual([adas.me.state, adas.state, bos.state], [{ score: 1 }, { turn: 1 }, { turn: 1 }])
  await eventually(() => adas.players.every(({ connected }) => connected), 'everybody being there')
  const heard = next<[string, unknown, RoomPlayer]>(adas, 'message')
  bos.send('back', true)
  assert.equal((await heard)[2].id, bo.player.id)
})

test('messages sent while offline are sent later, in order; own state needs no queue', async () => {
  const { adas, bos } = await pair()
  const heard: string[] = []
  adas.on('message', (type) => heard.push(type))
  const [lost, returned] = [next(bos, 'reconnecting'), back(bos)]
  fixtures.destroyNewestConnection()
  await lost
  bos.send('one')
  for (let score = 1; score <= 200; score++) bos.setMyState({ score })
  bos.setState({ turn: 9 })
  bos.send('two')
  assert.equal(bos.me.state['score'], 200)
  await returned

  await eventually(() => heard.length === 2 && adas.players[1]?.state['score'] === 200, 'all of it')
  assert.deepEqual(heard, ['one', 'two'])
  assert.deepEqual([adas.state, adas.isConnected], [{ turn: 9 }, true])
})

test('[WSK-21] the queue of messages is bounded: more causes one warning per outage', async () => {
  const { adas } = await pair()
  const lost = next(adas, 'reconnecting')
  fixtures.destroyConnections()
  await lost
  const warnings: string[] = []
  adas.on('warn', ({ code }) => warnings.push(code))
  for (let n = 0; n < 64; n++) adas.send('n', n)
  assert.deepEqual(warnings, [])
  for (const n of [64, 65]) {
    adas.send('n', n)
    assert.deepEqual(warnings, ['queue_full'])
  }
  await back(adas)
  const again = next(adas, 'reconnecting')
  fixtures.destroyConnections()
  await again
  for (let n = 0; n < 66; n++) adas.send('n', n)
  assert.deepEqual(warnings, ['queue_full', 'queue_full'])
  await back(adas)
})

test('a room works again after a restart of the service', async () => {
  const { adas, bos } = await pair()
  adas.setMyState({ score: 5 })
  adas.setState({ level: 'ice' })
  await eventually(() => bos.state['level'] === 'ice', 'the state')
  const returned = back(adas, bos)
  await fixtures.restart()
  await returned

  assert.deepEqual([bos.state, bos.players[0]?.state], [{ level: 'ice' }, { score: 5 }])
  const heard = next(bos, 'message')
  adas.send('still', 'here')
  assert.deepEqual((await heard).slice(0, 2), ['still', 'here'])
})

test('own state changed while the service was down is sent afterwards', async () => {
  const { adas, bos } = await pair()
  adas.setMyState({ score: 1, gone: true })
  await eventually(() => bos.players[0]?.state['score'] === 1, 'the state')
  const returned = back(adas, bos)
  await fixtures.restart(async () => adas.setMyState({ score: 2, gone: null }))
  await returned
  await eventually(() => bos.players[0]?.state['score'] === 2, 'the new state')
  assert.deepEqual(bos.players[0]?.state, { score: 2 })
})

test('if the seat was lost in the meantime, the room closes and the player can join another', async () => {
  const { ada, adas, bos } = await pair()
  const closed = next<[string]>(adas, 'closed')
  const lost = next(adas, 'reconnecting')
  const stay = next(bos, 'closed').catch(() => [])
  fixtures.destroyConnections()
  await lost
  fixtures.service.clock.advance(31_000)
  assert.deepEqual(await closed, ['lost'])
  await stay
  assert.equal(ada.rooms.current, undefined)
  assert.ok(await ada.rooms.create({ mode: 'party' }))
})

test('[WSK-04] a newer tab replaces the older one, which does not reconnect', async () => {
  const storage = sharedStorage()
  // A lost connection that is opened again asks for the length of its wait first.
  let waits = 0
  const random = () => (waits++, 0.5)
  const older = await fixtures.client({ storage, platform: { random } })
  const room = await older.rooms.create({ mode: 'party' })
  const lost = next(room, 'reconnecting')
  fixtures.destroyConnections()
  await lost
  await back(room)
  const waitsBefore = waits
  assert.ok(waitsBefore > 0)
  const closed = next<[string]>(room, 'closed')
  const newer = await fixtures.client({ storage })

  const resumed = await newer.rooms.resume()

  assert.deepEqual(await closed, ['replaced', undefined])
  assert.equal(resumed?.id, room.id)
  await resumed?.lock()
  assert.equal(resumed?.isConnected, true)
  assert.equal(waits, waitsBefore)
})

test('after a reload the seat is taken again', async () => {
  const storage = sharedStorage()
  const svc = await fixtures.client({ storage })
  assert.equal(await svc.rooms.resume(), null)
  const room = await svc.rooms.create({ mode: 'party' })
  room.setMyState({ hp: 3 })
  await eventually(async () => {
    return (await fixtures.live()).rooms.length > 0
  }, 'the room')
  svc.close()
  const reloaded = await fixtures.client({ storage })
  const again = await reloaded.rooms.resume()
  assert.equal(again?.id, room.id)
})

test('[WSK-16] a ban ends the room and is reported; there is no retry', async () => {
  const { ada, adas } = await pair()
  const closed = next<[string, SvcError]>(adas, 'closed')
  const ban = { reason: 'Cheating', durationHours: 1 }
  const { body } = await fixtures.development.server('POST', `/v1/admin/players/${ada.player.id}/ban`, ban)
  const [reason, { code, details }] = await closed
  assert.deepEqual([reason, code], ['player_banned', 'player_banned'])
  assert.deepEqual(
    [details['note'], details['expiresAt']],
    ['Cheating', Date.parse(body.player.banExpiresAt)],
  )
  await assert.rejects(ada.rooms.create(), (error: SvcError) => {
    return error.code === 'player_banned' && error.details['note'] === 'Cheating'
  })
})

test('sign-out ends the room', async () => {
  const { ada, adas, bos } = await pair()
  const [closed, left] = [next<[string]>(adas, 'closed'), next(bos, 'player_disconnected')]
  await ada.auth.signOut()
  assert.deepEqual(await closed, ['signed_out', undefined])
  await left
})

test('an expired access token is refreshed before the connection is opened again', async () => {
  const { adas, bos } = await pair()
  fixtures.service.clock.advance(16 * 60_000)
  const returned = back(adas, bos)
  fixtures.destroyConnections()
  await returned
})

test('waiting for a match continues after a lost connection', async () => {
  const [ada, bo] = [await fixtures.client(), await fixtures.client()]
  const waiting = ada.rooms.quickMatch('duel')
  const isQueued = async () => {
    const { queues } = await fixtures.live()
    return queues.some(({ waiting: count }: { waiting: number }) => count > 0)
  }
  await eventually(isQueued, 'the wait')
  fixtures.destroyConnections()
  await eventually(async () => !(await isQueued()), 'the loss')
  await eventually(isQueued, 'the new wait')
  const [adas, bos] = await Promise.all([waiting, bo.rooms.quickMatch('duel')])
  assert.equal(adas.id, bos.id)
})

for (const isLocked of [false, true])
  test(`[ROM-20] [ROM-21] a player who loses the connection while the match starts is in the match${isLocked ? ', also if its host locks it' : ''}`, async (t) => {
    const proxy = await startNetworkProxy(fixtures.url)
    t.after(() => proxy.stop())
    const [ada, bo] = [await fixtures.client(), await fixtures.client({ realtimeUrl: proxy.realtimeUrl })]
    await bo.rooms.resume()
    // Who has waited longest is the host.
    const [first, second] = isLocked ? [ada, bo] : [bo, ada]
    const matches = new Map([[first, first.rooms.quickMatch('duel')]])
    await eventually(async () => (await fixtures.live()).queues[0]?.waiting === 1, 'the wait')
    proxy.hold()
    matches.set(second, second.rooms.quickMatch('duel'))
    const [adas, waiting] = [(await matches.get(ada)) as Room, matches.get(bo) as Promise<Room>]
    if (isLocked) await adas.lock()
    await eventually(() => proxy.held.includes('"t":"room_joined"'), 'the seat')
    const [lost, back] = [next(adas, 'player_disconnected'), next(adas, 'player_reconnected')]
    // The player learns nothing of the seat.
    proxy.releaseUntil('{"t":"room_joined"')
    await lost
    proxy.open()
    const bos = await waiting
    await back
    assert.deepEqual([bos.id, bos.players.length, bos.isLocked], [adas.id, 2, isLocked])
    const heard = next(adas, 'message')
    bos.send('here')
    assert.equal((await heard)[0], 'here')
    await Promise.all([adas.leave(), bos.leave()])
    bo.close()
  })

test('[ROM-21] after a reload quickMatch leads back to the match', async () => {
  const storage = sharedStorage()
  const [ada, bo] = [await fixtures.client(), await fixtures.client({ storage })]
  const [adas, before] = await Promise.all([ada.rooms.quickMatch('duel'), bo.rooms.quickMatch('duel')])
  const lost = next(adas, 'player_disconnected')
  bo.close()
  await lost
  const reloaded = await fixtures.client({ storage })
  const again = await reloaded.rooms.quickMatch('duel')
  assert.equal(again.id, before.id)
  await Promise.all([adas.leave(), again.leave()])
})

test('close ends rooms, channels and the connection', async () => {
  const { ada, adas, bos } = await pair()
  const [closed, gone] = [next<[string]>(adas, 'closed'), next(bos, 'player_disconnected')]
  ada.close()
  assert.deepEqual(await closed, ['aborted', undefined])
  await gone
})

test('[WSK-12] a client closed for too many frames waits, then reconnects to its seat', async () => {
  const limited = await startFixtures(CONFIG, { SVC_RATE_LIMITS: '' })
  try {
    const svc = await limited.client()
    const room = await svc.rooms.create({ mode: 'party' })
    const [lost, returned] = [next(room, 'reconnecting'), next(room, 'reconnected')]
    const tooMuch = () => {
      for (let n = 0; n < 700; n++) room.send('spam', n)
    }
    for (let warnings = 1; warnings <= 3; warnings++) {
      const warned = next<[SvcError]>(room, 'warn')
      tooMuch()
      assert.equal((await warned)[0].code, 'rate_limited')
      limited.service.clock.advance(1_000)
    }
    tooMuch()
    await lost
    await returned
    assert.equal(svc.rooms.current, room)
  } finally {
    await limited.stop()
  }
})

test('a silently lost network is noticed within 20 seconds while a room is open; without one the service is probed less often', async (t) => {
  const proxy = await startNetworkProxy(fixtures.url)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const svc = await fixtures.client({ realtimeUrl: proxy.realtimeUrl })
  const room = await svc.rooms.create({ mode: 'party' })
  /** The timers that the SDK starts while this time passes: those that wait for the reply to a ping. They are short. */
  const pingsDuring = (ms: number): number[] => {
    const { setTimeout: wait } = globalThis
    const waits: number[] = []
    const shorter = t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
      waits.push(ms)
      return wait(run, 10)
    })
    t.mock.timers.tick(ms)
    shorter.mock.restore()
    return waits
  }
  try {
    const received: string[] = []
    room.on('reconnecting', () => received.push('reconnecting'))
    // Answered, so nothing is lost.
    t.mock.timers.tick(20_000)
    await room.lock()
    assert.deepEqual(received, [])

    proxy.silence()
    const lost = next(room, 'reconnecting')
    const [waitMs = Infinity] = pingsDuring(12_000)
    assert.ok(12_000 + waitMs <= 20_000, `${waitMs}`)
    await lost
    const returned = next(room, 'reconnected')
    proxy.open()
    await returned

    await room.leave()
    assert.ok(pingsDuring(36_000).length <= 2)
  } finally {
    svc.close()
    await proxy.stop()
  }
})
