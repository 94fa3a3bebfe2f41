import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGamePlayer } from '../src/pages/playground/game-player.ts'

const SENT_AFTER_MS = 150

function newPlayer() {
  const simulated: [playerId: string, latencyMs: number][] = []
  const player = createGamePlayer(2, async (playerId, { latencyMs }) => simulated.push([playerId, latencyMs]))
  const refused = (error: unknown) => assert.fail(String(error))
  return { player, simulated, slide: (latencyMs: number) => player.network.change({ latencyMs }, refused) }
}

test('[RWC-96] the network of a frame is that of the player whom the frame names', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { player, simulated, slide } = newPlayer()
  slide(100)
  t.mock.timers.tick(SENT_AFTER_MS)
  assert.deepEqual(simulated, [], 'nobody is there yet')
  player.receive({ svcPlayer: 'ply_1' })
  slide(200)
  slide(300)
  t.mock.timers.tick(SENT_AFTER_MS)
  player.receive({ svcPlayer: 'ply_1' })
  assert.deepEqual(simulated, [
    ['ply_1', 100],
    ['ply_1', 300],
    ['ply_1', 300],
  ])

  const { name } = player.frame.value
  player.reload()
  assert.deepEqual(player.frame.value, { name, loads: 1 })
  player.replace()
  assert.equal(player.playerId.value, null)
  assert.match(player.frame.value.name, /^svc-play-2-./)
  player.receive({ svcPlayer: 'ply_2' })
  assert.deepEqual(simulated.at(-1), ['ply_2', 300])
})

test('[RWC-97] of the messages of a frame only the id of a player counts', () => {
  const { player } = newPlayer()
  for (const data of [null, undefined, 'ply_1', ['ply_1'], {}, { svcPlayer: 1 }, { svcPlayer: 'ply_1/../x' }])
    player.receive(data)
  player.receive({ svcPlayer: `ply_${'x'.repeat(65)}` })
  assert.equal(player.playerId.value, null)
})
