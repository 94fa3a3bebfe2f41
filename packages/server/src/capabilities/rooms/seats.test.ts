import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { PASSWORD } from '../../testing/email-players.ts'
import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const GRACE_MS = 30_000
const HOST_GRACE_MS = 5_000

for (const engine of engines) {
  describe(`seats of rooms on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    const roomOf = async (count: number, fields: object = {}) => {
      game = await newGame(service)
      const players = await game.players(count)
      const room = await game.room(players, fields)
      return [...(players as [GamePlayer, GamePlayer, GamePlayer]), room] as const
    }
    const two = async (fields: object = {}) => {
      game = await newGame(service)
      const players = (await game.players(2)) as [GamePlayer, GamePlayer]
      const room = await game.room(players, fields)
      return [...players, room] as const
    }
    /** Disconnects the player and waits until the other one gets the event. */
    const drop = async (player: GamePlayer, witness: GamePlayer) => {
      await player.close()
      const receivedEvents = await witness.until(
        ({ playerId }) => playerId === player.id,
        'player_disconnected',
      )
      assert.deepEqual(receivedEvents, { t: 'player_disconnected', playerId: player.id })
      await witness.news()
    }

    test('[ROM-09] [WSK-06] a player who reconnects keeps the seat, its state and the host role', async () => {
      const [host, other, room] = await two()
      await host.request({ t: 'setMyState', patch: { hp: 3 } })
      await other.request({ t: 'setState', patch: { turn: 7 } })
      await drop(host, other)

      const back = await game.enter(host.guest)
      assert.deepEqual(back.welcome['room'], { id: room.id })
      const resumed = await back.request({ t: 'resume', roomId: room.id })

      const [, joined, reply] = back.received
      assert.deepEqual(joined, { t: 'room_joined', room: resumed.room, selfId: host.id })
      assert.equal(reply?.t, 'reply')
      assert.equal(resumed.room.hostId, host.id)
      assert.deepEqual(resumed.room.state, { turn: 7 })
      assert.deepEqual(
        resumed.room.players.map(({ id, state, connected }: Record<string, unknown>) => [
          id,
          state,
          connected,
        ]),
        [
          [host.id, { hp: 3 }, true],
          [other.id, {}, true],
        ],
      )
      assert.deepEqual(await other.news(), [{ t: 'player_reconnected', playerId: host.id }])
    })

    test('[ROM-09] joining players see who is disconnected', async () => {
      const [host, other, room] = await two()
      await drop(other, host)
      const late = await game.player()
      const { players } = (await late.request({ t: 'join', roomId: room.id })).room
      assert.deepEqual(
        players.map(({ connected }: { connected: boolean }) => connected),
        [true, false, true],
      )
    })

    test('[ROM-09] the seat is kept for exactly 30 s', async () => {
      const [host, other, third, room] = await roomOf(3)
      await drop(other, host)
      service.clock.advance(GRACE_MS - 1)
      const back = await game.enter(other.guest)
      await back.request({ t: 'resume', roomId: room.id })
      assert.deepEqual(await host.news(), [{ t: 'player_reconnected', playerId: other.id }])

      await drop(third, host)
      service.clock.advance(GRACE_MS)
      assert.deepEqual(await host.news(), [{ t: 'player_left', playerId: third.id, reason: 'timeout' }])
      const late = await game.enter(third.guest)
      assert.equal(late.welcome['room'], null)
      assert.equal((await late.refusal({ t: 'resume', roomId: room.id })).code, 'room_not_found')
      await late.request({ t: 'join', roomId: room.id })
    })

    test('[ROM-08] [ROM-09] a room whose players are all disconnected stays until the last grace period ends', async () => {
      const [host, other, room] = await two()
      await drop(host, other)
      service.clock.advance(GRACE_MS / 2)
      await other.close()
      await game.nobodyIn('rooms')
      const visitor = await game.player()
      service.clock.advance(GRACE_MS - 1)
      assert.equal((await game.list())[0].id, room.id)
      service.clock.advance(1)
      assert.deepEqual(await game.list(), [])
      assert.equal((await visitor.refusal({ t: 'join', code: room.code })).code, 'room_not_found')
    })

    test('[ROM-10] the host role moves after 5 s of disconnection, and stays there', async () => {
      const [host, second, third, room] = await roomOf(3)
      await drop(host, second)
      service.clock.advance(HOST_GRACE_MS - 1)
      assert.deepEqual(await second.news(), [])
      service.clock.advance(1)
      for (const player of [second, third]) {
        const news = (await player.news()).filter(({ t }) => t !== 'player_disconnected')
        assert.deepEqual(news, [{ t: 'host_changed', hostId: second.id }])
      }
      const back = await game.enter(host.guest)
      assert.equal((await back.request({ t: 'resume', roomId: room.id })).room.hostId, second.id)
      assert.equal((await back.refusal({ t: 'lock', locked: true })).code, 'host_only')
    })

    test('[ROM-10] a disconnected player does not become host; a host who reconnects within 5 s stays host', async () => {
      const [host, second, third, room] = await roomOf(3)
      await drop(second, host)
      await drop(host, third)
      service.clock.advance(HOST_GRACE_MS - 1)
      const back = await game.enter(host.guest)
      assert.equal((await back.request({ t: 'resume', roomId: room.id })).room.hostId, host.id)
      await third.news()

      service.clock.advance(HOST_GRACE_MS)
      assert.deepEqual(await third.news(), [])
      await back.request({ t: 'leave' })
      assert.deepEqual(await third.news(), [
        { t: 'player_left', playerId: host.id, reason: 'left' },
        { t: 'host_changed', hostId: third.id },
      ])
    })

    test('[ROM-10] if all are disconnected, the first to reconnect after the 5 s of the host becomes host', async () => {
      const [host, other, room] = await two()
      await drop(host, other)
      await other.close()
      await game.nobodyIn('rooms')
      const visitor = await game.player()
      service.clock.advance(HOST_GRACE_MS)
      const back = await game.enter(other.guest)
      assert.equal((await back.request({ t: 'resume', roomId: room.id })).room.hostId, other.id)
      assert.equal((await visitor.request({ t: 'join', roomId: room.id })).room.hostId, other.id)
    })

    test('[WSK-04] [ROM-09] a newer connection replaces the older one and takes its seat', async () => {
      const [host, other, room] = await two()
      const newer = await game.enter(host.guest)
      assert.deepEqual(newer.welcome['room'], { id: room.id })
      await newer.request({ t: 'resume', roomId: room.id })
      assert.equal((await host.closed).code, 4004)
      await newer.request({ t: 'send', type: 'still here' })

      service.clock.advance(GRACE_MS)
      const receivedEvents = (await other.news()).map(({ t }) => t)
      // Both events, if the older connection closed before the newer one had the seat; otherwise none.
      const [isAway, ...rest] =
        receivedEvents[0] === 'player_disconnected' ? receivedEvents : [undefined, ...receivedEvents]
      assert.deepEqual(rest, isAway ? ['player_reconnected', 'message'] : ['message'])
    })

    test('[ROM-09] a player with a seat can also reconnect by join, into a full and locked room', async () => {
      const [host, other, room] = await two({ maxPlayers: 2 })
      await host.request({ t: 'lock', locked: true })
      await drop(other, host)
      const stranger = await game.player()
      assert.equal((await stranger.refusal({ t: 'join', roomId: room.id })).code, 'room_locked')
      const back = await game.enter(other.guest)
      assert.equal((await back.request({ t: 'join', code: room.code })).room.players.length, 2)
      assert.deepEqual(await host.news(), [{ t: 'player_reconnected', playerId: other.id }])
    })

    test('[ROM-08] the seat of a disconnected player is released when the player takes another one', async () => {
      const [host, other, room] = await two()
      let seated = other
      for (const take of [{ t: 'create' }, { t: 'quickMatch' }]) {
        await drop(seated, host)
        const back = await game.enter(other.guest)
        await back.request(take)
        if (take.t === 'quickMatch') {
          assert.deepEqual(await host.news(), [])
          await (await game.player()).request({ t: 'quickMatch' })
        }
        assert.deepEqual(await host.news(), [{ t: 'player_left', playerId: other.id, reason: 'replaced' }])
        await back.request({ t: 'leave' })
        await back.request({ t: 'join', roomId: room.id })
        await host.news()
        seated = back
      }
    })

    test('[ROM-05] [ROM-17] a rejected join changes neither seat nor queue', async () => {
      const [host, other, room] = await two({ maxPlayers: 2 })
      await drop(other, host)
      const back = await game.enter(other.guest)
      assert.equal((await back.refusal({ t: 'join', roomId: 'rom_0' })).code, 'room_not_found')
      assert.equal((await back.refusal({ t: 'create', mode: 'none' })).code, 'mode_not_found')
      await back.request({ t: 'resume', roomId: room.id })

      const waiting = await game.player()
      await waiting.request({ t: 'quickMatch' })
      assert.equal((await waiting.refusal({ t: 'join', roomId: room.id })).code, 'room_full')
      assert.deepEqual(await waiting.request({ t: 'cancelMatch' }), { cancelled: true })
    })

    test('[BAN-07] a banned player leaves room and queue immediately, connected or not', async () => {
      const [host, other, third] = await roomOf(3)
      const ban = ({ id }: GamePlayer) =>
        game.side.server('POST', `/v1/admin/players/${id}/ban`, { reason: 'test' })
      await drop(third, host)
      assert.equal((await ban(third)).status, 200)
      assert.deepEqual(await host.news(), [{ t: 'player_left', playerId: third.id, reason: 'banned' }])

      assert.equal((await ban(other)).status, 200)
      assert.deepEqual(await other.closed, { code: 4003, reason: 'player_banned' })
      const left = await host.next('player_left')
      assert.deepEqual(left, { t: 'player_left', playerId: other.id, reason: 'banned' })

      const waiting = await game.player()
      await waiting.request({ t: 'quickMatch' })
      await ban(waiting)
      assert.deepEqual(await (await game.player()).request({ t: 'quickMatch' }), { queued: true })
    })

    test('[ROM-08] a player who is deleted leaves the room', async () => {
      const [host, other] = await two()
      assert.equal((await other.guest.call('DELETE', '/v1/players/me', {})).status, 200)
      assert.deepEqual(await host.next('player_left'), {
        t: 'player_left',
        playerId: other.id,
        reason: 'left',
      })
    })

    test('[ROM-19] [WSK-11] a guest who becomes an account keeps the seat and the connection', async () => {
      const [host, other] = await two()
      await game.configure({ features: { multiplayer: true, emailLogin: true } })
      const linked = await other.guest.call('POST', '/v1/auth/link/email', {
        email: `seat-${engine}@example.com`,
        password: PASSWORD,
      })
      assert.equal(linked.status, 200)
      await other.request({ t: 'send', type: 'still here' })
      assert.deepEqual(
        (await host.news()).map(({ t, from }) => [t, from]),
        [['message', other.id]],
      )
    })
  })
}
