import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`rooms when the service restarts gracefully on ${engine}`, () => {
    let before: Service
    let restarted: Service | undefined
    let game: Game
    beforeEach(async () => {
      before = await startService(engine)
      game = await newGame(before)
    })
    afterEach(async () => {
      await game.end()
      await restarted?.stop()
      await before.stop()
    })

    async function restart() {
      await before.close()
      return (restarted = await startService(engine, { clusterOf: before }))
    }

    test('[WSK-14] [ROM-09] seats, states, host, lock and code are kept, and players resume', async () => {
      const [host, other] = (await game.players(2)) as [GamePlayer, GamePlayer]
      const fields = {
        code: 'KEPT',
        metadata: { map: 'lake' },
        hostOnlyState: true,
        private: true,
        maxPlayers: 3,
      }
      const room = await game.room([host, other], fields)
      await host.request({ t: 'setState', patch: { turn: 3, board: [null, { x: 0.1 }] } })
      await other.request({ t: 'setMyState', patch: { hp: 1 } })
      await host.request({ t: 'lock', locked: true })

      const service = await restart()

      for (const player of [host, other]) {
        assert.deepEqual(await player.closed, { code: 1012, reason: 'server_restarting' })
        assert.equal(player.received.findLast(({ t }) => t === 'warn')?.['code'], 'server_restarting')
      }
      // In another order, so that connections do not get the same refs as before.
      const second = await game.enter(other.guest, service)
      const first = await game.enter(host.guest, service)
      assert.deepEqual(first.welcome['room'], { id: room.id })
      await second.request({ t: 'resume', roomId: room.id })
      const resumed = await first.request({ t: 'resume', roomId: room.id })
      const player = ({ id, guest: { displayName } }: GamePlayer, state: object) => ({
        id,
        displayName,
        state,
        connected: true,
      })
      assert.deepEqual(resumed.room, {
        ...room,
        ...fields,
        mode: 'default',
        transport: 'server',
        locked: true,
        hostId: host.id,
        createdAt: service.clock.now().toISOString(),
        state: { turn: 3, board: [null, { x: 0.1 }] },
        players: [player(host, {}), player(other, { hp: 1 })],
      })

      await first.request({ t: 'send', type: 'hello' })
      await second.request({ t: 'send', type: 'hello', to: [host.id] })
      for (const [hears, says] of [
        [first, second],
        [second, first],
      ] as const)
        assert.equal((await hears.news()).findLast(({ t }) => t === 'message')?.['from'], says.id)
    })

    test('[WSK-14] [ROM-05] the code works before any player has reconnected', async () => {
      const [host] = (await game.players(1)) as [GamePlayer]
      await game.room([host], { code: 'KEPT' })
      const service = await restart()
      const [joins, creates] = (await game.players(2, service)) as [GamePlayer, GamePlayer]
      assert.equal((await creates.refusal({ t: 'create', code: 'KEPT' })).code, 'code_taken')
      assert.equal((await joins.request({ t: 'join', code: 'kept' })).room.players.length, 2)
    })

    test('[WSK-14] [ROM-09] a player who does not reconnect within 30 s after the restart loses the seat', async () => {
      const [host, other] = (await game.players(2)) as [GamePlayer, GamePlayer]
      const room = await game.room([host, other])
      const service = await restart()

      const back = await game.enter(other.guest, service)
      await back.request({ t: 'resume', roomId: room.id })
      await back.news()
      service.clock.advance(5_000)
      assert.deepEqual(await back.news(), [{ t: 'host_changed', hostId: other.id }])
      service.clock.advance(24_999)
      assert.deepEqual(await back.news(), [])
      service.clock.advance(1)
      const left = await back.next('player_left')
      assert.deepEqual(left, { t: 'player_left', playerId: host.id, reason: 'timeout' })
    })
  })
}
