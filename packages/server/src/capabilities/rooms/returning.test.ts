import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MODES = [
  { key: 'duel', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0 },
  { key: 'open', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 0 },
  { key: 'mesh', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0, transport: 'p2p' },
]
const GRACE_MS = 30_000

for (const engine of engines)
  describe(`quick match of players who have a seat, on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    const match = (player: GamePlayer, mode: string, fields: object = {}) =>
      player.request({ t: 'quickMatch', mode, ...fields })
    /** A match of two; its second player has lost the connection. */
    async function lost(mode: string, fields: object = {}, isLocked = false) {
      game = await newGame(service, MODES)
      const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
      await match(host, mode, fields)
      const { roomId } = await match(guest, mode, fields)
      if (isLocked) await host.request({ t: 'lock', locked: true })
      await guest.close()
      await host.next('player_disconnected')
      return { host, guest, roomId: roomId as string }
    }
    const cases = [
      { title: 'a match', mode: 'duel' },
      { title: 'a match that its host has locked', mode: 'duel', isLocked: true },
      { title: 'a match of a pool', mode: 'duel', fields: { pool: 'eu' } },
      { title: 'a match of a party', mode: 'open', fields: { party: 'friends', partySize: 2 } },
      { title: 'a match with free seats', mode: 'open' },
      { title: 'a peer-to-peer match', mode: 'mesh' },
    ]
    for (const { title, mode, fields = {}, isLocked = false } of cases)
      test(`[ROM-20] quickMatch leads a player who has lost the connection back to ${title}`, async () => {
        const { host, guest, roomId } = await lost(mode, fields, isLocked)
        const back = await game.enter(guest.guest)
        assert.deepEqual(await match(back, mode, fields), { queued: false, roomId })
        const [joined, reply] = back.received.slice(1)
        assert.deepEqual([joined?.t, joined?.['room'].id, reply?.t], ['room_joined', roomId, 'reply'])
        await host.next('player_reconnected')
        assert.deepEqual(
          (await host.news()).filter(({ t }) => t === 'player_joined' || t === 'player_left'),
          [],
        )
        assert.equal((await back.refusal({ t: 'quickMatch', mode })).code, 'already_in_room')
      })

    test('[ROM-20] the seat moves to a newer connection also if the loss of the older one was not noticed', async () => {
      game = await newGame(service, MODES)
      const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
      await match(host, 'duel')
      const { roomId } = await match(guest, 'duel')
      const newer = await game.enter(guest.guest)
      assert.deepEqual(await match(newer, 'duel'), { queued: false, roomId })
      assert.equal((await guest.closed).code, 4004)
      assert.deepEqual(await newer.request({ t: 'send', type: 'here' }), {})
    })

    test('[ROM-08] [ROM-20] with a seat in any other room a player waits, and can still resume it', async () => {
      const { guest, roomId } = await lost('duel', { pool: 'eu' })
      const back = await game.enter(guest.guest)
      for (const other of [{ mode: 'open' }, { mode: 'duel' }, { mode: 'duel', pool: 'us' }]) {
        assert.deepEqual(await back.request({ t: 'quickMatch', ...other }), { queued: true })
        await back.request({ t: 'cancelMatch' })
      }
      assert.equal((await back.request({ t: 'resume', roomId })).room.id, roomId)
      await back.request({ t: 'leave' })
      await back.request({ t: 'create', mode: 'duel' })
      await back.close()
      const again = await game.enter(guest.guest)
      assert.deepEqual(await match(again, 'duel'), { queued: true })
      await again.request({ t: 'cancelMatch' })
    })

    test('[ROM-20] a seat that has expired, or that the player has left with keepSeat, does not count', async () => {
      const { guest, roomId } = await lost('duel')
      service.clock.advance(GRACE_MS)
      const back = await game.enter(guest.guest)
      const { queued, roomId: filled } = await match(back, 'duel')
      assert.deepEqual([queued, filled], [false, roomId], 'the free seat of the match')
      await back.request({ t: 'leave', keepSeat: true })
      assert.deepEqual(await match(back, 'open'), { queued: true })
      await back.request({ t: 'cancelMatch' })
    })
  })
