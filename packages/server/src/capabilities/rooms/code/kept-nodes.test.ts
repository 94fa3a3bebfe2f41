import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { newCodeGame } from '../../../testing/code-rooms.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { allGone, back, TURNS } from '../../../testing/kept-rooms.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { type Engine, engines, type Service, startService } from '../../../testing/service.ts'

const KEPT = { className: 'Turns', mode: { maxPlayers: 3 }, room: { keepDays: 3 } }

const folders: string[] = []
async function start(engine: Engine, clusterOf?: Service) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-functions-'))
  await chmod(folder, 0o711)
  folders.push(folder)
  const settings = { FUNCTIONS_DIR: folder, SVC_NODE_URL: 'http://127.0.0.1:1', SVC_BILLING: 'off' }
  return startService(engine, { settings, ...(clusterOf && { clusterOf }) })
}
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const move = (player: GamePlayer, data: unknown) => player.request({ t: 'send', type: 'move', data })

for (const engine of engines)
  describe(`kept rooms when the service restarts on ${engine}`, () => {
    test('[RWC-91] rooms are there after restarts, stored or open', async () => {
      const first = await start(engine)
      const game = await newCodeGame(first, TURNS, KEPT)
      const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
      const room = await game.room([host, guest])
      await move(host, 'stored')
      await allGone(first, game, [host, guest])
      await first.close()

      const second = await start(engine, first)
      const again = await back(game, host, second)
      const { room: view } = await again.request({ t: 'join', code: room.code })
      assert.deepEqual(view.state.moves, ['stored'])
      await move(again, 'open')
      await second.close()
      // What a graceful stop leaves in the cluster is gone after a day.
      first.clock.advance(24 * 60 * 60_000)

      const third = await start(engine, first)
      const last = await back(game, host, third)
      const { state, players } = (await last.request({ t: 'join', code: room.code })).room
      assert.deepEqual([state.moves, players.length], [['stored', 'open'], 2])
      await last.close()
      await game.end()
      await third.stop()
      await first.removeData()
    })
  })

describe('kept rooms on two nodes with one PostgreSQL and Redis', () => {
  let [one, two]: [Service, Service] = [] as never
  let game: Game
  before(async () => {
    one = await start('postgres')
    two = await start('postgres', one)
    game = await newCodeGame(one, TURNS, KEPT)
  })
  after(async () => {
    await game.end()
    await two.stop()
    await one.stop()
  })

  test('[RWC-91] two nodes that open the same room at the same moment get one room, in which both players are', async () => {
    const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
    const room = await game.room([host, guest])
    await move(host, 'first')
    await allGone(one, game, [host, guest])
    for (let times = 1; times <= 5; times++) {
      const players = [await back(game, host, one), await back(game, guest, two)] as const
      const views = await Promise.all(players.map((player) => player.request({ t: 'join', code: room.code })))
      for (const { room: view } of views) assert.equal(view.id, room.id)
      await Promise.all(players.map((player, at) => move(player, `${times}.${at}`)))
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      const [live, ...others] = body.rooms
      assert.deepEqual(others, [])
      assert.deepEqual(
        live.players.map(({ connected }: { connected: boolean }) => connected),
        [true, true],
      )
      await allGone(one, game, [...players])
      const stored = await game.side.server('GET', `/v1/admin/x/rooms/${room.id}/state`)
      assert.equal(stored.body.state.moves.length, 1 + 2 * times)
    }
    await game.side.server('DELETE', `/v1/admin/x/rooms/${room.id}`)
  })

  test('[RWC-91] a room that was stored and not released, because its node was lost, continues from what was stored', async () => {
    const third = await start('postgres', one)
    const host = await game.player(third)
    const { room } = await host.request({ t: 'create' })
    await move(host, 'in the cluster')
    await comesTrue('a snapshot is in the cluster', async () => {
      one.clock.advance(1_000)
      return (await host.request({ t: 'send', type: 'secret' })).data === 1
    })
    const [row] = await one.db.search((q) => q.selectFrom('rooms_kept').selectAll().where('id', '=', room.id))
    assert.ok(row)
    const snapshot = JSON.parse(row.snapshot)
    snapshot.seats = [{ playerId: host.id, displayName: null, state: [], takenBy: 'lost' }]
    snapshot.code.snapshot = JSON.stringify({
      state: { moves: ['stored'], woken: 0, left: [], version: 1 },
      own: {},
      saved: { secret: 7 },
      random: [1, 2, 3, 4],
      tick: 0,
      wakeAt: null,
    })
    snapshot.code.roster = [host.id]
    await host.close()
    // As if the third node had stored it as its last act.
    await one.db.transaction((transaction) =>
      transaction.search((q) =>
        q
          .updateTable('rooms_kept')
          .set({ saves: row.saves + 5, snapshot: JSON.stringify(snapshot) })
          .where('id', '=', room.id),
      ),
    )
    await third.close()
    const again = await game.enter(host.guest, two)
    const { state } = (await again.request({ t: 'resume', roomId: room.id })).room
    assert.equal(state.moves.length, 1)
    await game.side.server('DELETE', `/v1/admin/x/rooms/${room.id}`)
    await again.close()
    await third.stop()
  })
})
