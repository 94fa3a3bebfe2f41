import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { MatchProgress, Room, RoomPlayer, Svc, SvcError } from '../src/index.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected
const ids = (players: RoomPlayer[]) => players.map(({ id }) => id)

/** Two players in one room. */
async function duel(): Promise<{ ada: Svc; bo: Svc; adas: Room; bos: Room }> {
  const [ada, bo] = [
    await fixtures.client({ displayName: 'Ada' }),
    await fixtures.client({ displayName: 'Bo' }),
  ]
  const adas = await ada.rooms.create({ mode: 'party' })
  const joined = next(adas, 'player_joined')
  const bos = await bo.rooms.join({ code: adas.code.toLowerCase() })
  await joined
  return { ada, bo, adas, bos }
}

test('a room is created, listed, joined by code and by id, and left', async () => {
  const [ada, bo, cleo] = [await fixtures.client(), await fixtures.client(), await fixtures.client()]
  const room = await ada.rooms.create({ mode: 'party', maxPlayers: 3, metadata: { map: 'ice' } })
  assert.deepEqual([room.isHost, room.maxPlayers, room.me.id], [true, 3, ada.player.id])
  assert.deepEqual(room.metadata, { map: 'ice' })

  const [listed] = await bo.rooms.list({ mode: 'party' })
  assert.equal(listed?.id, room.id)
  const joined = next<[RoomPlayer]>(room, 'player_joined')
  const bos = await bo.rooms.join({ id: room.id })
  assert.equal((await joined)[0].id, bo.player.id)
  await cleo.rooms.join({ code: room.code })
  assert.equal(bos.isHost, false)
  assert.equal(bos.host.id, ada.player.id)

  const left = next<[RoomPlayer, string]>(room, 'player_left')
  await bos.leave()
  const [gone, reason] = await left
  assert.deepEqual([gone.id, reason], [bo.player.id, 'left'])
  assert.deepEqual(ids(room.players), [ada.player.id, cleo.player.id])
  await assert.rejects(bo.rooms.join({ code: 'NOSUCH' }), code('room_not_found'))
  await assert.rejects(cleo.rooms.create(), code('already_in_room'))
  await assert.rejects(bo.rooms.create({ mode: 'unknown' }), code('mode_not_found'))
})

test('players see each other’s state, always in the same objects', async () => {
  const { adas, bos, bo } = await duel()
  const { players } = adas
  const his = players.find(({ id }) => id === bo.player.id)
  const received = next<[RoomPlayer, object, object]>(adas, 'player_state')

  bos.setMyState({ score: 1, colour: 'red' })

  assert.deepEqual(bos.me.state, { score: 1, colour: 'red' })
  const [player, state, patch] = await received
  assert.ok(player === his && adas.players === players && state === player.state)
  assert.deepEqual(
    [state, patch],
    [
      { score: 1, colour: 'red' },
      { score: 1, colour: 'red' },
    ],
  )

  const again = next<[RoomPlayer, object]>(adas, 'player_state')
  bos.setMyState({ colour: null })
  assert.deepEqual((await again)[1], { score: 1 })
})

test('[ROM-06] all players in the room receive a new display name', async () => {
  const { bo, adas, bos } = await duel()
  const his = adas.players[1]
  const received = [next<[RoomPlayer]>(adas, 'player_renamed'), next<[RoomPlayer]>(bos, 'player_renamed')]
  await bo.auth.rename('Bob')
  const [[seen], [own]] = await Promise.all(received as [Promise<[RoomPlayer]>, Promise<[RoomPlayer]>])
  assert.ok(seen === his && own === bos.me)
  assert.deepEqual([his?.displayName, bos.me.displayName], ['Bob', 'Bob'])
})

test('many quick changes become few frames, and the others receive the last one', async () => {
  const { adas, bos } = await duel()
  let events = 0
  adas.on('player_state', () => events++)
  for (let score = 1; score <= 500; score++) bos.setMyState({ score })
  await eventually(() => adas.players[1]?.state['score'] === 500, 'the last score')
  assert.ok(events <= 3, `${events} frames`)
})

test('the shared state has one order for all; with hostOnlyState only the host changes it', async () => {
  const { adas, bos, bo } = await duel()
  const seen = [next<[object, object, RoomPlayer]>(adas, 'state'), next(bos, 'state')]
  bos.setState({ turn: 1, board: [0, 1] })
  const [[state, patch, from]] = (await Promise.all(seen)) as [[object, object, RoomPlayer], unknown]
  assert.deepEqual(
    [state, patch, from.id],
    [{ turn: 1, board: [0, 1] }, { turn: 1, board: [0, 1] }, bo.player.id],
  )
  assert.deepEqual(bos.state, adas.state)

  const [host, guest] = [await fixtures.client(), await fixtures.client()]
  const strict = await host.rooms.create({ mode: 'party', hostOnlyState: true })
  const hers = await guest.rooms.join({ id: strict.id })
  const warned = next<[SvcError]>(hers, 'warn')
  hers.setState({ cheat: true })
  assert.equal((await warned)[0].code, 'host_only')
})

test('messages go to all others or to some, in order, and after the changes that were made before them', async () => {
  const { ada, adas, bos, bo } = await duel()
  const cleo = await (await fixtures.client()).rooms.join({ id: adas.id })
  const heard: [string, unknown, string][] = []
  bos.on('message', (type, data, from) => heard.push([type, data, from.id]))
  cleo.on('message', (type, data, from) => heard.push([type, data, from.id]))
  const order: string[] = []
  bos.on('player_state', () => order.push('state'))
  bos.on('message', (type) => order.push(type))

  adas.setMyState({ a: 1 })
  adas.setMyState({ a: 2 })
  adas.send('wave', { emoji: 1 })
  adas.send('secret', [1, 2], { to: [bo.player.id] })
  adas.send('bare')

  await eventually(() => heard.length === 5, 'five messages')
  assert.deepEqual(order, ['state', 'state', 'wave', 'secret', 'bare'])
  const from = ada.player.id
  assert.deepEqual(
    heard.filter(([type]) => type !== 'wave' && type !== 'bare'),
    [['secret', [1, 2], from]],
  )
  assert.ok(heard.every(([, , id]) => id === from))
})

test('rejected frames are warnings of the room; after leaving nothing is sent', async () => {
  const { adas } = await duel()
  const tooLarge = next<[SvcError]>(adas, 'warn')
  adas.send('big', 'x'.repeat(17_000))
  assert.equal((await tooLarge)[0].code, 'payload_too_large')

  await adas.leave()
  for (const act of [() => adas.send('x'), () => adas.setMyState({ a: 1 }), () => adas.setState({ a: 1 })]) {
    const warned = next<[SvcError]>(adas, 'warn')
    act()
    const [warning] = await warned
    assert.equal(warning.code, 'not_in_room')
    assert.equal(warning.message, 'You are no longer in this room, so nothing was sent.')
  }
  await assert.rejects(adas.lock(), code('not_in_room'))
  await adas.leave()
})

test('the host can lock the room; when the host leaves, another player becomes host', async () => {
  const { adas, bos, bo } = await duel()
  const locked = next(bos, 'locked')
  await adas.lock()
  assert.deepEqual([await locked, bos.isLocked], [[true], true])
  await assert.rejects((await fixtures.client()).rooms.join({ id: adas.id }), code('room_locked'))
  await assert.rejects(bos.lock(false), code('host_only'))

  const changed = next<[RoomPlayer]>(bos, 'host_changed')
  await adas.leave()
  assert.equal((await changed)[0].id, bo.player.id)
  assert.equal(bos.isHost, true)
})

test('an error in a listener affects neither other listeners nor the room', async (t) => {
  const reported = t.mock.method(console, 'error', () => {})
  const { adas, bos } = await duel()
  adas.on('message', () => {
    throw new Error('a mistake of the game')
  })
  const heard = next(adas, 'message')
  bos.send('one')
  assert.deepEqual((await heard)[0], 'one')
  assert.equal(reported.mock.callCount(), 1)
})

test('[ROM-11] quick match resolves for both players when enough are waiting', async () => {
  const [ada, bo] = [await fixtures.client(), await fixtures.client()]
  const [adas, bos] = await Promise.all([ada.rooms.quickMatch('duel'), bo.rooms.quickMatch('duel')])
  assert.equal(adas.id, bos.id)
  assert.deepEqual(ids(adas.players).toSorted(), [ada.player.id, bo.player.id].toSorted())
})

test('quick match resolves after the fill timeout with the players who wait', async () => {
  const svc = await fixtures.client()
  const matched = svc.rooms.quickMatch('party')
  const waiting = async () => (await fixtures.live()).queues.length > 0
  await eventually(waiting, 'the wait')
  fixtures.service.clock.advance(15_000)
  assert.equal((await matched).players.length, 1)
})

test('[ROM-12] quick match with a pool, a party and progress; the room says how it is filled', async () => {
  const [ada, bo, cleo] = [await fixtures.client(), await fixtures.client(), await fixtures.client()]
  const options = { pool: 'eu', party: 'friends', partySize: 2 }
  const heard: MatchProgress[] = []
  const onProgress = (progress: MatchProgress) => void heard.push(progress)
  const adas = ada.rooms.quickMatch('party', { ...options, onProgress })
  await eventually(() => heard.length > 0, 'progress')
  assert.deepEqual([heard[0]?.waiting, heard[0]?.minPlayers, heard[0]?.maxPlayers], [1, 2, 8])
  assert.deepEqual(Object.keys(heard[0] ?? {}).toSorted(), [
    'maxPlayers',
    'minPlayers',
    'startsAt',
    'waiting',
  ])
  assert.ok(Date.parse(heard[0]?.startsAt ?? '') > fixtures.service.clock.now().getTime())

  const [room, bos] = await Promise.all([adas, bo.rooms.quickMatch('party', options)])
  assert.equal(room.id, bos.id)
  assert.deepEqual(room.match, { minPlayers: 2, backfillUntil: null, pool: 'eu' })
  const filled = await cleo.rooms.quickMatch('party', { pool: 'eu' })
  assert.equal(filled.id, room.id)

  const created = await (await fixtures.client()).rooms.create({ mode: 'party' })
  assert.equal(created.match, undefined)
  const dan = await fixtures.client()
  const tooMany = dan.rooms.quickMatch('party', { party: 'x', partySize: 9 })
  await assert.rejects(tooMany, code('party_too_large'))
})

test('[ROM-13] a quick match is cancelled by its signal; a concurrent second one is rejected', async () => {
  const svc = await fixtures.client()
  const abort = new AbortController()
  const waiting = svc.rooms.quickMatch('duel', { signal: abort.signal })
  await assert.rejects(svc.rooms.quickMatch('duel'), code('already_queued'))
  abort.abort()
  await assert.rejects(waiting, code('aborted'))
  await assert.rejects(svc.rooms.quickMatch('duel', { signal: abort.signal }), code('aborted'))

  const other = await fixtures.client()
  const [mine, theirs] = await Promise.all([svc.rooms.quickMatch('duel'), other.rooms.quickMatch('duel')])
  assert.equal(mine.id, theirs.id)
})

test('a match that starts while it is cancelled is left, so no rival plays against an empty seat', async () => {
  const other = await fixtures.client()
  for (let round = 0; round < 10; round++) {
    const svc = await fixtures.client()
    const abort = new AbortController()
    const cancelled = svc.rooms.quickMatch('duel', { signal: abort.signal })
    const match = other.rooms.quickMatch('duel')
    queueMicrotask(() => abort.abort())
    await assert.rejects(cancelled, code('aborted'))
    const rival = await fixtures.client()
    const rivals = rival.rooms.quickMatch('duel')
    const room = await match
    await eventually(() => svc.rooms.current === undefined, 'the seat being free')
    if (ids(room.players).includes(svc.player.id)) await next(room, 'player_left')
    await room.leave()
    rival.close()
    await rivals.catch(() => {})
    svc.close()
  }
})

test('an unknown mode fails with a hint where modes are defined', async () => {
  const svc = await fixtures.client()
  await assert.rejects(
    svc.rooms.quickMatch('nonsense'),
    (error: SvcError) => error.code === 'mode_not_found' && /multiplayer\.modes/.test(error.hint ?? ''),
  )
})

test('[ROM-19] a guest who becomes an account keeps the seat', async () => {
  const { ada, adas, bos } = await duel()
  await ada.auth.linkEmail({ email: 'seat@example.com', password: 'correct horse' })
  const heard = next(bos, 'message')
  adas.send('still', 'here')
  assert.deepEqual((await heard).slice(0, 2), ['still', 'here'])
})

test('after another player signs in the room has ended, and that player can join a room immediately', async () => {
  const { ada, adas } = await duel()
  const closed = next<[string]>(adas, 'closed')
  await ada.auth.guest()
  const room = await ada.rooms.create({ mode: 'party' })
  assert.deepEqual(await closed, ['signed_out', undefined])
  assert.equal(room.me.id, ada.player.id)
})

test('values that cannot be sent are rejected and change nothing', async () => {
  const svc = await fixtures.client()
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  await assert.rejects(svc.rooms.create({ mode: 'party', metadata: circular }), TypeError)
  assert.equal((await svc.rooms.create({ mode: 'party' })).players.length, 1)
})

test('the reply to a cancelled wait does not affect the next one', async () => {
  const [svc, other] = [await fixtures.client(), await fixtures.client()]
  await svc.rooms.resume()
  const abort = new AbortController()
  const refused = svc.rooms.quickMatch('nonsense', { signal: abort.signal })
  await Promise.resolve()
  abort.abort()
  const match = svc.rooms.quickMatch('duel')
  await assert.rejects(refused, code('aborted'))
  const [mine, theirs] = await Promise.all([match, other.rooms.quickMatch('duel')])
  assert.equal(mine.id, theirs.id)
})

test('a seat that has expired is not resumed', async () => {
  const storage = sharedStorage()
  const before = await fixtures.client({ storage })
  await before.rooms.create({ mode: 'party' })
  before.close()
  const svc = await fixtures.client({ storage })
  const room = await svc.rooms.resume()
  await room?.leave()
  assert.equal(await svc.rooms.resume(), null)
})

test('already_in_room has a hint with the room', async () => {
  const svc = await fixtures.client()
  await svc.rooms.create({ mode: 'party' })
  await assert.rejects(svc.rooms.create({ mode: 'party' }), (error: SvcError) =>
    /svc\.rooms\.current/.test(error.hint ?? ''),
  )
})
