import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { createTestActorContext } from '../../testing/actor-context.ts'
import { type RoomInfo, roomActorName } from './room-protocol.ts'
import { Room } from './room.ts'

const INFO: RoomInfo = {
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
const joiningPlayer = (id: string, ref: string) => ({ ref, player: { id, displayName: id } })

function setUp() {
  const clock = createStoppedClock()
  const test = createTestActorContext(roomActorName('env_1', 'rom_1'), clock)
  const seatFreed: string[] = []
  const deps = {
    clock,
    seatFreed: (_: string, playerId: string, __: string, ref: string) =>
      void seatFreed.push(`${playerId} ${ref}`),
    over: () => {},
    offer: () => {},
  }
  const room = Room.create(test.context, deps, INFO, [joiningPlayer('ada', 'n/1')])
  room.join(joiningPlayer('bob', 'n/2'))
  for (const ref of ['n/1', 'n/2']) test.take(ref)
  return { ...test, clock, deps, room, seatFreed }
}

describe('a room', () => {
  test('[ROM-09] a late disconnect after a newer connection took the seat changes nothing', () => {
    const { clock, room, take, seatFreed } = setUp()
    room.resume('n/3', 'bob', 'bob')
    room.memberDisconnected('n/2')
    clock.advance(30_000)
    assert.deepEqual(take('n/1'), [])
    assert.deepEqual(take('n/2'), [])
    assert.deepEqual(seatFreed, [])
    assert.throws(() => room.leave('n/2'), { code: 'not_in_room' })
  })

  test('[ROM-08] releasing a replaced seat does not release a newer one', () => {
    const { room, seatFreed } = setUp()
    room.resume('n/3', 'bob', 'bob')
    room.removePlayer('bob', 'replaced', 'n/2')
    assert.equal(room.hasSeat('bob'), true)
    room.removePlayer('bob', 'replaced', 'n/3')
    assert.equal(room.hasSeat('bob'), false)
    room.removePlayer('bob', 'banned')
    assert.deepEqual(seatFreed, ['bob n/3'])
  })

  test('[ROM-09] [WSK-14] after a restart connections may reuse the ids of earlier ones', () => {
    const { context, deps, room, take } = setUp()
    const moved = new Room(context, deps, structuredClone(room.snapshot()))
    for (const ref of ['n/1', 'n/2']) context.members.remove(ref)
    moved.resume('n/2', 'ada', 'ada')
    moved.resume('n/1', 'bob', 'bob')
    take('n/1')
    take('n/2')
    moved.messages.send('n/2', { messageType: 'x', data: '1', to: undefined })
    moved.messages.send('n/1', { messageType: 'x', data: '2', to: ['ada', 'bob'] })
    assert.deepEqual(
      [...take('n/1'), ...take('n/2')].map(({ from, data }) => [from, data]),
      [
        ['ada', 1],
        ['bob', 2],
      ],
    )
  })

  test('[ROM-12] the last 64 players who left are not put back by matchmaking, also after a move; by code they can return', () => {
    const { context, deps } = setUp()
    const info = { ...INFO, maxPlayers: 4, match: { minPlayers: 2, backfillUntil: null, pool: null } }
    const room = Room.create(context, deps, info, [joiningPlayer('host', 'n/host')])
    for (let i = 0; i < 65; i++) {
      room.join(joiningPlayer(`p${i}`, `n/p${i}`))
      room.leave(`n/p${i}`)
    }
    const moved = new Room(context, deps, structuredClone(room.snapshot()))
    moved.resume('n/host', 'host', null)
    const isSeated = (id: string) => moved.fill([joiningPlayer(id, `n/${id}`)]).isSeated
    assert.deepEqual(['p1', 'p64'].map(isSeated), [false, false])
    assert.equal(isSeated('p0'), true)
    moved.join(joiningPlayer('p64', 'n/p64'))
    moved.memberDisconnected('n/p64')
    assert.equal(isSeated('p64'), true)
  })

  test('[ROM-08] closing a room frees all its memory', () => {
    const { room, isOver, seatFreed } = setUp()
    room.close('closed')
    assert.equal(isOver(), true)
    assert.deepEqual(seatFreed, ['ada n/1', 'bob n/2'])
  })
})
