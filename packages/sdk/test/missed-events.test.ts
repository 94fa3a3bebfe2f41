import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Channel, Room, RoomEvents, RoomPlayer, Svc, SvcError } from '../src/index.ts'
import { eventually, next, startFixtures, type Fixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
const proxies: NetworkProxy[] = []
before(async () => void (fixtures = await startFixtures()))
after(async () => {
  await fixtures.stop()
  for (const proxy of proxies) await proxy.stop()
})

/** A client whose network can be taken away. */
async function connectThroughProxy(displayName: string): Promise<{ svc: Svc; proxy: NetworkProxy }> {
  const proxy = await startNetworkProxy(fixtures.url)
  proxies.push(proxy)
  return { svc: await fixtures.client({ displayName, realtimeUrl: proxy.realtimeUrl }), proxy }
}

async function cut(proxy: NetworkProxy, from: Room | Channel) {
  const lost = next(from, 'reconnecting')
  proxy.cut()
  await lost
}

async function restore(proxy: NetworkProxy, to: Room | Channel) {
  const back = next(to, 'reconnected')
  proxy.open()
  await back
}

const NAMES: (keyof RoomEvents)[] = [
  'player_joined',
  'player_left',
  'player_disconnected',
  'player_reconnected',
  'player_renamed',
  'player_state',
  'state',
  'message',
  'host_changed',
  'locked',
  'reconnecting',
  'reconnected',
  'closed',
  'warn',
]

/** Everything the room tells from now on, in words. */
function listen(room: Room): unknown[][] {
  const received: unknown[][] = []
  const word = (value: unknown) => {
    const { displayName, connected } = (value ?? {}) as Partial<RoomPlayer>
    if (connected === undefined) return value
    return displayName ?? 'nobody'
  }
  for (const name of NAMES)
    room.on(name, (...args: unknown[]) => void received.push([name, ...args.map(word)].slice(0, 4)))
  return received
}

/** Bo, whose network goes away, with Ada, who is the host, and Cleo. */
async function party() {
  const ada = await fixtures.client({ displayName: 'Ada' })
  const adas = await ada.rooms.create({ mode: 'party' })
  const bo = await connectThroughProxy('Bo')
  const bos = await bo.svc.rooms.join({ id: adas.id })
  const cleo = await connectThroughProxy('Cleo')
  const cleos = await cleo.svc.rooms.join({ id: adas.id })
  await eventually(() => adas.players.length === 3 && bos.players.length === 3, 'three being there')
  return { adas, bo, bos, cleo, cleos }
}

test('[ROM-09] after being offline every change is reported once', async () => {
  const { adas, bo, bos, cleo, cleos } = await party()
  cleos.setMyState({ hp: 3, gone: true })
  adas.setState({ level: 1, old: true })
  await eventually(() => bos.players[2]?.state['hp'] === 3 && bos.state['level'] === 1, 'the state')
  await cut(bo.proxy, bos)
  const [received, { players, state }] = [listen(bos), bos]
  const cleosOfBo = bos.players[2]

  cleos.setMyState({ hp: 1, gone: null })
  adas.setState({ level: 2, old: null })
  const dan = await fixtures.client({ displayName: 'Dan' })
  const dans = await dan.rooms.join({ id: adas.id })
  dans.setMyState({ x: 4 })
  await adas.lock()
  await eventually(() => dans.isLocked && dans.players.some((p) => p.state['hp'] === 1), 'all of it')
  const newHost = next<[RoomPlayer]>(dans, 'host_changed')
  await adas.leave()
  assert.equal((await newHost)[0].displayName, 'Cleo')
  const cleoIsGone = next(dans, 'player_disconnected')
  cleo.proxy.cut()
  await cleoIsGone
  assert.deepEqual(received, [])

  await restore(bo.proxy, bos)
  const bosMessage = next(bos, 'message')
  dans.send('barrier')
  await bosMessage

  assert.deepEqual(received, [
    ['player_left', 'Ada', 'unknown'],
    ['player_joined', 'Dan'],
    ['player_disconnected', 'Cleo'],
    ['host_changed', 'Cleo'],
    ['player_state', 'Cleo', { hp: 1 }, { gone: null, hp: 1 }],
    ['state', { level: 2 }, { old: null, level: 2 }, 'nobody'],
    ['locked', true],
    ['reconnected'],
    ['message', 'barrier', null, 'Dan'],
  ])
  assert.ok(bos.players === players && bos.state === state && bos.players[1] === cleosOfBo)
  assert.deepEqual(
    bos.players.map((player) => [player.displayName, player.state, player.connected]),
    [
      ['Bo', {}, true],
      ['Cleo', { hp: 1 }, false],
      ['Dan', { x: 4 }, true],
    ],
  )
  assert.deepEqual([bos.host.displayName, bos.isLocked], ['Cleo', true])
})

test('[ROM-06] [ROM-09] a name that changed while offline is reported, and the player object has it', async () => {
  const { bo, bos, cleo, cleos } = await party()
  await cut(bo.proxy, bos)
  const received = listen(bos)
  const renamed = next(cleos, 'player_renamed')
  await cleo.svc.auth.rename('Cleopatra')
  await renamed
  await restore(bo.proxy, bos)
  assert.deepEqual(received, [['player_renamed', 'Cleopatra'], ['reconnected']])
  assert.equal(bos.players[2]?.displayName, 'Cleopatra')
})

test('without changes only reconnected is emitted', async () => {
  const { adas, bo, bos } = await party()
  adas.setState({ level: { deep: [1, 'a'] } })
  await eventually(() => bos.state['level'] !== undefined, 'the state')
  const received = listen(bos)
  await cut(bo.proxy, bos)
  await restore(bo.proxy, bos)
  assert.deepEqual(received, [['reconnecting'], ['reconnected']])
})

test('listeners of missed events may send, change state or leave', async () => {
  const { adas, bo, bos, cleos } = await party()
  await cut(bo.proxy, bos)
  bos.on('player_left', () => {
    bos.setMyState({ saw: 'it' })
    bos.send('saw-it')
  })
  await adas.leave()
  const heard = next(cleos, 'message')
  await restore(bo.proxy, bos)
  assert.equal((await heard)[0], 'saw-it')
  await eventually(() => cleos.players[0]?.state['saw'] === 'it', 'the state')

  await cut(bo.proxy, bos)
  const received = listen(bos)
  bos.on('player_left', () => void bos.leave())
  await cleos.leave()
  bo.proxy.open()
  await eventually(() => bo.svc.rooms.current === undefined, 'the leave')
  assert.deepEqual(received, [['player_left', 'Cleo', 'unknown']])
})

test('changes of the shared state that wait for the connection are sent in their order', async () => {
  const { adas, bo, bos } = await party()
  await cut(bo.proxy, bos)
  const back = next(bos, 'reconnected')
  let turn = 0
  const changing = setInterval(() => bos.setState({ turn: ++turn }), 4)
  const order: number[] = []
  adas.on('state', (state) => void order.push(Number(state['turn'])))
  bo.proxy.open()
  await back
  clearInterval(changing)
  await eventually(() => adas.state['turn'] === turn, 'the last turn')
  assert.deepEqual(
    order,
    [...order].toSorted((one, other) => one - other),
  )
})

test('queued messages are copied when they are sent; values that are not JSON are rejected immediately', async () => {
  const { adas, bo, bos } = await party()
  await cut(bo.proxy, bos)
  const shot = { x: 1 }
  bos.send('shot', shot)
  shot.x = 2
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  assert.throws(() => bos.send('circular', circular), TypeError)
  assert.throws(() => bos.setState({ circular }), TypeError)
  const heard = next(adas, 'message')
  await restore(bo.proxy, bos)
  assert.deepEqual((await heard).slice(0, 2), ['shot', { x: 1 }])
})

test('[CHN-08] after being offline joins, leaves and a changed right to send are reported once', async () => {
  const owner = await fixtures.client({ displayName: 'Owner' })
  const channel = await owner.channels.create({ channel: '@club' })
  const bo = await connectThroughProxy('Bo')
  const bos = await bo.svc.channels.join('@club')
  const cleo = await fixtures.client({ displayName: 'Cleo' })
  const cleos = await cleo.channels.join('@club')
  await eventually(() => bos.members.length === 3, 'three being there')
  await cut(bo.proxy, bos)
  await cleos.leave()
  const dan = await fixtures.client({ displayName: 'Dan' })
  await dan.channels.join('@club')
  await channel.moderate({ op: 'mute', playerId: bo.svc.player.id })
  const received: unknown[] = []
  bos.on('member_left', ({ displayName }) => received.push(['left', displayName]))
  bos.on('member_joined', ({ displayName }) => received.push(['joined', displayName]))
  bos.on('self', ({ canSend }) => received.push(['self', canSend]))
  bos.on('reconnected', () => received.push('reconnected'))
  const { members } = bos
  await restore(bo.proxy, bos)
  const heard = next(bos, 'message')
  channel.send('barrier')
  await heard

  assert.deepEqual(received, [['left', 'Cleo'], ['joined', 'Dan'], ['self', false], 'reconnected'])
  assert.ok(bos.members === members)
  assert.deepEqual(new Set(members.map(({ displayName }) => displayName)), new Set(['Owner', 'Bo', 'Dan']))
  const warned = next<[SvcError]>(bos, 'warn')
  bos.send('chat')
  assert.equal((await warned)[0].code, 'muted')
})

test('no event is lost between joining and adding listeners, in rooms and channels', async () => {
  const ada = await fixtures.client()
  const adas = await ada.rooms.create({ mode: 'party' })
  adas.on('player_joined', () => adas.send('hello', 'room'))
  const lobby = await ada.channels.join('early')
  lobby.on('member_joined', () => lobby.send('hello', 'channel'))
  const bo = await connectThroughProxy('Bo')
  await bo.svc.rooms.resume()

  bo.proxy.hold()
  const joining = bo.svc.rooms.join({ id: adas.id })
  await eventually(() => /"room".*"reply"|"reply".*"hello"/s.test(bo.proxy.held), 'the reply and the message')
  bo.proxy.release()
  const room = await joining
  assert.deepEqual((await next(room, 'message')).slice(0, 2), ['hello', 'room'])

  bo.proxy.hold()
  const entering = bo.svc.channels.join('early')
  await eventually(
    () => /"reply".*"hello"|"hello".*"reply"/s.test(bo.proxy.held),
    'the reply and the message',
  )
  bo.proxy.release()
  const channel = await entering
  assert.deepEqual((await next(channel, 'message')).slice(0, 2), ['hello', 'channel'])
})

test('[WSK-09] a seat or a channel whose reply was lost is used', async () => {
  const bo = await connectThroughProxy('Bo')
  await bo.svc.rooms.resume()
  bo.proxy.hold()
  const making = bo.svc.rooms.create({ mode: 'party' })
  await eventually(() => bo.proxy.held.includes('"t":"reply"'), 'the reply')
  bo.proxy.releaseUntil('{"t":"reply"')
  const room = await making
  assert.equal(bo.svc.rooms.current, room)
  await restore(bo.proxy, room)

  bo.proxy.hold()
  const entering = bo.svc.channels.join('reply-lost')
  await eventually(() => bo.proxy.held.includes('"t":"reply"'), 'the reply')
  bo.proxy.releaseUntil('{"t":"reply"')
  await restore(bo.proxy, await entering)
})
