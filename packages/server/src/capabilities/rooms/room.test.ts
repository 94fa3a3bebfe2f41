import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { createTestStage } from '../../testing/actor-context.ts'
import { type RoomFacts, roomAt } from './room-protocol.ts'
import { Room } from './room.ts'

const FACTS: RoomFacts = {
  id: 'rom_1',
  code: 'ABCDEF',
  mode: 'default',
  transport: 'server',
  private: false,
  maxPlayers: 2,
  metadata: 'null',
  hostOnlyState: false,
  createdAt: '2026-01-01T00:00:00.000Z',
}
const newcomer = (id: string, ref: string) => ({ ref, player: { id, displayName: id } })

function setUp() {
  const clock = createStoppedClock()
  const test = createTestStage(roomAt('env_1', 'rom_1'), clock)
  const vacated: string[] = []
  const needs = {
    clock,
    vacated: (_: string, playerId: string, __: string, ref: string) =>
      void vacated.push(`${playerId} ${ref}`),
    over: () => {},
  }
  const room = Room.create(test.stage, needs, FACTS, [newcomer('ada', 'n/1')])
  room.join(newcomer('bob', 'n/2'))
  for (const ref of ['n/1', 'n/2']) test.take(ref)
  return { ...test, clock, needs, room, vacated }
}

describe('a room', () => {
  test('[ROM-09] a connection that is noticed to be gone after a newer one took its seat changes nothing', () => {
    const { clock, room, take, vacated } = setUp()
    room.resume('n/3', 'bob', 'bob')
    room.lost('n/2')
    clock.advance(30_000)
    assert.deepEqual(take('n/1'), [])
    assert.deepEqual(take('n/2'), [])
    assert.deepEqual(vacated, [])
    assert.throws(() => room.leave('n/2'), { code: 'not_in_room' })
  })

  test('[ROM-08] what is given up is the seat that another one replaced, not the one taken since', () => {
    const { room, vacated } = setUp()
    room.resume('n/3', 'bob', 'bob')
    room.expel('bob', 'replaced', 'n/2')
    assert.equal(room.hasSeat('bob'), true)
    room.expel('bob', 'replaced', 'n/3')
    assert.equal(room.hasSeat('bob'), false)
    room.expel('bob', 'banned')
    assert.deepEqual(vacated, ['bob n/3'])
  })

  test('[ROM-09] [WSK-14] after a restart connections may have the names that others had before', () => {
    const { stage, needs, room, take } = setUp()
    const moved = new Room(stage, needs, structuredClone(room.snapshot()))
    for (const ref of ['n/1', 'n/2']) stage.members.remove(ref)
    moved.resume('n/2', 'ada', 'ada')
    moved.resume('n/1', 'bob', 'bob')
    take('n/1')
    take('n/2')
    moved.send('n/2', { type: 'x', data: '1', to: undefined })
    moved.send('n/1', { type: 'x', data: '2', to: ['ada', 'bob'] })
    assert.deepEqual(
      [...take('n/1'), ...take('n/2')].map(({ from, data }) => [from, data]),
      [
        ['ada', 1],
        ['bob', 2],
      ],
    )
  })

  test('[ROM-08] its end frees everything that was remembered of it', () => {
    const { room, isOver, vacated } = setUp()
    room.close('closed')
    assert.equal(isOver(), true)
    assert.deepEqual(vacated, ['ada n/1', 'bob n/2'])
  })
})
