import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame, until } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import type { Received } from '../../testing/sockets.ts'

const MODES = [
  { key: 'trio', minPlayers: 3, maxPlayers: 4, fillTimeoutSeconds: 20 },
  { key: 'patient', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0 },
  { key: 'calm', minPlayers: 3, maxPlayers: 3, fillTimeoutSeconds: 0 },
  { key: 'solo', minPlayers: 1, maxPlayers: 3 },
]
const FILL_MS = 20_000

for (const engine of engines) {
  describe(`matchmaking on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    const playersOf = async (count: number) => {
      game = await newGame(service, MODES)
      return (await game.players(count)) as [GamePlayer, GamePlayer, GamePlayer, GamePlayer, GamePlayer]
    }
    const queue = (player: GamePlayer, mode = 'trio') => player.request({ t: 'quickMatch', mode })
    /** With Redis the node learns of a new config after a delay; a queue checks once a second. */
    const advanceUntilWarned = ({ received }: GamePlayer) =>
      until(async () => (service.clock.advance(1_000), received.some(({ t }) => t === 'warn')))
    const idsIn = (joined: Received | undefined) =>
      (joined?.['room'].players as { id: string }[] | undefined)?.map(({ id }) => id)

    test('[ROM-11] [ROM-12] [WSK-09] a match starts when minPlayers wait, in the order of their requests', async () => {
      const [a, b, c] = await playersOf(3)
      assert.deepEqual(await queue(a), { queued: true })
      assert.deepEqual(await queue(b), { queued: true })
      const answer = await queue(c)

      const [joined, reply] = c.received.slice(1)
      assert.equal(joined?.t, 'room_joined')
      assert.equal(reply?.t, 'reply')
      assert.deepEqual(answer, { queued: false, roomId: joined?.['room'].id })
      assert.deepEqual(idsIn(joined), [a.id, b.id, c.id])
      assert.equal(joined?.['room'].hostId, a.id)
      for (const player of [a, b]) {
        const [theirs, ...more] = await player.news()
        assert.deepEqual(theirs, { ...joined, selfId: player.id })
        assert.deepEqual(more, [])
      }
      assert.equal((await a.refusal({ t: 'quickMatch', mode: 'trio' })).code, 'already_in_room')
      assert.deepEqual(await b.request({ t: 'cancelMatch' }), { cancelled: false })
    })

    test('[ROM-13] when a mode is removed, players in its queue get a warning and leave it; other modes are not affected', async () => {
      const [a, b] = await playersOf(2)
      await queue(a, 'patient')
      await queue(b, 'calm')
      await game.configure({
        features: { multiplayer: true },
        multiplayer: { modes: MODES.filter(({ key }) => key !== 'patient') },
      })
      await advanceUntilWarned(a)

      const { code, request } = await a.next('warn')
      assert.deepEqual({ code, request }, { code: 'mode_not_found', request: 'quickMatch' })
      assert.deepEqual(await a.request({ t: 'cancelMatch' }), { cancelled: false })
      assert.equal((await a.refusal({ t: 'quickMatch', mode: 'patient' })).code, 'mode_not_found')
      assert.deepEqual(await queue(a, 'calm'), { queued: true })
      assert.deepEqual(await b.news(), [])
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      assert.deepEqual(body.queues, [{ mode: 'calm', waiting: 2 }])
    })

    test('[ROM-13] when multiplayer.modes is removed, the queue of the last mode is emptied', async () => {
      const [a] = await playersOf(1)
      await queue(a, 'patient')
      await game.configure({ features: { multiplayer: true } })
      await advanceUntilWarned(a)
      assert.equal((await a.next('warn'))['code'], 'mode_not_found')
      assert.deepEqual(await a.request({ t: 'quickMatch' }), { queued: true })
    })

    test('[ROM-12] with minPlayers 1 a match starts immediately, and the next player joins it', async () => {
      const [a, b] = await playersOf(2)
      const first = await queue(a, 'solo')
      assert.equal(first.queued, false)
      assert.deepEqual(await queue(b, 'solo'), first)
    })

    test('[ROM-11] the waiting players start exactly at the fill timeout of the one who has waited longest', async () => {
      const [a, b] = await playersOf(2)
      await queue(a)
      service.clock.advance(5_000)
      await queue(b)
      service.clock.advance(FILL_MS - 5_001)
      assert.deepEqual(await a.news(), [])
      service.clock.advance(1)
      const joined = await a.next('room_joined')
      assert.deepEqual(idsIn(joined), [a.id, b.id])
      await b.next('room_joined')
    })

    test('[ROM-11] [ROM-12] after the timeout one player starts alone; later players join that room until it is full', async () => {
      const [alone, second, third, fourth, fifth] = await playersOf(5)
      await queue(alone)
      service.clock.advance(FILL_MS)
      const joined = await alone.next('room_joined')
      const { room } = joined
      assert.deepEqual(idsIn(joined), [alone.id])

      assert.deepEqual(await queue(second), { queued: false, roomId: room.id })
      assert.deepEqual(await queue(third), { queued: false, roomId: room.id })
      assert.deepEqual(idsIn((await third.news())[0]), [alone.id, second.id, third.id])
      assert.deepEqual(await queue(fourth), { queued: false, roomId: room.id })
      assert.deepEqual(await queue(fifth), { queued: true })
    })

    test('[ROM-12] [ROM-17] locked, empty and closed rooms are not filled', async () => {
      const [a, b, c, d] = await playersOf(4)
      await queue(a)
      service.clock.advance(FILL_MS)
      const { room } = await a.next('room_joined')
      await a.request({ t: 'lock', locked: true })
      assert.deepEqual(await queue(b), { queued: true })
      await b.request({ t: 'cancelMatch' })
      await a.request({ t: 'lock', locked: false })

      await b.request({ t: 'join', roomId: room.id })
      await a.close()
      await b.next('player_disconnected')
      await b.close()
      await game.nobodyIn('rooms')
      assert.deepEqual(await queue(c), { queued: true })
      service.clock.advance(30_000)
      assert.deepEqual(await queue(d), { queued: false, roomId: (await c.next('room_joined')).room.id })
    })

    test('[ROM-11] with a fill timeout of 0 a player waits forever', async () => {
      const [a, b] = await playersOf(2)
      await queue(a, 'patient')
      for (let minutes = 0; minutes < 10; minutes++) {
        service.clock.advance(50_000)
        for (const player of [a, b]) assert.deepEqual(await player.news(), [])
      }
      assert.equal((await queue(b, 'patient')).queued, false)
      await a.next('room_joined')
    })

    test('[ROM-13] cancelMatch leaves the queue', async () => {
      const [a, b, c, d] = await playersOf(4)
      await queue(a)
      assert.equal((await a.refusal({ t: 'quickMatch', mode: 'trio' })).code, 'already_queued')
      assert.equal((await a.refusal({ t: 'quickMatch', mode: 'patient' })).code, 'already_queued')
      assert.deepEqual(await a.request({ t: 'cancelMatch' }), { cancelled: true })
      assert.deepEqual(await a.request({ t: 'cancelMatch' }), { cancelled: false })
      await queue(b)
      assert.deepEqual(await queue(c), { queued: true })
      await queue(a)
      const joined = await b.next('room_joined')
      assert.deepEqual(idsIn(joined), [b.id, c.id, a.id])
      assert.deepEqual(await queue(d), { queued: false, roomId: joined['room'].id })
    })

    test('[ROM-13] a player who disconnects, creates or joins a room leaves the queue', async () => {
      const [a, b, c, d, e] = await playersOf(5)
      const { room } = await e.request({ t: 'create', mode: 'trio' })
      for (const player of [a, b]) await queue(player)
      await a.request({ t: 'join', roomId: room.id })
      await b.request({ t: 'create', mode: 'trio' })
      await queue(c)
      await c.close()
      await game.nobodyIn('queues')
      await queue(d)
      await a.request({ t: 'leave' })
      assert.deepEqual(await queue(a), { queued: true })
      service.clock.advance(FILL_MS)
      assert.deepEqual(idsIn(await d.next('room_joined')), [d.id, a.id])
    })

    test('[ROM-13] a newer connection of a waiting player starts to wait again', async () => {
      const [a, b, c] = await playersOf(3)
      await queue(a)
      await queue(b)
      const newer = await game.enter(a.guest)
      await a.closed
      assert.deepEqual(await queue(newer), { queued: true })
      await queue(c)
      assert.deepEqual(idsIn((await c.news())[0]), [b.id, a.id, c.id])
    })

    test('[ROM-12] each mode and environment has its own queue', async () => {
      const [a, b, c] = await playersOf(3)
      const other = await newGame(service, MODES)
      const stranger = await other.player()
      await queue(a)
      await queue(b)
      assert.deepEqual(await queue(c, 'patient'), { queued: true })
      assert.deepEqual(await queue(stranger), { queued: true })
      await other.end()
    })

    test('[ROM-12] many concurrent players get exactly one seat each', async () => {
      game = await newGame(service, MODES)
      const players = await game.players(31)
      await Promise.all(players.map((player) => queue(player)))

      const rooms = await Promise.all(
        players.map(async (player) => {
          const joined = (await player.news(), player.received.filter(({ t }) => t === 'room_joined'))
          assert.equal(joined.length, 1)
          return joined[0]?.['room'].id as string
        }),
      )
      // Seven rooms with four players, and one with three.
      assert.equal(new Set(rooms).size, 8)
      const sizes = [...new Set(rooms)].map((id) => rooms.filter((each) => each === id).length)
      assert.deepEqual(
        sizes.toSorted((a, b) => a - b),
        [3, 4, 4, 4, 4, 4, 4, 4],
      )
    })

    test('[DEV-16] the live view shows rooms, their players and the size of their state, and who waits', async () => {
      const [a, b, c] = await playersOf(3)
      const room = await game.room([a, b], { mode: 'trio', private: true, metadata: [1] })
      await a.request({ t: 'setState', patch: { secret: 'canary' } })
      await a.request({ t: 'send', type: 'canary', data: 'canary' })
      await queue(c)

      const { status, body } = await game.side.server('GET', '/v1/admin/realtime')
      assert.equal(status, 200)
      const { rooms, queues } = body
      assert.deepEqual(queues, [{ mode: 'trio', waiting: 1 }])
      assert.deepEqual(rooms, [
        {
          ...room,
          mode: 'trio',
          transport: 'server',
          private: true,
          locked: false,
          maxPlayers: 4,
          metadata: [1],
          hostId: a.id,
          createdAt: service.clock.now().toISOString(),
          stateBytes: '{"secret":"canary"}'.length,
          messagesPerSecond: 0,
          node: rooms[0].node as string,
          players: [a, b].map(({ id, guest: { displayName } }) => ({ id, displayName, connected: true })),
        },
      ])
      assert.ok(!JSON.stringify(body).includes('canary'))
    })
  })
}
