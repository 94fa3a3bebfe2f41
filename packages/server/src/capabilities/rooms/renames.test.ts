import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MODES = [{ key: 'default', minPlayers: 2, maxPlayers: 8 }]

for (const engine of engines) {
  describe(`a new display name in rooms on ${engine}`, () => {
    let one: Service
    /** A second node on PostgreSQL; otherwise the same node. */
    let two: Service
    let game: Game
    before(async () => {
      one = await startService(engine)
      two = engine === 'postgres' ? await startService(engine, { clusterOf: one }) : one
    })
    after(async () => {
      if (two !== one) await two.stop()
      await one.stop()
    })
    beforeEach(async () => void (game = await newGame(one, MODES)))
    afterEach(() => game.end())

    /** Renames by HTTP, on either node. */
    async function rename({ guest }: Pick<GamePlayer, 'guest'>, displayName: string, node = one) {
      const call = guest.at(node.withKey(game.side.publishableKey))
      const { status, body } = await call('PATCH', '/v1/players/me', { displayName })
      assert.equal(status, 200)
      return body.player.displayName as string
    }
    const namesIn = (room: { players: { displayName: string }[] }) =>
      room.players.map(({ displayName }) => displayName)
    const renamed = (player: { id: string }, displayName: string) => ({
      t: 'player_renamed',
      playerId: player.id,
      displayName,
    })
    async function pair() {
      const [host, guest] = [await game.player(one), await game.player(two)]
      return [host, guest, await game.room([host, guest])] as const
    }
    async function viewBy(node: Service, roomId: string) {
      const visitor = await game.player(node)
      const { room } = await visitor.request({ t: 'join', roomId })
      await visitor.request({ t: 'leave' })
      return room
    }

    test('[ROM-06] all members receive player_renamed, and the next view has the new name', async () => {
      const [host, guest, { id }] = await pair()
      const name = await rename(guest, '  Ada  ', one)
      assert.equal(name, 'Ada')
      assert.deepEqual(await host.news(), [renamed(guest, 'Ada')])
      assert.deepEqual(await guest.news(), [renamed(guest, 'Ada')])

      await rename(host, 'Bo', two)
      assert.deepEqual(namesIn(await viewBy(two, id)).slice(0, 2), ['Bo', 'Ada'])
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      assert.deepEqual(namesIn(body.rooms[0]).slice(0, 2), ['Bo', 'Ada'])
    })

    test('[ROM-06] a rename to the same name sends no event', async () => {
      const [host, guest] = await pair()
      await rename(guest, guest.guest.displayName)
      assert.deepEqual(await host.news(), [])
    })

    test('[ROM-06] a player who connected before the rename joins under the new name', async () => {
      const [host, late] = [await game.player(one), await game.player(two)]
      const { id } = await game.room([host])
      await rename(late, 'New', one)
      await late.request({ t: 'join', roomId: id })
      assert.equal((await host.next('player_joined'))['player'].displayName, 'New')
      await late.request({ t: 'leave' })
      assert.deepEqual(namesIn((await late.request({ t: 'create' })).room), ['New'])
    })

    test('[ROM-06] [ROM-09] the seat of a disconnected player is renamed, too', async () => {
      const [host, guest, { id }] = await pair()
      await guest.close()
      await host.next('player_disconnected')
      await rename(guest, 'Away', two)
      assert.deepEqual(await host.next('player_renamed'), renamed(guest, 'Away'))
      const back = await game.enter(guest.guest, one)
      assert.deepEqual(namesIn((await back.request({ t: 'resume', roomId: id })).room)[1], 'Away')
    })

    test('[ROM-06] [ROM-12] a player who waits for a match gets the seat under the new name', async () => {
      const [first, second] = [await game.player(one), await game.player(two)]
      assert.deepEqual(await first.request({ t: 'quickMatch' }), { queued: true })
      await rename(first, 'Waited', two)
      await second.request({ t: 'quickMatch' })
      assert.deepEqual(namesIn((await first.next('room_joined'))['room'])[0], 'Waited')
    })

    test('[ROM-06] a rename at the moment of joining is not lost', async () => {
      const host = await game.player(one)
      const { id } = await game.room([host])
      for (let round = 0; round < 10; round++) {
        const guest = await game.player(round % 2 ? one : two)
        const name = `Round ${round}`
        await Promise.all([
          guest.request({ t: 'join', roomId: id }),
          rename(guest, name, round % 3 ? one : two),
        ])
        const names = namesIn(await viewBy(one, id))
        assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`)
        await guest.request({ t: 'leave' })
      }
    })

    test('[ROM-06] a rename at the moment of connecting is not lost', async () => {
      const host = await game.player(one)
      const { id } = await game.room([host])
      for (let round = 0; round < 10; round++) {
        const guest = await game.player(one)
        const name = `Round ${round}`
        const [again] = await Promise.all([game.enter(guest.guest, two), rename(guest, name)])
        const { room } = await again.request({ t: 'join', roomId: id })
        assert.equal(namesIn(room).at(-1), name)
        await again.request({ t: 'leave' })
      }
    })
  })
}
