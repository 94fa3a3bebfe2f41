import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MODES = [
  { key: 'open', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 0 },
  { key: 'race', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 40, gatherSeconds: 10 },
  { key: 'brief', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 0, backfillSeconds: 30 },
  { key: 'strict', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 0, backfillSeconds: 0 },
  { key: 'team', minPlayers: 4, maxPlayers: 4, fillTimeoutSeconds: 20 },
  { key: 'mesh', minPlayers: 2, maxPlayers: 8, transport: 'p2p', p2p: { maxPlayers: 3 } },
]

for (const engine of engines) {
  describe(`quick match fills rooms on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    type Five = [GamePlayer, GamePlayer, GamePlayer, GamePlayer, GamePlayer]
    const playersOf = async (count: number) => {
      game = await newGame(service, MODES)
      return (await game.players(count)) as Five
    }
    const match = (player: GamePlayer, mode: string, fields: object = {}) =>
      player.request({ t: 'quickMatch', mode, ...fields })
    const refusal = (player: GamePlayer, mode: string, fields: object) =>
      player.refusal({ t: 'quickMatch', mode, ...fields })
    /** A match of the first two. */
    const started = async (mode: string, count: number, fields: object = {}) => {
      const players = await playersOf(count)
      const [a, b] = players
      assert.deepEqual(await match(a, mode, fields), { queued: true })
      const { roomId } = await match(b, mode, fields)
      const { room } = await a.next('room_joined')
      assert.equal(room.id, roomId)
      return { players, roomId: room.id as string, room }
    }

    test('[ROM-12] a started match is filled with later players up to maxPlayers; a created room is not', async () => {
      const { players, room, roomId } = await started('open', 5)
      const [a, , c, d, e] = players
      assert.deepEqual(room.match, { minPlayers: 2, backfillUntil: null, pool: null })
      for (const player of [c, d]) assert.deepEqual(await match(player, 'open'), { queued: false, roomId })
      assert.deepEqual(await match(e, 'open'), { queued: true })
      assert.deepEqual(
        (await a.news()).filter(({ t }) => t === 'player_joined').map(({ player }) => player.id),
        [c.id, d.id],
      )
      const { room: created } = await (await game.player()).request({ t: 'create', mode: 'open' })
      assert.ok(!('match' in created))
      assert.deepEqual(await e.news(), [])
    })

    test('[ROM-12] [ROM-17] a locked match is not filled; when it is unlocked, waiting players join', async () => {
      const { players, roomId } = await started('open', 3)
      const [a, , c] = players
      await a.request({ t: 'lock', locked: true })
      assert.deepEqual(await match(c, 'open'), { queued: true })
      await a.request({ t: 'lock', locked: false })
      assert.equal((await c.next('room_joined')).room.id, roomId)
    })

    test('[ROM-12] [ROM-17] with concurrent quick matches, no player joins after the lock', async () => {
      for (let round = 0; round < 5; round++) {
        const { players } = await started('open', 2)
        const [host] = players
        const others = await game.players(6)
        const racing = others.map((player) => match(player, 'open'))
        await host.request({ t: 'lock', locked: true })
        await Promise.all(racing)
        const events = (await host.news()).map(({ t }) => t)
        const locked = events.indexOf('locked')
        assert.ok(locked >= 0 && !events.slice(locked).includes('player_joined'), events.join())
        if (round < 4) await game.end()
      }
    })

    test('[ROM-12] a free seat goes to the player who has waited longest; a player who left is not put back', async () => {
      const { players, roomId } = await started('open', 5)
      const [, b, c, d, e] = players
      for (const player of [c, d]) await match(player, 'open')
      assert.deepEqual(await match(e, 'open'), { queued: true })
      await b.request({ t: 'leave' })
      assert.equal((await e.next('room_joined')).room.id, roomId)

      await c.request({ t: 'leave' })
      assert.deepEqual(await match(c, 'open'), { queued: true })
      const { roomId: another } = await match(b, 'open')
      assert.equal((await c.next('room_joined')).room.id, another)
      assert.notEqual(another, roomId)
    })

    test('[ROM-09] [ROM-12] a match without connected players is not filled; it offers its seats again when the first player resumes', async () => {
      const { players, roomId } = await started('open', 3)
      const [a, b, c] = players
      await a.close()
      await b.next('player_disconnected')
      await b.close()
      await game.nobodyIn('rooms')
      assert.deepEqual(await match(c, 'open'), { queued: true })
      const back = await game.enter(a.guest)
      await back.request({ t: 'resume', roomId })
      assert.equal((await c.next('room_joined')).room.id, roomId)
    })

    test('[ROM-12] a player who has a seat in a match resumes it by quick match', async () => {
      const { players, roomId } = await started('open', 2)
      const [a, b] = players
      await a.close()
      await b.next('player_disconnected')
      const back = await game.enter(a.guest)
      assert.deepEqual(await match(back, 'open'), { queued: false, roomId })
      assert.equal((await b.next('player_reconnected'))['playerId'], a.id)
      await back.news()
      assert.equal(back.received.filter(({ t }) => t === 'room_joined').length, 1)
    })

    test('[ROM-12] filling ends exactly after backfillSeconds; below minPlayers it continues', async () => {
      const { players, roomId, room } = await started('brief', 5)
      const [, b, c, d, e] = players
      assert.equal(room.match.backfillUntil, new Date(service.clock.now().getTime() + 30_000).toISOString())
      service.clock.advance(29_999)
      assert.deepEqual(await match(c, 'brief'), { queued: false, roomId })
      service.clock.advance(1)
      assert.deepEqual(await match(d, 'brief'), { queued: true })
      await b.request({ t: 'leave' })
      await d.news()
      assert.ok(!d.received.some(({ t }) => t === 'room_joined'))
      await c.request({ t: 'leave' })
      assert.equal((await d.next('room_joined')).room.id, roomId)
      assert.deepEqual(await match(e, 'brief'), { queued: true })
    })

    test('[ROM-12] with backfillSeconds 0 only a match below minPlayers is filled', async () => {
      const { players, roomId } = await started('strict', 4)
      const [, b, c, d] = players
      assert.deepEqual(await match(c, 'strict'), { queued: true })
      await b.request({ t: 'leave' })
      assert.equal((await c.next('room_joined')).room.id, roomId)
      assert.deepEqual(await match(d, 'strict'), { queued: true })
    })

    test('[ROM-11] [ROM-12] gatherSeconds: minPlayers wait for more players, maxPlayers start immediately', async () => {
      const [a, b, c, d] = await playersOf(4)
      await match(a, 'race')
      service.clock.advance(20_000)
      await match(b, 'race')
      service.clock.advance(9_999)
      assert.deepEqual(await match(c, 'race'), { queued: true })
      assert.deepEqual(await a.news(), [])
      service.clock.advance(1)
      const { room } = await a.next('room_joined')
      assert.equal(room.players.length, 3)
      assert.deepEqual(await match(d, 'race'), { queued: false, roomId: room.id })

      const four = await game.players(4)
      for (const player of four.slice(0, 3)) assert.deepEqual(await match(player, 'race'), { queued: true })
      assert.equal((await match(four[3] as GamePlayer, 'race')).queued, false)
    })

    test('[ROM-11] the fill timeout also applies while players gather', async () => {
      const [a, b] = await playersOf(2)
      await match(a, 'race')
      service.clock.advance(35_000)
      await match(b, 'race')
      service.clock.advance(5_000)
      assert.equal((await a.next('room_joined')).room.players.length, 2)
    })

    test('[ROM-12] [P2P-01] a peer-to-peer match is filled up to the size of the mesh', async () => {
      const { players, roomId } = await started('mesh', 4)
      const [, , c, d] = players
      assert.deepEqual(await match(c, 'mesh'), { queued: false, roomId })
      assert.deepEqual(await match(d, 'mesh'), { queued: true })
    })

    test('[ROM-12] only players of the same pool meet, also in started matches', async () => {
      const { players, roomId, room } = await started('open', 5, { pool: 'eu:gold' })
      const [, , c, d, e] = players
      assert.equal(room.match.pool, 'eu:gold')
      assert.deepEqual(await match(c, 'open'), { queued: true })
      assert.deepEqual(await match(d, 'open', { pool: 'us' }), { queued: true })
      assert.deepEqual(await match(e, 'open', { pool: 'eu:gold' }), { queued: false, roomId })
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      assert.deepEqual(body.queues, [
        { mode: 'open', waiting: 1 },
        { mode: 'open', pool: 'us', waiting: 1 },
      ])
      assert.deepEqual(await d.request({ t: 'cancelMatch' }), { cancelled: true })
      assert.deepEqual(await match(d, 'open', { pool: 'p'.repeat(48) }), { queued: true })
    })

    test('[GEN-04] [ROM-12] invalid pools and parties are rejected and change nothing', async () => {
      const [a] = await playersOf(1)
      const paths = async (fields: object) => {
        const { code, details } = await refusal(a, 'open', fields)
        assert.equal(code, 'invalid_request')
        const { errors } = details as { errors: { path: string }[] }
        return errors.map(({ path }) => path)
      }
      for (const pool of ['', 'p'.repeat(49), 'EU', 'a b', 'a/b', 7, null])
        assert.deepEqual(await paths({ pool }), ['$.pool'])
      for (const party of ['', 'p'.repeat(65), 7])
        assert.deepEqual(await paths({ party, partySize: 2 }), ['$.party'])
      for (const partySize of [1, 0, 65, 2.5, '2'])
        assert.deepEqual(await paths({ party: 'x', partySize }), ['$.partySize'])
      assert.deepEqual(await paths({ party: 'x' }), ['$'])
      assert.deepEqual(await paths({ partySize: 2 }), ['$'])
      assert.deepEqual(await paths({ progress: 'yes' }), ['$.progress'])
      const tooLarge = await refusal(a, 'open', { party: 'x', partySize: 5 })
      assert.deepEqual([tooLarge.code, tooLarge.details], ['party_too_large', { maxPlayers: 4 }])
      assert.deepEqual(await a.request({ t: 'cancelMatch' }), { cancelled: false })
      assert.deepEqual(await match(a, 'open', { party: 'p'.repeat(64), partySize: 4 }), { queued: true })
    })

    test('[ROM-12] a party gets one room, once it is complete', async () => {
      const [a, b, c, d, e] = await playersOf(5)
      const party = { party: 'friends', partySize: 2 }
      assert.deepEqual(await match(a, 'open', party), { queued: true })
      // Enough for a match, but the first player waits for the rest of its party.
      assert.deepEqual(await match(b, 'open'), { queued: true })
      const { roomId } = await match(c, 'open')
      assert.equal((await b.next('room_joined')).room.id, roomId)
      assert.deepEqual(await match(d, 'open', party), { queued: false, roomId })
      assert.equal((await a.next('room_joined')).room.id, roomId)
      assert.deepEqual(await match(e, 'open'), { queued: true })
    })

    test('[ROM-11] [ROM-12] at the fill timeout of a party its present members start', async () => {
      const [a, b, c] = await playersOf(3)
      const party = { party: 'friends', partySize: 4 }
      await match(a, 'team', party)
      service.clock.advance(5_000)
      await match(b, 'team', party)
      await match(c, 'team')
      service.clock.advance(14_999)
      assert.deepEqual(await a.news(), [])
      service.clock.advance(1)
      const { room } = await a.next('room_joined')
      assert.deepEqual(
        room.players.map(({ id }: { id: string }) => id),
        [a.id, b.id, c.id],
      )
    })

    test('[ROM-12] match_progress is sent to players who requested it, at most once a second', async () => {
      const [a, b, c] = await playersOf(3)
      await match(a, 'race', { progress: true })
      const startsAt = (ms: number) => new Date(service.clock.now().getTime() + ms).toISOString()
      const progress = { t: 'match_progress', minPlayers: 2, maxPlayers: 4 }
      const alone = { ...progress, waiting: 1, startsAt: startsAt(40_000) }
      const together = { ...progress, waiting: 3, startsAt: startsAt(10_000) }
      await match(b, 'race')
      await match(c, 'race')
      assert.deepEqual(await a.news(), [alone])
      service.clock.advance(1_000)
      assert.deepEqual(await a.news(), [together])
      await c.request({ t: 'cancelMatch' })
      service.clock.advance(999)
      assert.deepEqual(await a.news(), [])
      service.clock.advance(1)
      assert.deepEqual(await a.news(), [{ ...together, waiting: 2 }])
      service.clock.advance(8_000)
      for (const player of [a, b]) await player.next('room_joined')
      assert.ok(!b.received.some(({ t }) => t === 'match_progress'))
    })

    test('[ROM-12] many players who join and leave concurrently get one seat each, in no more rooms than needed', async () => {
      game = await newGame(service, MODES)
      const players = await game.players(24)
      await Promise.all(players.map((player) => match(player, 'open')))
      await Promise.all(
        players.slice(0, 12).map(async (player) => {
          await player.request({ t: 'leave' })
          await match(player, 'open')
        }),
      )
      for (const player of players) await player.news()
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      const seats = body.rooms.map((room: { players: { id: string }[] }) => room.players.map(({ id }) => id))
      assert.ok(seats.every((ids: string[]) => ids.length <= 4))
      const waiting = body.queues.reduce((sum: number, queue: { waiting: number }) => sum + queue.waiting, 0)
      assert.equal(new Set(seats.flat()).size, seats.flat().length)
      assert.equal(seats.flat().length + waiting, 24)
      assert.ok(waiting < 2, `${waiting} players wait`)
    })
  })
}
