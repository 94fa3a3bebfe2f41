// `npm test` runs it: the room without a service, as fast as the machine can. Node 22.18 or newer runs TypeScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createTestRoom } from '@svc/sdk/room/test'

import { Arena, type Result } from '../functions/src/index.ts'
import { COUNTDOWN_MS, ROUND_MS } from '../shared/step.ts'

const TICKS_PER_SECOND = 20
const ticksIn = (ms: number) => (ms / 1_000) * TICKS_PER_SECOND

test('nobody moves during the countdown, and nobody is faster than the others', async () => {
  const room = await createTestRoom(Arena)
  const ada = await room.join('ada')
  const start = { ...room.state.balls['ada'] }
  ada.send('move', { dx: 1, dy: 0 })
  assert.equal(room.state.balls['ada']?.x, start.x)

  room.tick(ticksIn(COUNTDOWN_MS) + 1)
  // A page that sends a hundred inputs at once gets no more steps than have waited.
  for (let n = 0; n < 100; n++) ada.send('move', { dx: 5, dy: 0 })
  const moved = (room.state.balls['ada']?.x ?? 0) - (start.x ?? 0)
  assert.ok(moved > 0 && moved <= 9 * 15, `${moved}`)
})

test('the round ends with a result, and the room reports the gems of everybody', async () => {
  const room = await createTestRoom(Arena)
  for (const name of ['ada', 'bo']) await room.join(name)
  room.tick(ticksIn(COUNTDOWN_MS + ROUND_MS))
  while (!room.ended) await new Promise((resolve) => setTimeout(resolve))
  const { places } = room.ended.result as Result
  assert.deepEqual(places.map(({ id }) => id).toSorted(), ['ada', 'bo'])
  assert.equal(room.reports.length, 2)
})
