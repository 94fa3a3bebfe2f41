import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { merged, newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

const CLASSES = `
export class Arena extends Room {
  state = { balls: {}, log: [] }
  onCreate(options) {
    if (options === 'throw') throw new Error('no')
    this.state.map = options?.map ?? 'none'
    this.options = options
  }
  async onJoin(player) {
    if (this.options === 'refuse') throw new Refusal('not you')
    if (this.options === 'break') throw new Error('broken')
    if (this.options === 'never') await new Promise(() => {})
    if (this.options === 'slow') await new Promise((resolve) => setTimeout(resolve, 5))
    this.state.balls[player.id] = { x: 0 }
    this.own(player).hand = 'hand of ' + player.id
  }
  onLeave(player, reason) {
    delete this.state.balls[player.id]
    this.state.log.push(reason)
  }
  onDisconnect(player) { this.state.log.push('drop') }
  onReconnect(player) { this.state.log.push('back') }
  onServerMessage(type, data) { return { type, data, players: this.players.length } }
  messages = {
    move: (player, by) => { this.state.balls[player.id].x += by },
    where: (player) => this.state.balls[player.id],
    clear: (player) => { delete this.own(player).hand },
    hand: (player, hand) => { this.own(player).hand = hand },
    deal: (player, hand) => { this.own(player).hand = hand; this.state.log.push('dealt') },
    say: (player, text) => this.send('said', { by: player.id, text }),
    tell: (player, to) => this.send('told', 1, to),
    throw: () => { throw new Error('thrown') },
    throwLater: async () => { await undefined; throw new Error('thrown') },
    refuse: () => { throw new Refusal('no') },
    later: async (player) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      this.state.balls[player.id].x = 99
      return 'done'
    },
    kick: (player, id) => this.kick(id),
    lock: (player, is) => this.lock(is),
    meta: (player, data) => this.setMetadata(data),
    end: (player, result) => {
      this.end(result)
      return 'ended'
    },
  }
}`

suite('rooms with code', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  before(async () => void (game = await newCodeGame(service, CLASSES)))
  after(() => game.end())

  async function pair(options?: unknown) {
    const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
    const { room } = await host.request({ t: 'create', options })
    await guest.request({ t: 'join', roomId: room.id })
    return { host, guest, id: room.id as string }
  }
  const same = (players: readonly GamePlayer[], expected: unknown) =>
    comesTrue('the states are equal', async () =>
      players.every((player) => JSON.stringify(merged(player).state) === JSON.stringify(expected)),
    )

  test('[RWC-25] the creator sees the state after onCreate(options) and onJoin, and the own state', async () => {
    const [host] = (await game.players(1)) as [GamePlayer]
    const { room } = await host.request({ t: 'create', options: { map: 'lake' } })
    assert.deepEqual(room.server, { tickRate: 0, tick: 0 })
    assert.deepEqual(room.state, { balls: { [host.id]: { x: 0 } }, log: [], map: 'lake' })
    assert.deepEqual(room.own, { hand: `hand of ${host.id}` })
    assert.deepEqual(host.received.find(({ t }) => t === 'room_joined')?.['room'], room)
  })

  test('[RWC-26] changes reach every player in one sync, with the acknowledged seq in the order of players', async () => {
    const { host, guest } = await pair()
    guest.send({ t: 'send', type: 'move', data: 3, seq: 7 })
    const sync = await host.until(({ t, acks }) => t === 'sync' && acks !== undefined, 'the acks')
    assert.deepEqual(sync['patch'], { balls: { [guest.id]: { x: 3 } } })
    assert.deepEqual(sync['acks'], [null, 7])
    await same([host, guest], { balls: { [host.id]: { x: 0 }, [guest.id]: { x: 3 } }, log: [], map: 'none' })
  })

  test('[RWC-27] the own state of a player is in no frame of another player', async () => {
    const { host, guest } = await pair()
    await host.request({ t: 'send', type: 'where' })
    const seen = JSON.stringify(guest.received)
    assert.ok(seen.includes(`hand of ${guest.id}`))
    assert.ok(!seen.includes(`hand of ${host.id}`))
  })

  test('[RWC-125] the own state comes before what the same turn has changed for all, and says that more follows', async () => {
    const { host, guest } = await pair()
    const syncsOf = async (player: GamePlayer, type: string) => {
      await player.settled()
      const before = player.received.length
      await host.request({ t: 'send', type, data: 'ace' })
      await player.settled()
      return player.received.slice(before).filter(({ t }) => t === 'sync')
    }
    const [own, all, ...rest] = await syncsOf(host, 'deal')
    assert.deepEqual(own, { t: 'sync', tick: 0, at: all?.['at'], own: { hand: 'ace' }, more: true })
    assert.deepEqual(all, { t: 'sync', tick: 0, at: all?.['at'], patch: { log: ['dealt'] } })
    assert.deepEqual(rest, [])
    await host.request({ t: 'send', type: 'hand', data: 'none' })
    const [seen, ...others] = await syncsOf(guest, 'deal')
    assert.deepEqual([seen?.['patch'], seen?.['more'], others], [{ log: ['dealt', 'dealt'] }, undefined, []])
    const [alone] = await syncsOf(host, 'clear')
    assert.deepEqual([alone?.['own'], alone?.['more']], [{ hand: null }, undefined])
  })

  test('[RWC-28] a request is answered with what the handler returns, also after an await', async () => {
    const { host, guest } = await pair()
    assert.deepEqual(await host.request({ t: 'send', type: 'where' }), { data: { x: 0 } })
    const later = host.request({ t: 'send', type: 'later' })
    // The next request does not wait for the promise of the first.
    assert.deepEqual(await guest.request({ t: 'send', type: 'where' }), { data: { x: 0 } })
    assert.deepEqual(await later, { data: 'done' })
    await comesTrue('the change arrives', async () => JSON.stringify(merged(guest).state).includes('99'))
  })

  test('[RWC-29] handlers that throw, refuse or do not exist answer room_error and invalid_request', async () => {
    const { host, guest } = await pair()
    assert.equal((await host.refusal({ t: 'send', type: 'throw' })).code, 'room_error')
    const refusal = await host.refusal({ t: 'send', type: 'refuse' })
    assert.deepEqual([refusal.code, refusal.details], ['room_error', { reason: 'no' }])
    assert.equal((await host.refusal({ t: 'send', type: 'toString' })).code, 'invalid_request')
    // Without `rid` the sender is warned, and nobody else.
    for (const [type, code, details] of [
      ['nothing', 'invalid_request'],
      ['throw', 'room_error'],
      ['throwLater', 'room_error'],
      ['refuse', 'room_error', { reason: 'no' }],
    ] as const) {
      host.send({ t: 'send', type })
      const warning = await host.next('warn')
      assert.deepEqual([warning['code'], warning['request']], [code, 'send'], type)
      if (details) assert.deepEqual(warning['details'], details)
    }
    await guest.settled()
    assert.ok(!guest.received.some(({ t }) => t === 'warn'))
  })

  test('[RWC-30] players cannot set the state or lock the room', async () => {
    const { host } = await pair()
    for (const frame of [
      { t: 'setState', patch: { a: 1 } },
      { t: 'setMyState', patch: { a: 1 } },
      { t: 'lock', locked: true },
    ])
      assert.equal((await host.refusal(frame)).code, 'room_decides')
  })

  test('[RWC-31] messages of the code come from `room`, to all or to some', async () => {
    const { host, guest } = await pair()
    host.send({ t: 'send', type: 'say', data: 'hi' })
    for (const player of [host, guest]) {
      const { from, type, data } = await player.next('message')
      assert.deepEqual([from, type, data], ['room', 'said', { by: host.id, text: 'hi' }])
    }
    await host.request({ t: 'send', type: 'tell', data: [guest.id, 'ply_nobody'] })
    assert.equal((await guest.next('message'))['type'], 'told')
    assert.ok(!JSON.stringify(host.received).includes('told'))
  })

  test('[RWC-32] the code can refuse a player; a seat is not taken then', async () => {
    const [host] = (await game.players(1)) as [GamePlayer]
    const refusal = await host.refusal({ t: 'create', options: 'refuse' })
    assert.deepEqual([refusal.code, refusal.details], ['join_refused', { reason: 'not you' }])
    assert.equal((await host.refusal({ t: 'create', options: 'break' })).code, 'room_error')
    assert.equal((await host.refusal({ t: 'create', options: 'throw' })).code, 'room_failed')
    assert.equal((await host.refusal({ t: 'send', type: 'where' })).code, 'not_in_room')
  })

  test('[RWC-33] onJoin has 2 s; nobody sees the player before', async () => {
    const [host] = (await game.players(1)) as [GamePlayer]
    const creating = host.refusal({ t: 'create', options: 'never' })
    await comesTrue(
      'the room is there',
      async () => (await game.side.server('GET', '/v1/admin/realtime')).body.rooms.length > 0,
    )
    let isAnswered = false
    void creating.then(() => (isAnswered = true))
    await comesTrue('the join has timed out', () => {
      service.clock.advance(1_000)
      return isAnswered
    })
    assert.equal((await creating).code, 'room_busy')
  })

  test('[RWC-34] leaving, being kicked, locks, metadata and the end are told to all', async () => {
    const { host, guest, id } = await pair()
    await host.request({ t: 'send', type: 'lock', data: true })
    assert.equal((await guest.next('locked'))['locked'], true)
    const [third] = (await game.players(1)) as [GamePlayer]
    assert.equal((await third.refusal({ t: 'join', roomId: id })).code, 'room_locked')
    await host.request({ t: 'send', type: 'lock', data: false })
    await host.request({ t: 'send', type: 'meta', data: { round: 2 } })
    assert.deepEqual((await game.list()).find((room: { id: string }) => room.id === id).metadata, {
      round: 2,
    })
    host.send({ t: 'send', type: 'kick', data: guest.id })
    for (const player of [host, guest])
      assert.deepEqual(await player.next('player_left'), {
        t: 'player_left',
        playerId: guest.id,
        reason: 'kicked',
      })
    assert.equal((await guest.refusal({ t: 'leave' })).code, 'not_in_room')
    await same([host], { balls: { [host.id]: { x: 0 } }, log: ['kicked'], map: 'none' })
    const ended = await host.request({ t: 'send', type: 'end', data: { winner: 1 } })
    assert.deepEqual(ended, { data: 'ended' })
    assert.deepEqual(await host.next('room_closed'), {
      t: 'room_closed',
      reason: 'finished',
      result: { winner: 1 },
    })
    assert.equal((await third.refusal({ t: 'join', roomId: id })).code, 'room_not_found')
  })

  test('[RWC-35] a player who resumes sees the present state, and the code learns of it', async () => {
    const { host, guest, id } = await pair()
    await guest.close()
    await host.next('player_disconnected')
    await host.request({ t: 'send', type: 'move', data: 5 })
    const back = await game.enter(guest.guest)
    const { room } = await back.request({ t: 'resume', roomId: id })
    assert.equal(room.state.balls[host.id].x, 5)
    assert.deepEqual(room.own, { hand: `hand of ${guest.id}` })
    await host.next('player_reconnected')
    const balls = { [host.id]: { x: 5 }, [guest.id]: { x: 0 } }
    await same([back, host], { balls, log: ['drop', 'back'], map: 'none' })
  })

  test('[RWC-36] 20 errors in 10 s close the room', async () => {
    const { host, guest } = await pair()
    for (let errors = 1; errors < 20; errors++) host.send({ t: 'send', type: 'throw' })
    assert.deepEqual(await host.request({ t: 'send', type: 'where' }), { data: { x: 0 } })
    host.send({ t: 'send', type: 'throw' })
    assert.deepEqual(await guest.next('room_closed'), { t: 'room_closed', reason: 'failed' })
  })

  test('[RWC-37] a mode without a live class answers mode_unavailable', async () => {
    const other = await newCodeGame(service, CLASSES, { className: 'Missing' })
    const [player] = (await other.players(1)) as [GamePlayer]
    assert.equal((await player.refusal({ t: 'create' })).code, 'mode_unavailable')
    await player.request({ t: 'create', mode: 'relay' })
    await other.end()
  })

  test('[RWC-38] options have at most 4 KB', async () => {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create', options: { map: 'x'.repeat(4 * 1024 - 10) } })
    await player.request({ t: 'leave' })
    const refusal = await player.refusal({ t: 'create', options: { map: 'x'.repeat(4 * 1024 - 9) } })
    assert.equal(refusal.code, 'payload_too_large')
  })

  test('[RWC-39] the live view shows how the code runs', async () => {
    const { id } = await pair()
    const { body } = await game.side.server('GET', '/v1/admin/realtime')
    const { server } = body.rooms.find((room: { id: string }) => room.id === id)
    const { cpuMsPerSecond, ...rest } = server
    assert.equal(typeof cpuMsPerSecond, 'number')
    assert.deepEqual(rest, {
      className: 'Arena',
      version: 1,
      tickRate: 0,
      tick: 0,
      lateTicks: 0,
      errors: 0,
      running: true,
    })
  })
})
