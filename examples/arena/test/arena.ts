// `npm test` runs it: the room without a service, as fast as the machine can. Node 22.18 or newer runs TypeScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createTestRoom } from '@svc/sdk/room/test'

import { Arena, type Result } from '../functions/src/index.ts'
import { COUNTDOWN_SECONDS, RATE, ROUND_SECONDS } from '../shared/step.ts'

test('nobody moves during the countdown, and nobody is faster than the others', async () => {
  const room = await createTestRoom(Arena)
  const ada = await room.join('ada')
  const x = () => room.state.balls['ada']?.x ?? 0
  const start = x()
  ada.send('move', { dx: 1, dy: 0 })
  assert.equal(x(), start)

  room.tick(COUNTDOWN_SECONDS * RATE)
  // After a pause in the network two seconds of inputs count, and then as many as time has passed.
  for (let n = 0; n < 1_000; n++) ada.send('move', { dx: 5, dy: 0 })
  const afterPause = x()
  assert.ok(afterPause > start + 2 * RATE * 9 * 0.9 && afterPause < 900, `${afterPause}`)
  ada.send('move', { dx: -1, dy: 0 })
  assert.equal(x(), afterPause)
  room.tick()
  ada.send('move', { dx: -1, dy: 0 })
  assert.equal(x(), afterPause - 9)
})

test('a player takes the place of a bot, and a bot that of a player who leaves', async () => {
  const room = await createTestRoom(Arena)
  const ada = await room.join('ada')
  const bots = () => Object.values(room.state.balls).filter(({ bot }) => bot).length
  assert.deepEqual([Object.keys(room.state.balls).length, bots()], [4, 3])
  ada.leave()
  assert.equal(bots(), 4)
  for (const name of ['bo', 'cleo', 'dan', 'eve']) await room.join(name)
  await assert.rejects(room.join('finn'), /full/)
})

test('the round ends with a result after a restart in the middle, and the room reports the gems of players', async () => {
  const room = await createTestRoom(Arena)
  for (const name of ['ada', 'bo']) await room.join(name)
  room.tick((COUNTDOWN_SECONDS + ROUND_SECONDS / 2) * RATE)
  const before = structuredClone(room.state)
  await room.restart()
  assert.deepEqual(room.state, before)
  room.tick((ROUND_SECONDS / 2) * RATE + 1)
  while (!room.ended) await new Promise((resolve) => setTimeout(resolve))
  const { winner, places } = room.ended.result as Result
  assert.equal(places.length, 4)
  assert.ok((places[0]?.gems ?? 0) > 5, 'the bots have collected gems')
  assert.ok(winner === null || winner === places[0]?.id)
  assert.deepEqual(room.reports.map(({ playerId }) => playerId).toSorted(), ['ada', 'bo'])
})
