import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployRooms, newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { allGone, back, roomsOf, TURNS } from '../../../testing/kept-rooms.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

const ROOMS = '/v1/admin/x/rooms'
const DAY_MS = 24 * 60 * 60_000
const KEPT = { className: 'Turns', mode: { maxPlayers: 2 }, room: { keepDays: 2 } }

suite('kept rooms', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  before(async () => void (game = await newCodeGame(service, TURNS, KEPT)))
  after(() => game.end())

  const rows = (id: string) =>
    service.db.search((q) => q.selectFrom('rooms_kept').selectAll().where('id', '=', id))
  const seats = (id: string) =>
    service.db.search((q) => q.selectFrom('rooms_kept_seats').selectAll().where('roomId', '=', id))
  const gone = (...players: GamePlayer[]) => allGone(service, game, players)
  const move = (player: GamePlayer, data: unknown) => player.request({ t: 'send', type: 'move', data })
  async function pair(fields: object = {}) {
    const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
    return { host, guest, room: await game.room([host, guest], fields) }
  }

  test('[RWC-83] a room that nobody is connected to is stored, and a join by code or id or a resume opens it again', async () => {
    const { host, guest, room } = await pair({ metadata: { name: 'a game' } })
    await move(host, 'e4')
    await move(guest, 'e5')
    await gone(host, guest)
    assert.deepEqual(
      (await roomsOf(host)).map(({ id, open }) => [id, open]),
      [[room.id, false]],
    )

    service.clock.advance(DAY_MS)
    const again = await back(game, host)
    const { room: view } = await again.request({ t: 'join', code: room.code.toLowerCase() })
    assert.deepEqual(view.state.moves, ['e4', 'e5'])
    assert.deepEqual(view.own, { hand: `hand of ${host.id}` })
    assert.deepEqual(view.metadata, { name: 'a game' })
    assert.deepEqual(
      view.players.map(({ id, connected }: { id: string; connected: boolean }) => [id, connected]),
      [
        [host.id, true],
        [guest.id, false],
      ],
    )
    assert.deepEqual(await again.request({ t: 'send', type: 'secret' }), { data: 2 })
    await gone(again)

    const second = await back(game, guest)
    const resumed = await second.request({ t: 'resume', roomId: room.id })
    assert.deepEqual(resumed.room.state.moves, ['e4', 'e5'])
    await gone(second)
    const third = await back(game, host)
    assert.deepEqual((await third.request({ t: 'join', roomId: room.id })).room.state.left, [])
    await third.request({ t: 'send', type: 'end' })
  })

  test('[RWC-83] a player who is away for long keeps the seat of an open room, and a stranger gets room_full', async () => {
    const { host, guest, room } = await pair()
    await guest.close()
    await host.next('player_disconnected')
    for (let passed = 0; passed < 100_000; passed += 20_000) {
      service.clock.advance(20_000)
      await host.settled()
    }
    const [stranger] = (await game.players(1)) as [GamePlayer]
    assert.equal((await stranger.refusal({ t: 'join', code: room.code })).code, 'room_full')
    assert.deepEqual(
      (await roomsOf(guest)).map(({ open, players }) => [open, players.map(({ connected }) => connected)]),
      [[true, [true, false]]],
    )
    await gone(host)
    assert.equal((await stranger.refusal({ t: 'join', code: room.code })).code, 'room_full')
    assert.equal((await stranger.refusal({ t: 'resume', roomId: room.id })).code, 'room_not_found')
    assert.equal((await stranger.refusal({ t: 'create', code: room.code })).code, 'code_taken')
    assert.deepEqual(await roomsOf(stranger), [])
    await stranger.close()
    await game.side.server('DELETE', `${ROOMS}/${room.id}`)
  })

  test('[RWC-84] a seat is given up by leaving, by kick and by ban, and the room goes with its last seat', async () => {
    const { host, guest, room } = await pair()
    await guest.request({ t: 'leave' })
    assert.deepEqual(await roomsOf(guest), [])
    assert.equal((await seats(room.id)).length, 1)
    await guest.request({ t: 'join', code: room.code })
    await host.request({ t: 'send', type: 'kick', data: guest.id })
    await comesTrue('the seat is free', async () => (await seats(room.id)).length === 1)
    await guest.request({ t: 'join', code: room.code })
    await gone(host, guest)

    const { status } = await game.side.server('POST', `/v1/admin/players/${guest.id}/ban`, {
      reason: 'cheats',
    })
    assert.equal(status, 200)
    await comesTrue('the seat is free', async () => (await seats(room.id)).length === 1)
    const again = await back(game, host)
    const { room: view } = await again.request({ t: 'join', code: room.code })
    assert.deepEqual(view.players.length, 1)
    await comesTrue('the code has learned it', async () => {
      const { body } = await game.side.server('GET', `${ROOMS}/${room.id}/state`)
      return body.state.left.length === 3
    })
    await again.request({ t: 'leave' })
    assert.deepEqual([await rows(room.id), await seats(room.id)], [[], []])
    assert.equal((await again.refusal({ t: 'join', code: room.code })).code, 'room_not_found')
    await again.close()
  })

  test('[RWC-84] with keepSeat a player leaves the room and keeps the seat, and can join another room', async () => {
    const { host, guest, room } = await pair()
    await host.request({ t: 'leave', keepSeat: true })
    assert.equal((await guest.next('player_disconnected'))['playerId'], host.id)
    const other = (await host.request({ t: 'create' })).room
    assert.deepEqual(
      (await roomsOf(host)).map(({ id }) => id),
      [other.id, room.id],
    )
    await guest.news()
    await host.request({ t: 'leave', keepSeat: true })
    const { room: view } = await host.request({ t: 'join', roomId: room.id })
    assert.equal(view.players.length, 2)
    assert.deepEqual(view.state.left, [])
    for (const { id } of [room, other]) await game.side.server('DELETE', `${ROOMS}/${id}`)
    await Promise.all([host.close(), guest.close()])
  })

  test('[RWC-85] a message of the server opens a stored room, which is stored again', async () => {
    const { host, guest, room } = await pair()
    await gone(host, guest)
    const { saves = 0 } = (await rows(room.id))[0] ?? {}
    const sent = await game.side.server('POST', `${ROOMS}/${room.id}/messages`, { type: 'move', data: 'd4' })
    assert.deepEqual([sent.status, sent.body], [200, { data: 1 }])
    await gone()
    assert.ok(((await rows(room.id))[0]?.saves ?? 0) > saves)
    const state = await game.side.server('GET', `${ROOMS}/${room.id}/state`)
    assert.deepEqual([state.status, state.body.state.moves], [200, ['d4']])
    assert.deepEqual(Object.keys(state.body.own).toSorted(), [host.id, guest.id].toSorted())
    await game.side.server('DELETE', `${ROOMS}/${room.id}`)
  })

  test('[RWC-85] a stored room is opened at the time of wakeAt; a room that wakes soon stays open', async () => {
    const { host, guest, room } = await pair()
    await host.request({ t: 'send', type: 'wakeIn', data: 60_000 })
    await Promise.all([host.close(), guest.close()])
    await game.nobodyIn('rooms')
    for (let passed = 0; passed <= 55_000; passed += 5_000) {
      service.clock.advance(5_000)
      await service.db.ping()
    }
    assert.equal((await roomsOf(host))[0]?.open, true)
    await gone()
    assert.equal((await game.side.server('GET', `${ROOMS}/${room.id}/state`)).body.state.woken, 1)

    const again = await back(game, host)
    await again.request({ t: 'join', code: room.code })
    await again.request({ t: 'send', type: 'wakeIn', data: DAY_MS })
    await gone(again)
    const [{ wakeAt } = { wakeAt: null }] = await roomsOf(host)
    assert.ok(wakeAt !== null && Date.parse(wakeAt) > service.clock.now().getTime() + DAY_MS / 2)
    await service.everyMinute()
    assert.equal((await roomsOf(host))[0]?.open, false)
    service.clock.advance(DAY_MS)
    // The clock jumps: a room that did not start in time is stored again, and its time is not lost.
    await comesTrue('the code has run', async () => {
      await service.everyMinute()
      await gone()
      return (await game.side.server('GET', `${ROOMS}/${room.id}/state`)).body.state.woken === 2
    })
    await back(game, host).then((player) => player.close())
    assert.equal((await roomsOf(host))[0]?.wakeAt, null)
    await game.side.server('DELETE', `${ROOMS}/${room.id}`)
  })

  test('[RWC-86] a stored room continues in the live version; without its class, or if it cannot be restored, it is over', async () => {
    const own = await newCodeGame(service, TURNS, KEPT)
    const [player] = (await own.players(1)) as [GamePlayer]
    const rooms: string[] = []
    for (let count = 0; count < 3; count++) {
      rooms.push((await player.request({ t: 'create' })).room.id)
      await player.request({ t: 'send', type: 'move', data: count })
      await player.request({ t: 'leave', keepSeat: true })
    }
    await allGone(service, own, [player])
    await deployRooms(own.side, TURNS.replace('this.secret = saved.secret', 'this.state.version = 2'))
    const again = await back(own, player)
    const { state } = (await again.request({ t: 'join', roomId: rooms[0] })).room
    assert.deepEqual([state.version, state.moves], [2, [0]])
    await again.request({ t: 'leave', keepSeat: true })
    await allGone(service, own, [again])

    await deployRooms(own.side, TURNS.replace('this.secret = saved.secret', 'throw new Error()'))
    const third = await back(own, player)
    assert.equal((await third.refusal({ t: 'join', roomId: rooms[0] })).code, 'room_not_found')
    assert.deepEqual(await rows(rooms[0] ?? ''), [])

    await own.side.server('POST', '/v1/admin/functions/disable', {})
    assert.equal((await third.refusal({ t: 'join', roomId: rooms[1] })).code, 'mode_unavailable')
    assert.equal((await rows(rooms[1] ?? '')).length, 1)
    await deployRooms(own.side, TURNS)
    assert.deepEqual((await third.request({ t: 'join', roomId: rooms[1] })).room.state.moves, [1])
    await own.side.server('POST', '/v1/admin/functions/disable', {})
    assert.equal((await third.next('room_closed')).reason, 'closed')
    assert.equal((await rows(rooms[1] ?? '')).length, 1)

    await deployRooms(own.side, 'export class Other extends Room {}')
    assert.equal((await third.refusal({ t: 'join', roomId: rooms[2] })).code, 'room_not_found')
    assert.deepEqual(await rows(rooms[2] ?? ''), [])
    await own.end()
  })

  test('[RWC-87] a stored room is deleted after keepDays, an open one is not, and one that has ended at once', async () => {
    const { host, guest, room } = await pair()
    await gone(host, guest)
    const [{ expiresAt } = { expiresAt: '' }] = await roomsOf(host)
    service.clock.advance(Date.parse(expiresAt) - service.clock.now().getTime() - 1)
    await service.everyHour()
    assert.equal((await rows(room.id)).length, 1)
    const again = await back(game, host)
    await again.request({ t: 'join', code: room.code })
    service.clock.advance(1)
    await service.everyHour()
    await comesTrue('it was saved', async () => ((await rows(room.id))[0]?.expiresAt ?? '') > expiresAt)
    await gone(again)
    service.clock.advance(2 * DAY_MS)
    // Before it is deleted.
    assert.equal((await rows(room.id)).length, 1)
    const early = await back(game, host)
    for (const by of [{ code: room.code }, { roomId: room.id }])
      assert.equal((await early.refusal({ t: 'join', ...by })).code, 'room_not_found')
    assert.deepEqual(await roomsOf(early), [])
    const state = await game.side.server('GET', `/v1/admin/x/rooms/${room.id}/state`)
    assert.equal(state.status, 404)
    await early.close()
    await service.everyHour()
    assert.deepEqual([await rows(room.id), await seats(room.id)], [[], []])
    const later = await back(game, host)
    assert.equal((await later.refusal({ t: 'join', code: room.code })).code, 'room_not_found')

    const ended = (await later.request({ t: 'create' })).room
    await later.request({ t: 'send', type: 'end' })
    assert.equal((await later.next('room_closed')).reason, 'finished')
    await comesTrue('the row is gone', async () => (await rows(ended.id)).length === 0)
    assert.deepEqual(await roomsOf(later), [])
    await later.close()
  })

  test('[RWC-88] a player lists own kept rooms, open and stored, the newest first', async () => {
    const { host, guest, room } = await pair({ metadata: 1 })
    await host.request({ t: 'send', type: 'name', data: 'renamed' })
    const [listed] = await roomsOf(host)
    const players = [host, guest].map(({ id, guest: { displayName } }) => ({
      id,
      displayName,
      connected: true,
    }))
    assert.ok(listed)
    const { expiresAt, ...shown } = listed
    assert.ok(expiresAt > service.clock.now().toISOString())
    const createdAt = (await rows(room.id))[0]?.createdAt
    assert.deepEqual(shown, {
      id: room.id,
      code: room.code,
      mode: 'default',
      open: true,
      metadata: { name: 'renamed' },
      players: shown.players,
      createdAt,
      wakeAt: null,
    })
    const byId = (all: { id: string }[] = []) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(byId(shown.players), byId(players))
    await guest.request({ t: 'leave', keepSeat: true })
    const second = (await guest.request({ t: 'create', mode: 'default' })).room
    assert.deepEqual(
      (await roomsOf(guest)).map(({ id }) => id),
      [second.id, room.id],
    )
    await guest.guest.call('PATCH', '/v1/players/me', { displayName: 'New name' })
    await gone(host, guest)
    const stored = (await roomsOf(host))[0]
    assert.deepEqual([stored?.open, stored?.metadata], [false, { name: 'renamed' }])
    assert.ok(stored?.players.some(({ displayName }) => displayName === 'New name'))
    assert.ok(stored?.players.every(({ connected }) => !connected))
    const again = await back(game, host)
    const { room: relay } = await again.request({ t: 'create', mode: 'relay' })
    assert.ok(!(await roomsOf(host)).some(({ id }) => id === relay.id))
    await again.request({ t: 'leave' })
    await again.close()
    for (const { id } of [room, second]) await game.side.server('DELETE', `${ROOMS}/${id}`)
  })

  test('[RWC-90] kept rooms are exported with their player, and a deleted player has no seat', async () => {
    const { host, guest, room } = await pair()
    for (const player of [host, guest]) await player.request({ t: 'send', type: 'secret', call: 1 })
    await gone(host, guest)
    const alone = await back(game, guest)
    const own = (await alone.request({ t: 'create' })).room
    await alone.request({ t: 'leave', keepSeat: true })
    const { body } = await game.side.server('GET', `/v1/admin/players/${guest.id}/export`)
    assert.deepEqual(
      body.keptRooms.map(({ id, own: state }: { id: string; own: unknown }) => [id, state])[0],
      [room.id, { hand: `hand of ${guest.id}` }],
    )
    assert.ok(!JSON.stringify(body).includes(`hand of ${host.id}`))
    const { status } = await game.side.server('POST', `/v1/admin/players/${guest.id}/delete`)
    assert.equal(status, 200)
    assert.deepEqual(
      (await seats(room.id)).map(({ playerId }) => playerId),
      [host.id],
    )
    const [row] = await rows(room.id)
    assert.ok(!row?.snapshot.includes(`hand of ${guest.id}`))
    const { calls } = JSON.parse(row?.snapshot ?? '').code
    assert.deepEqual(
      calls.map(([playerId]: [string]) => playerId),
      [host.id],
    )
    await comesTrue('the room of nobody else is gone', async () => (await rows(own.id)).length === 0)
    const again = await back(game, host)
    const { room: view } = await again.request({ t: 'join', code: room.code })
    assert.deepEqual(
      view.players.map(({ id }: { id: string }) => id),
      [host.id],
    )
    await again.request({ t: 'leave' })
    await again.close()
  })

  test('[RWC-92] the developer reads and deletes a stored room', async () => {
    const opened = await game.side.server('POST', ROOMS, { mode: 'default', code: 'EMPTY1' })
    const { id } = opened.body
    await gone()
    assert.equal((await rows(id)).length, 1, 'a room of a server waits for its players')
    const [player] = (await game.players(1)) as [GamePlayer]
    assert.equal((await player.request({ t: 'join', code: 'EMPTY1' })).room.id, id)
    await move(player, 1)
    await gone(player)
    assert.deepEqual((await game.side.server('GET', `${ROOMS}/${id}/state`)).body.state.moves, [1])
    const { server: foreign } = (await service.newProject()).development
    assert.equal((await foreign('DELETE', `${ROOMS}/${id}`)).body.error.code, 'room_not_found')
    assert.deepEqual((await game.side.server('DELETE', `${ROOMS}/${id}`)).body, { deleted: true })
    assert.deepEqual([await rows(id), await seats(id)], [[], []])
    assert.equal((await game.side.server('DELETE', `${ROOMS}/${id}`)).body.error.code, 'room_not_found')
  })

  test('[RWC-93] a mode without keepDays has no kept rooms, and a refused player gets no seat', async () => {
    const own = await newCodeGame(service, TURNS, { ...KEPT, room: {} })
    const [player] = (await own.players(1)) as [GamePlayer]
    const { room } = await player.request({ t: 'create' })
    assert.deepEqual(await rows(room.id), [])
    assert.deepEqual(await roomsOf(player), [])
    await allGone(service, own, [player])
    assert.deepEqual(await rows(room.id), [])
    await own.end()

    const [host, renamed] = (await game.players(2)) as [GamePlayer, GamePlayer]
    await renamed.guest.call('PATCH', '/v1/players/me', { displayName: 'refused' })
    await renamed.close()
    const guest = await back(game, renamed)
    const kept = (await host.request({ t: 'create' })).room
    assert.equal((await guest.refusal({ t: 'join', code: kept.code })).code, 'join_refused')
    await comesTrue('it has no seat', async () => (await seats(kept.id)).length === 1)
    await game.side.server('DELETE', `${ROOMS}/${kept.id}`)
    await Promise.all([host.close(), guest.close()])
  })
})
