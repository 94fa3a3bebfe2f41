import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { fillDefaults } from '@svc/contract/config-defaults'

import { createStoppedClock } from '../../platform/clock.ts'
import { createTestActorContext } from '../../testing/actor-context.ts'
import type { Mode } from './modes.ts'
import { queueActorName } from './queue-protocol.ts'
import { Queue, queueHandlers, type QueueDeps } from './queue.ts'
import type { JoiningPlayer } from './room-protocol.ts'

const SECOND_MS = 1_000
const [TRIO] = fillDefaults({
  multiplayer: { modes: [{ key: 'trio', minPlayers: 3, maxPlayers: 4, fillTimeoutSeconds: 20 }] },
}).multiplayer.modes as [Mode]

function setUp() {
  const clock = createStoppedClock()
  const made: string[][] = []
  const rooms = { canBeMade: true, canBeAsked: true, live: new Set<string>() }
  const config = { canBeRead: true, hasTrio: true }
  const reported: unknown[] = []
  const deps: QueueDeps = {
    clock,
    async open(_, __, joiningPlayers) {
      if (!rooms.canBeMade) throw new Error('no')
      const id = `rom_${made.push(joiningPlayers.map(({ player }) => player.id))}`
      rooms.live.add(id)
      return { id }
    },
    async fill() {
      if (!rooms.canBeAsked) throw new Error('no answer')
      return undefined
    },
    async roomExists(_, id) {
      if (!rooms.canBeAsked) throw new Error('no answer')
      return rooms.live.has(id)
    },
    async hasMode() {
      if (!config.canBeRead) throw new Error('no answer')
      return config.hasTrio
    },
    report: (error) => void reported.push(error),
  }
  const test = createTestActorContext(queueActorName('env_1', 'trio'), clock)
  const queue = new Queue(test.context, deps)
  const enqueue = (id: string, waitedMs = 0) => {
    const joiningPlayer: JoiningPlayer = { ref: `n/${id}`, player: { id, displayName: null } }
    const enqueuedAtMs = clock.now().getTime() - waitedMs
    return queue.enqueue({ joiningPlayer, mode: TRIO, enqueuedAtMs })
  }
  /** Timers of the clock run at once, but what they begin goes on for a few turns. */
  const advance = async (ms: number) => {
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...test, clock, made, rooms, config, reported, queue, enqueue, advance }
}

describe('a queue', () => {
  test('[ROM-13] while the config cannot be read players keep waiting; once the mode is removed they leave the queue', async () => {
    const { config, reported, enqueue, advance, take, queue } = setUp()
    await enqueue('ada')
    await enqueue('bob')
    config.canBeRead = false
    await advance(SECOND_MS)
    assert.equal(reported.length, 1)
    assert.equal(queue.liveView().waiting, 2)

    Object.assign(config, { canBeRead: true, hasTrio: false })
    await advance(SECOND_MS)
    assert.equal(queue.liveView().waiting, 0)
    for (const ref of ['n/ada', 'n/bob'])
      assert.deepEqual(
        take(ref).map(({ t, code, request }) => [t, code, request]),
        [['warn', 'mode_not_found', 'quickMatch']],
      )
  })

  test('[ROM-12] if a room cannot be created, players keep waiting and it is retried', async () => {
    const { made, rooms, reported, enqueue, advance, context } = setUp()
    rooms.canBeMade = false
    await enqueue('ada')
    await enqueue('bob')
    assert.deepEqual(await enqueue('cy'), { queued: true })
    assert.equal(reported.length, 1)
    assert.equal(context.members.size, 3)

    await advance(SECOND_MS)
    assert.equal(reported.length, 2)
    rooms.canBeMade = true
    await advance(SECOND_MS)
    assert.deepEqual(made, [['ada', 'bob', 'cy']])
    assert.equal(context.members.size, 0)
  })

  test('[ROM-11] a retry starts no player before the fill timeout', async () => {
    const { made, rooms, queue, enqueue, advance } = setUp()
    rooms.canBeMade = false
    for (const id of ['ada', 'bob', 'cy']) await enqueue(id)
    queue.memberDisconnected('n/cy')
    rooms.canBeMade = true
    await advance(SECOND_MS)
    assert.deepEqual(made, [])
    await advance(19 * SECOND_MS)
    assert.deepEqual(made, [['ada', 'bob']])
  })

  test('[ROM-12] players of a queue that moved keep their order', async () => {
    const { made, enqueue } = setUp()
    await enqueue('late', 1 * SECOND_MS)
    await enqueue('early', 5 * SECOND_MS)
    await enqueue('now')
    assert.deepEqual(made, [['early', 'late', 'now']])
  })

  test('[ROM-11] after a move, players whose timeout has passed wait one more second for the others', async () => {
    const { made, enqueue, advance } = setUp()
    await enqueue('early', 60 * SECOND_MS)
    await enqueue('late', 1 * SECOND_MS)
    await advance(SECOND_MS - 1)
    assert.deepEqual(made, [])
    await advance(1)
    assert.deepEqual(made, [['early', 'late']])
  })

  test('[ROM-13] a player waits once, even with an older connection that still counts as live', async () => {
    const { context, queue, enqueue } = setUp()
    await enqueue('ada')
    await enqueue('ada')
    assert.equal(context.members.size, 1)
    assert.deepEqual(queue.liveView(), { mode: 'trio', waiting: 1 })
    assert.equal(queueHandlers.removePlayer(queue, { playerId: 'ada' }), true)
    assert.equal(queueHandlers.removePlayer(queue, { playerId: 'ada' }), false)
  })

  test('a queue ends after a minute without players and without underfilled rooms', async () => {
    const { rooms, queue, enqueue, advance, isOver } = setUp()
    await enqueue('ada')
    await advance(20 * SECOND_MS)
    assert.deepEqual(queue.snapshot(), { unfilled: ['rom_1'] })
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), false)
    rooms.live.clear()
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), true)
    assert.equal(queue.snapshot(), undefined)
  })

  test('a queue ends a minute later if its rooms could not be asked', async () => {
    const { rooms, enqueue, advance, isOver } = setUp()
    await enqueue('ada')
    await advance(20 * SECOND_MS)
    rooms.canBeAsked = false
    await assert.rejects(enqueue('bob') as Promise<unknown>)
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), false)

    rooms.canBeAsked = true
    rooms.live.clear()
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), true)
  })

  test('a queue that never had a player ends after a minute', async () => {
    const { advance, isOver } = setUp()
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), true)
  })
})
