import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { newGuest } from '../../testing/guests.ts'
import { clientText, closesOf, openRaw } from '../../testing/raw-websocket.ts'
import { type Game, type GamePlayer, newGame, until } from '../../testing/rooms.ts'
import { type Service, startService } from '../../testing/service.ts'
import { portOf } from '../../testing/sockets.ts'
import { startTwoNodes } from '../../testing/suite.ts'

const MODES = [
  { key: 'default', minPlayers: 2, maxPlayers: 8 },
  { key: 'trio', minPlayers: 3, maxPlayers: 4, fillTimeoutSeconds: 20 },
  { key: 'mesh', transport: 'p2p', maxPlayers: 4 },
]
const GRACE_MS = 30_000

describe('rooms on two nodes with one PostgreSQL and Redis', () => {
  const [one, two] = startTwoNodes()
  let game: Game
  beforeEach(async () => void (game = await newGame(one, MODES)))
  afterEach(() => game.end())

  /** The first player creates the room on the first node; the second joins it from the other node. */
  const pair = async (fields: object = {}) => {
    const [host, guest] = [await game.player(one), await game.player(two)]
    const room = await game.room([host, guest], fields)
    return [host, guest, room] as const
  }

  test('[ROM-05] [ROM-06] [ROM-07] [WSK-09] a room is joined from any node, by id and by code', async () => {
    const [host, byId, byCode] = [await game.player(one), await game.player(two), await game.player(two)]
    const { room } = await host.request({ t: 'create' })
    const joined = await byId.request({ t: 'join', roomId: room.id })
    await byCode.request({ t: 'join', code: room.code })

    const [event, reply] = byId.received.slice(1)
    assert.deepEqual(event, { t: 'room_joined', room: joined.room, selfId: byId.id })
    assert.equal(reply?.t, 'reply')
    assert.deepEqual(
      (await host.news()).slice(1).map(({ t, player }) => [t, player.id]),
      [
        ['player_joined', byId.id],
        ['player_joined', byCode.id],
      ],
    )
  })

  test('[ROM-14] [ROM-15] [ROM-17] messages, state and lock reach the members on all nodes', async () => {
    const [host, guest] = await pair()
    await host.request({ t: 'send', type: 'a', data: 1 })
    await guest.request({ t: 'send', type: 'b', to: [host.id] })
    await guest.request({ t: 'setState', patch: { x: 1 } })
    await guest.request({ t: 'setMyState', patch: { y: 1 } })
    await host.request({ t: 'lock', locked: true })
    const receivedEvents = async (player: GamePlayer) => (await player.news()).map(({ t }) => t)
    assert.deepEqual(await receivedEvents(host), ['message', 'state', 'player_state', 'locked'])
    assert.deepEqual(await receivedEvents(guest), ['message', 'state', 'player_state', 'locked'])
    assert.equal((await guest.refusal({ t: 'lock', locked: false })).code, 'host_only')
  })

  test('[ROM-14] [ROM-15] concurrent patches and messages are seen in the same order on both nodes', async () => {
    const [host, guest] = await pair()
    for (let i = 0; i < 25; i++) {
      for (const player of [host, guest]) player.send({ t: 'setState', patch: { [player.id]: i } })
      for (const player of [host, guest]) player.send({ t: 'send', type: 'n', data: i })
    }
    const [hosts, guests] = [await host.news(), await guest.news()]
    // One player may have been read before the other had sent everything.
    hosts.push(...(await host.news()))
    const states = (receivedEvents: typeof hosts) => receivedEvents.filter(({ t }) => t === 'state')
    assert.equal(states(hosts).length, 50)
    assert.deepEqual(states(guests), states(hosts))
    const heard = (receivedEvents: typeof hosts) =>
      receivedEvents.filter(({ t }) => t === 'message').map(({ data }) => data)
    const inOrder = Array.from({ length: 25 }, (_, i) => i)
    assert.deepEqual([heard(hosts), heard(guests)], [inOrder, inOrder])
  })

  test('[ROM-01] [DEV-16] the list and the live view show the rooms and queues of both nodes', async () => {
    const ids: string[] = []
    for (const node of [one, two, one]) {
      const player = await game.player(node)
      ids.unshift((await player.request({ t: 'create' })).room.id)
      one.clock.advance(1)
    }
    await (await game.player(one)).request({ t: 'quickMatch', mode: 'default' })
    await (await game.player(two)).request({ t: 'quickMatch', mode: 'trio' })
    for (const node of [one, two]) {
      const { body } = await node.withKey(game.side.publishableKey)('GET', '/v1/rooms?mode=default')
      assert.deepEqual(
        body.rooms.map(({ id }: { id: string }) => id),
        ids,
      )
      const live = await node.withKey(game.side.secretKey)('GET', '/v1/admin/realtime')
      assert.equal(live.body.rooms.length, 3)
      assert.deepEqual(live.body.queues, [
        { mode: 'default', waiting: 1 },
        { mode: 'trio', waiting: 1 },
      ])
    }
  })

  test('[ROM-20] quickMatch through another node leads a player who has lost the connection back to the match', async () => {
    const [host, guest, third] = [await game.player(one), await game.player(two), await game.player(two)]
    for (const player of [host, third]) await player.request({ t: 'quickMatch', mode: 'trio' })
    const { roomId } = await guest.request({ t: 'quickMatch', mode: 'trio' })
    for (const node of [one, two]) {
      const newest = await game.enter(guest.guest, node)
      assert.deepEqual(await newest.request({ t: 'quickMatch', mode: 'trio' }), { queued: false, roomId })
      const joined = newest.received.find(({ t }) => t === 'room_joined')
      assert.equal(joined?.['room'].players.length, 3)
      await newest.close()
    }
  })

  test('[ROM-09] [ROM-10] a disconnected player reconnects through the other node', async () => {
    const [host, guest, room] = await pair()
    await guest.close()
    assert.equal((await host.next('player_disconnected'))['playerId'], guest.id)
    const back = await game.enter(guest.guest, one)
    assert.deepEqual(back.welcome['room'], { id: room.id })
    await back.request({ t: 'resume', roomId: room.id })
    assert.equal((await host.next('player_reconnected'))['playerId'], guest.id)

    await host.close()
    await back.next('player_disconnected')
    one.clock.advance(5_000)
    assert.equal((await back.next('host_changed'))['hostId'], guest.id)
    one.clock.advance(GRACE_MS - 5_000)
    assert.deepEqual(await back.next('player_left'), {
      t: 'player_left',
      playerId: host.id,
      reason: 'timeout',
    })
  })

  test('[WSK-04] [ROM-09] a newer connection on another node replaces the older one and takes the seat', async () => {
    const [host, guest, room] = await pair()
    const newer = await game.enter(host.guest, two)
    assert.equal((await host.closed).code, 4004)
    await guest.next('player_disconnected')
    const { room: resumed } = await newer.request({ t: 'resume', roomId: room.id })
    assert.deepEqual([resumed.hostId, resumed.players.length], [host.id, 2])
    one.clock.advance(GRACE_MS)
    await newer.request({ t: 'send', type: 'still here' })
    const receivedEvents = (await guest.news()).map(({ t }) => t)
    assert.deepEqual(receivedEvents, ['player_disconnected', 'player_reconnected', 'message'])
  })

  test('[WSK-04] [ROM-09] no event is sent if a newer connection takes the seat before the older one closes', async () => {
    const host = await game.player(one)
    const { id: roomId } = await game.room([host])
    const guest = await newGuest(game.side)
    // A client that never answers a close frame, so that it is disconnected after a second at the earliest.
    const older = await openRaw(await portOf(one))
    const frame = (fields: object) => clientText(JSON.stringify(fields))
    older.send(frame({ t: 'auth', key: game.side.publishableKey, token: guest.accessToken }))
    older.send(frame({ t: 'join', roomId }))
    await host.next('player_joined')
    await host.news()

    const newer = await game.enter(guest, two)
    await newer.request({ t: 'resume', roomId })
    await older.ended
    assert.deepEqual(closesOf(older.frames), [[4004, 'replaced']])
    await newer.request({ t: 'send', type: 'still here' })
    assert.deepEqual(
      (await host.news()).map(({ t }) => t),
      ['message'],
    )
  })

  test('[ROM-13] a mode that is removed on one node empties its queue on every node', async () => {
    await game.configure({
      features: { multiplayer: true },
      multiplayer: { modes: [{ key: 'patient', minPlayers: 3, maxPlayers: 3, fillTimeoutSeconds: 0 }] },
    })
    const waiting = [await game.player(one), await game.player(two)]
    for (const player of waiting)
      assert.deepEqual(await player.request({ t: 'quickMatch', mode: 'patient' }), { queued: true })
    const config = { features: { multiplayer: true }, multiplayer: { modes: MODES } }
    await two.withKey(game.side.secretKey)('PUT', '/v1/config', config)

    // The owner of the queue learns of it by the bus, after a delay.
    const isWarned = () => waiting.every(({ received }) => received.some(({ t }) => t === 'warn'))
    await until(async () => (one.clock.advance(1_000), isWarned()))
    for (const player of waiting) {
      assert.equal((await player.next('warn'))['code'], 'mode_not_found')
      assert.deepEqual(await player.request({ t: 'cancelMatch' }), { cancelled: false })
    }
  })

  test('[ROM-08] the seat of a disconnected player is released when the player takes one on another node', async () => {
    const [host, guest] = await pair()
    await guest.close()
    await host.next('player_disconnected')
    const back = await game.enter(guest.guest, two)
    await back.request({ t: 'create' })
    assert.deepEqual(await host.next('player_left'), {
      t: 'player_left',
      playerId: guest.id,
      reason: 'replaced',
    })
  })

  test('[ROM-03] [ROM-05] codes and last seats are given once, also to concurrent requests on both nodes', async () => {
    const players = [...(await game.players(6, one)), ...(await game.players(6, two))]
    const rush = (frame: (i: number) => object) =>
      Promise.all(players.map((player, i) => player.request(frame(i)).catch(String)))
    const made = await rush(() => ({ t: 'create', code: 'RUSH', maxPlayers: 4 }))
    const refused = made.filter((answer) => typeof answer === 'string')
    assert.equal(refused.length, 11)
    assert.ok(refused.every((refusal) => refusal.includes('"code_taken"')))

    const joined = await rush(() => ({ t: 'join', code: 'rush' }))
    const full = joined.filter((answer) => typeof answer === 'string' && answer.includes('"room_full"'))
    assert.equal(full.length, 8)
  })

  test('[P2P-02] [P2P-03] signals and relays work across nodes', async () => {
    const [host, guest] = await pair({ mode: 'mesh' })
    await guest.request({ t: 'signal', to: host.id, kind: 'offer', data: { sdp: 'x' } })
    assert.deepEqual(await host.next('signal'), {
      t: 'signal',
      from: guest.id,
      kind: 'offer',
      data: { sdp: 'x' },
      gen: null,
    })
    assert.equal((await guest.request({ t: 'iceServers' })).iceTransportPolicy, 'relay')
  })

  test('[BAN-07] a ban on one node removes the player from a room on the other', async () => {
    const [host, guest] = await pair()
    const ban = await one.withKey(game.side.secretKey)('POST', `/v1/admin/players/${guest.id}/ban`, {
      reason: 'test',
    })
    assert.equal(ban.status, 200)
    assert.equal((await guest.closed).code, 4003)
    assert.deepEqual(await host.next('player_left'), {
      t: 'player_left',
      playerId: guest.id,
      reason: 'banned',
    })
  })

  test('[ROM-18] with multiplayer turned off the rooms of both nodes close for all players', async () => {
    const [host, guest] = await pair()
    await game.configure({ features: { realtimeChannels: true } })
    for (const player of [host, guest])
      assert.equal((await player.next('room_closed'))['reason'], 'feature_disabled')
  })

  /** A match of three on both nodes; its queue and its room are on the second node. */
  const startedMatch = async () => {
    const players = [await game.player(two), await game.player(one), await game.player(two)]
    const [host, , last] = players as [GamePlayer, GamePlayer, GamePlayer]
    for (const player of players) await player.request({ t: 'quickMatch', mode: 'trio' })
    const { room } = await host.next('room_joined')
    return { host, last, roomId: room.id as string }
  }

  test('[ROM-12] a started match is filled from the other node, and a waiting player there gets a free seat', async () => {
    const { last, roomId } = await startedMatch()
    const [fourth, fifth] = await game.players(2, one)
    assert.deepEqual(await fourth?.request({ t: 'quickMatch', mode: 'trio' }), { queued: false, roomId })
    assert.deepEqual(await fifth?.request({ t: 'quickMatch', mode: 'trio' }), { queued: true })
    await last.request({ t: 'leave' })
    assert.equal((await fifth?.next('room_joined'))?.['room'].id, roomId)
  })

  test('[ROM-12] [ROM-17] no player joins after the lock, from any node', async () => {
    for (let round = 0; round < 5; round++) {
      const { host } = await startedMatch()
      const others = [...(await game.players(2, one)), ...(await game.players(2, two))]
      const racing = others.map((player) => player.request({ t: 'quickMatch', mode: 'trio' }))
      await host.request({ t: 'lock', locked: true })
      await Promise.all(racing)
      const events = (await host.news()).map(({ t }) => t)
      assert.ok(!events.slice(events.indexOf('locked')).includes('player_joined'), events.join())
      await game.end()
      game = await newGame(one, MODES)
    }
  })

  test('[ROM-11] [ROM-12] [ROM-13] players on both nodes are matched in the order of arrival', async () => {
    const waiting = [await game.player(two), await game.player(one), await game.player(two)]
    const [first, second, third] = waiting as [GamePlayer, GamePlayer, GamePlayer]
    const match = { t: 'quickMatch', mode: 'trio' }
    await first.request(match)
    await second.request(match)
    assert.equal((await second.refusal(match)).code, 'already_queued')
    assert.deepEqual(await second.request({ t: 'cancelMatch' }), { cancelled: true })
    await second.request(match)
    const { queued, roomId } = await third.request(match)
    assert.equal(queued, false)
    for (const player of waiting) {
      const joined =
        player.received.find(({ t }) => t === 'room_joined') ?? (await player.next('room_joined'))
      assert.equal(joined['room'].id, roomId)
      assert.deepEqual(
        joined['room'].players.map(({ id }: { id: string }) => id),
        [first.id, second.id, third.id],
      )
    }
  })
})

describe('a node that stops gracefully', () => {
  let nodes: [Service, Service]
  let game: Game
  beforeEach(async () => {
    const first = await startService('postgres')
    nodes = [first, await startService('postgres', { clusterOf: first })]
    game = await newGame(first, MODES)
  })
  afterEach(async () => {
    await game.end()
    const [first, second] = nodes
    await second.stop()
    await first.stop()
  })

  test('[WSK-14] moves its rooms to another node: players there keep their seats, its own players resume', async () => {
    const [first, second] = nodes
    const [host, guest] = [await game.player(first), await game.player(second)]
    const room = await game.room([host, guest], { code: 'MOVES' })
    await host.request({ t: 'setState', patch: { turn: 3 } })
    await guest.request({ t: 'setMyState', patch: { hp: 1 } })
    await guest.news()

    await first.close()

    assert.deepEqual(await host.closed, { code: 1012, reason: 'server_restarting' })
    const moved = await guest.next('room_joined')
    assert.deepEqual(moved['room'].state, { turn: 3 })
    assert.deepEqual(
      moved['room'].players.map(({ id, state, connected }: Record<string, unknown>) => [
        id,
        state,
        connected,
      ]),
      [
        [host.id, {}, false],
        [guest.id, { hp: 1 }, true],
      ],
    )
    assert.equal(moved['room'].hostId, host.id)

    const back = await game.enter(host.guest, second)
    assert.deepEqual(back.welcome['room'], { id: room.id })
    assert.equal((await back.request({ t: 'resume', roomId: room.id })).room.hostId, host.id)
    await back.request({ t: 'send', type: 'hello' })
    assert.equal((await guest.next('message'))['from'], host.id)
    const late = await game.player(second)
    await late.request({ t: 'join', code: 'moves' })
  })

  test('[WSK-14] [ROM-12] moves its matches and their queue: the next player gets the free seat', async () => {
    const [first, second] = nodes
    const match = { t: 'quickMatch', mode: 'trio' }
    const [starter, ...others] = [await game.player(first), ...(await game.players(2, second))]
    await starter.request(match)
    for (const player of others) await player.request(match)
    const { room } = await starter.next('room_joined')
    for (const player of others) await player.news()

    await first.close()

    for (const player of others) await player.next('room_joined')
    const late = await game.player(second)
    assert.deepEqual(await late.request(match), { queued: false, roomId: room.id })
  })

  test('[WSK-14] [ROM-12] moves its queues, and waiting players keep their order', async () => {
    const [first, second] = nodes
    const atOnce = await game.player(first)
    const match = { t: 'quickMatch', mode: 'trio' }
    // The first node owns the queue.
    await atOnce.request(match)
    const [early, late] = [await game.player(second), await game.player(second)]
    await atOnce.request({ t: 'cancelMatch' })
    await late.request({ t: 'quickMatch', mode: 'trio' })
    await late.request({ t: 'cancelMatch' })
    await early.request(match)
    first.clock.advance(1_000)
    await late.request(match)

    await first.close()

    const third = await game.player(second)
    await third.request(match)
    const joined = third.received.find(({ t }) => t === 'room_joined')
    assert.deepEqual(
      joined?.['room'].players.map(({ id }: { id: string }) => id),
      [early.id, late.id, third.id],
    )
  })
})
