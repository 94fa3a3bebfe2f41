import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployRooms } from '../../server/src/testing/code-rooms.ts'
import { isSvcError, type Room, type Svc, type SvcError } from '../src/index.ts'
import { CONFIG, eventually, type Fixtures, next, startFixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

/** A ticking room, and one that runs when something arrives. */
const CODE = `
export class Table extends Room {
  state = { balls: {}, log: [] }
  onCreate(options) { this.state.map = options?.map ?? 'none' }
  onJoin(player) {
    if (player.displayName === 'Mallory') throw new Refusal('not you')
    this.state.balls[player.id] = { x: 0 }
    this.own(player).hand = [player.id]
  }
  onLeave(player) { delete this.state.balls[player.id] }
  messages = {
    move: (player, by) => { this.state.balls[player.id].x += by },
    note: (player, text) => { this.state.log.push(text) },
    read: () => this.state.log.join(),
    buy: async (player, { item }) => {
      await Promise.resolve()
      this.own(player).item = item
      return { coins: 3 }
    },
    deal: (player, card) => {
      this.own(player).hand = [card]
      this.state.log.push('dealt')
    },
    refuse: () => { throw new Refusal('too expensive') },
    fail: () => { throw new Error('secret') },
    say: (player, text) => this.send('said', { by: player.id, text }),
    kick: (player, id) => this.kick(id),
    finish: (player) => this.end({ winner: player.id }),
  }
  onServerMessage(type, data) { return { type, data, players: this.players.length } }
}
export class Arena extends Table { static tickRate = 20 }`

type World = { balls: Record<string, { x: number }>; log: unknown[]; map: string }

let fixtures: Fixtures
const proxies: NetworkProxy[] = []
before(async () => {
  const modes = [
    { key: 'table', minPlayers: 2, maxPlayers: 8, room: { class: 'Table' } },
    { key: 'arena', minPlayers: 2, maxPlayers: 8, room: { class: 'Arena' } },
    { key: 'relay', minPlayers: 2, maxPlayers: 8 },
  ]
  fixtures = await startFixtures({ ...CONFIG, multiplayer: { modes } }, { SVC_BILLING: 'off' })
  await deployRooms(fixtures.development, CODE)
})
after(async () => {
  await fixtures.stop()
  for (const proxy of proxies) await proxy.stop()
})

const worldOf = (room: Room) => room.state as World
const xOf = (room: Room) => worldOf(room).balls[room.me.id]?.x

/** Ada and Bo in a room of this mode. */
async function pair(mode = 'table') {
  const [ada, bo] = [
    await fixtures.client({ displayName: 'Ada' }),
    await fixtures.client({ displayName: 'Bo' }),
  ]
  const adas = await ada.rooms.create({ mode, options: { map: 'ice' } })
  const bos = await bo.rooms.join({ id: adas.id })
  await eventually(() => adas.players.length === 2, 'two players')
  return { ada, bo, adas, bos }
}

async function connectThroughProxy(displayName: string): Promise<{ svc: Svc; proxy: NetworkProxy }> {
  const proxy = await startNetworkProxy(fixtures.url)
  proxies.push(proxy)
  return { svc: await fixtures.client({ displayName, realtimeUrl: proxy.realtimeUrl }), proxy }
}

test('[RWC-67] state, own state, replies, messages of the room and its end', async () => {
  const { adas, bos } = await pair()
  assert.deepEqual([adas.server?.tickRate, worldOf(adas).map], [0, 'ice'])
  assert.deepEqual(bos.own, { hand: [bos.me.id] })
  const { state } = bos

  adas.send('move', 3)
  await next(bos, 'sync', () => worldOf(bos).balls[adas.me.id]?.x === 3)
  assert.equal(bos.state, state)
  assert.deepEqual(await bos.call('buy', { item: 'shield' }), { coins: 3 })
  await eventually(() => bos.own['item'] === 'shield', 'the own state')
  assert.equal(adas.own['item'], undefined)

  const said = next(adas, 'message')
  bos.send('say', 'hello')
  const [type, data, from] = (await said) as [string, unknown, { id: string }]
  assert.deepEqual([type, data, from.id], ['said', { by: bos.me.id, text: 'hello' }, 'room'])

  const ends = [next(adas, 'closed'), next(bos, 'closed')]
  adas.send('finish')
  const expected = ['finished', undefined, { winner: adas.me.id }]
  assert.deepEqual(await Promise.all(ends), [expected, expected])
  await assert.rejects(adas.call('read'), (error) => isSvcError(error, 'not_in_room'))
})

test('[RWC-125] one event has what a turn has changed in both states', async () => {
  const { adas, bos } = await pair()
  const seen: unknown[] = []
  adas.on('sync', (_, { patch, own }) => seen.push([patch, own, adas.own['hand'], worldOf(adas).log]))
  await adas.call('deal', 'ace')
  await adas.call('deal', 'king')
  await adas.call('read')
  assert.deepEqual(seen, [
    [{ log: ['dealt'] }, { hand: ['ace'] }, ['ace'], ['dealt']],
    [{ log: ['dealt', 'dealt'] }, { hand: ['king'] }, ['king'], ['dealt', 'dealt']],
  ])
  assert.deepEqual(bos.own, { hand: [bos.me.id] })
})

test('[RWC-67] errors of a call have the code and the details of the service', async () => {
  const { adas } = await pair()
  const errorOf = (type: string) => adas.call(type).then(assert.fail, (error: unknown) => error)
  const refused = await errorOf('refuse')
  assert.ok(isSvcError(refused, 'room_error'))
  assert.equal(refused.details['reason'], 'too expensive')
  const failed = await errorOf('fail')
  assert.ok(isSvcError(failed, 'room_error'))
  assert.doesNotMatch(JSON.stringify([failed.message, failed.details]), /secret/)
  assert.ok(isSvcError(await errorOf('unknown'), 'invalid_request'))

  const warned = next(adas, 'warn')
  adas.setState({ map: 'mine' })
  const [error] = await warned
  assert.ok(isSvcError(error, 'room_decides'))
  assert.equal(worldOf(adas).map, 'ice')
})

test('[RWC-67] the code refuses a player, and removes one', async () => {
  const { adas, bos } = await pair()
  const mallory = await fixtures.client({ displayName: 'Mallory' })
  await assert.rejects(mallory.rooms.join({ id: adas.id }), (error) => {
    return isSvcError(error, 'join_refused') && error.details['reason'] === 'not you'
  })
  assert.equal(mallory.rooms.current, undefined)

  const [left, closed] = [next(adas, 'player_left'), next(bos, 'closed')]
  adas.send('kick', bos.me.id)
  assert.deepEqual((await left)[1], 'kicked')
  assert.equal((await closed)[0], 'kicked')
  assert.equal(adas.players.length, 1)
})

test('[RWC-67] other rooms have no calls, and say why', async () => {
  const svc = await fixtures.client()
  const room = await svc.rooms.create({ mode: 'relay' })
  assert.equal(room.server, undefined)
  for (const use of [
    () => room.call('a'),
    () => room.smooth('a'),
    () => room.predict({ type: 'a', step() {} }),
  ])
    assert.throws(
      use,
      (error) => isSvcError(error, 'not_available') && /svc\.config\.json/.test(error.message),
    )
})

test('[RWC-61] an input shows at once, and the room confirms it', async () => {
  const { adas, bos } = await pair('arena')
  const step = (world: World, id: string, by: number) => void (world.balls[id] && (world.balls[id].x += by))
  const me = adas.predict({ step, type: 'move' })
  const seen: number[] = []
  adas.on('sync', () => seen.push(me.state.balls[adas.me.id].x))
  for (let sent = 1; sent <= 10; sent++) me.send(sent)
  assert.equal(me.state.balls[adas.me.id].x, 55)
  assert.equal(xOf(adas), 0)
  await eventually(() => (fixtures.service.clock.advance(50), xOf(adas) === 55), 'the room’s answer')
  assert.ok(
    seen.every((x) => x === 55),
    String(seen),
  )
  await eventually(() => worldOf(bos).balls[adas.me.id]?.x === 55, 'the same for others')
  assert.ok(adas.tick > 0)
})

test('[RWC-68] after a reconnect everything is that of the room, and calls come after what has waited', async () => {
  const { adas } = await pair()
  const { svc, proxy } = await connectThroughProxy('Cleo')
  const cleos = await svc.rooms.join({ id: adas.id })
  const step = (world: World, id: string, by: number) => void (world.balls[id] && (world.balls[id].x += by))
  const me = cleos.predict({ step, type: 'move' })
  me.send(1)
  await next(cleos, 'sync', () => xOf(cleos) === 1)

  const lost = next(cleos, 'reconnecting')
  proxy.cut()
  await lost
  assert.equal(me.send(10), false)
  cleos.send('note', 'waited')
  const reply = cleos.call('read')
  adas.send('note', 'missed')
  await adas.call('buy', { item: 'sword' })
  assert.equal(me.state.balls[cleos.me.id].x, 1)

  const events: string[] = []
  for (const name of ['sync', 'reconnected', 'state', 'player_joined'] as const)
    cleos.on(name, () => void events.push(name))
  const third = await (await fixtures.client({ displayName: 'Dana' })).rooms.join({ id: adas.id })
  const back = next(cleos, 'reconnected')
  proxy.open()
  await back
  assert.deepEqual(events.slice(0, 3), ['player_joined', 'sync', 'reconnected'])
  assert.equal(me.state.balls[cleos.me.id].x, 1)
  assert.ok(third.me.id in worldOf(cleos).balls)
  assert.equal(await reply, 'missed,waited')
  assert.deepEqual([xOf(cleos), me.state.balls[cleos.me.id].x], [1, 1])
  assert.deepEqual(cleos.own, { hand: [cleos.me.id] })
  assert.ok(!events.includes('state'))
})

test('[RWC-132] a player whose seat is gone joins the room with code again, if the room still exists', async () => {
  const { adas } = await pair()
  const { svc, proxy } = await connectThroughProxy('Cleo')
  const cleos = await svc.rooms.join({ id: adas.id })
  const [lost, left] = [next(cleos, 'reconnecting'), next(adas, 'player_left')]
  proxy.cut()
  await lost
  await eventually(() => adas.players.some(({ connected }) => !connected), 'the loss')
  fixtures.service.clock.advance(31_000)
  await left
  const [back, joined] = [next(cleos, 'reconnected'), next(adas, 'player_joined')]
  proxy.open()
  await Promise.all([back, joined])
  assert.equal(cleos, svc.rooms.current)
  assert.equal(cleos.players.length, 3)
  await cleos.call('note', 'here again')
  assert.deepEqual(worldOf(adas).log, ['here again'])
})

test('[RWC-129] a call whose answer is lost is made once, and resolves when the connection is back', async () => {
  const { adas } = await pair()
  const { svc, proxy } = await connectThroughProxy('Cleo')
  const cleos = await svc.rooms.join({ id: adas.id })
  const lost = next(cleos, 'reconnecting')
  proxy.hold()
  const move = { text: 'e4' }
  const calls = [cleos.call('note', move), cleos.call('buy', { item: 'bow' })]
  move.text = 'changed later'
  await eventually(() => worldOf(adas).log.length === 1 && proxy.held.includes('"t":"reply"'), 'the move')
  proxy.releaseUntil('{"t":"sync"')
  await lost
  calls.push(cleos.call('note', 'e5'))
  proxy.open()
  assert.deepEqual(await Promise.all(calls), [null, { coins: 3 }, null])
  await eventually(() => worldOf(cleos).log.length === 2, 'both moves')
  assert.deepEqual(worldOf(cleos).log, [{ text: 'e4' }, 'e5'])
})

test('[RWC-129] if the room has ended meanwhile, a call that may have been made rejects with network_error, others with not_in_room', async () => {
  const { adas } = await pair()
  const { svc, proxy } = await connectThroughProxy('Cleo')
  const cleos = await svc.rooms.join({ id: adas.id })
  const [lost, closed] = [next(cleos, 'reconnecting'), next(cleos, 'closed')]
  proxy.hold()
  const code = (call: Promise<unknown>) => call.then(String, (error: SvcError) => error.code)
  const made = code(cleos.call('note', 'e4'))
  await eventually(() => worldOf(adas).log.length === 1, 'the move')
  proxy.cut()
  await lost
  const waiting = code(cleos.call('note', 'e5'))
  adas.send('finish')
  await adas.ended
  proxy.open()
  assert.equal((await closed)[0], 'lost')
  assert.deepEqual([await made, await waiting], ['network_error', 'not_in_room'])
})

test('[RWC-68] a room that continues in newer code brings its state, and inputs go on', async () => {
  const { adas, bos } = await pair()
  const step = (world: World, id: string, by: number) => void (world.balls[id] && (world.balls[id].x += by))
  const me = adas.predict({ step, type: 'move' })
  me.send(2)
  await next(bos, 'sync', () => worldOf(bos).balls[adas.me.id]?.x === 2)

  const restarted = next(adas, 'sync', (_, sync) => (sync as { at?: number }).at === undefined)
  await deployRooms(
    fixtures.development,
    CODE.replace('this.end({ winner', 'this.end({ newer: true, winner'),
    {
      finishMinutes: 0,
    },
  )
  await restarted
  assert.deepEqual([xOf(adas), me.state.balls[adas.me.id].x], [2, 2])
  assert.deepEqual(adas.own, { hand: [adas.me.id] })
  me.send(3)
  assert.equal(me.state.balls[adas.me.id].x, 5)
  await eventually(() => xOf(adas) === 5 && worldOf(bos).balls[adas.me.id]?.x === 5, 'the next input')

  const closed = next(bos, 'closed')
  bos.send('finish')
  assert.deepEqual((await closed)[2], { newer: true, winner: bos.me.id })
})
