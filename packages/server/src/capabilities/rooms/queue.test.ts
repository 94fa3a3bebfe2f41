import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { fillDefaults } from '@svc/contract/config/defaults'

import { ActorMovedError } from '../../platform/actors/actor.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { createTestActorContext } from '../../testing/actor-context.ts'
import type { Mode } from './modes.ts'
import { queueActorName, type Wait } from './queue-protocol.ts'
import { Queue, queueHandlers, type QueueDeps } from './queue.ts'
import type { JoiningPlayer, RoomOffer } from './room-protocol.ts'

const SECOND_MS = 1_000
const [TRIO] = fillDefaults({
  multiplayer: { modes: [{ key: 'trio', minPlayers: 3, maxPlayers: 4, fillTimeoutSeconds: 20 }] },
}).multiplayer.modes as [Mode]

function setUp(mode = TRIO, pool: string | null = null) {
  const clock = createStoppedClock()
  const made: string[][] = []
  const rooms = {
    canBeMade: true,
    canBeAsked: true,
    isAsked: () => {},
    offers: new Map<string, RoomOffer>(),
  }
  const config = { canBeRead: true, hasTrio: true }
  const reported: unknown[] = []
  const deps: QueueDeps = {
    clock,
    async open(_, __, ___, joiningPlayers) {
      if (!rooms.canBeMade) throw new Error('no')
      return { id: `rom_${made.push(joiningPlayers.map(({ player }) => player.id))}` }
    },
    async fill(_, roomId, joiningPlayers) {
      if (!rooms.canBeAsked) throw new Error('no answer')
      rooms.isAsked()
      const offer = rooms.offers.get(roomId)
      if (!offer) return undefined
      const { length } = joiningPlayers
      if (offer.freeSeats < length) return { isSeated: false, offer: { ...offer } }
      offer.freeSeats -= length
      offer.players += length
      return { isSeated: true, offer: { ...offer } }
    },
    async hasMode() {
      if (!config.canBeRead) throw new Error('no answer')
      return config.hasTrio
    },
    report: (error) => void reported.push(error),
  }
  const test = createTestActorContext(queueActorName('env_1', 'trio', pool), clock)
  const queue = new Queue(test.context, deps)
  const enqueue = (id: string, { waitedMs = 0, ...more }: { waitedMs?: number } & Partial<Wait> = {}) => {
    const joiningPlayer: JoiningPlayer = { ref: `n/${id}`, player: { id, displayName: null } }
    const enqueuedAtMs = clock.now().getTime() - waitedMs
    return queue.enqueue({ joiningPlayer, mode, enqueuedAtMs, party: null, wantsProgress: false, ...more })
  }
  const offer = (roomId: string, players: number, freeSeats: number, createdAtMs = 0) => {
    rooms.offers.set(roomId, { roomId, players, freeSeats, createdAtMs })
    return queue.offer({ roomId, players, freeSeats, createdAtMs })
  }
  /** Timers of the clock run immediately, but the work that they start takes a few ticks. */
  const advance = async (ms: number) => {
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...test, clock, made, rooms, config, reported, queue, enqueue, offer, advance }
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

  test('[GEN-58] [ROM-12] players of a queue that moved keep their order', async () => {
    const { made, enqueue } = setUp()
    await enqueue('late', { waitedMs: 1 * SECOND_MS })
    await enqueue('early', { waitedMs: 5 * SECOND_MS })
    await enqueue('now')
    assert.deepEqual(made, [['early', 'late', 'now']])
  })

  test('[ROM-11] after a move, players whose timeout has passed wait one more second for the others', async () => {
    const { made, enqueue, advance } = setUp()
    await enqueue('early', { waitedMs: 60 * SECOND_MS })
    await enqueue('late', { waitedMs: 1 * SECOND_MS })
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

  test('a queue ends when no player waits and no room has offered seats for a minute and a half', async () => {
    const { queue, enqueue, advance, offer, isOver } = setUp()
    await enqueue('ada')
    await advance(20 * SECOND_MS)
    assert.deepEqual(
      queue.snapshot()?.offers.map(({ roomId, freeSeats }) => [roomId, freeSeats]),
      [['rom_1', 3]],
    )
    await offer('rom_1', 1, 3)
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), false)
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), true)
  })

  test('[ROM-12] a player gets a seat in an open room: below minPlayers first, then the fullest, then the oldest', async () => {
    const { made, enqueue, offer } = setUp()
    await offer('rom_new', 3, 1, 2)
    await offer('rom_old', 3, 1, 1)
    await offer('rom_low', 1, 1, 3)
    const rooms = []
    for (const id of ['ada', 'bob', 'cy']) rooms.push(await enqueue(id))
    assert.deepEqual(
      rooms,
      ['rom_low', 'rom_old', 'rom_new'].map((roomId) => ({ queued: false, roomId })),
    )
    assert.deepEqual(await enqueue('dan'), { queued: true })
    assert.deepEqual(made, [])
  })

  test('[ROM-12] an offer is used for the waiting players, in order', async () => {
    const { queue, enqueue, offer } = setUp()
    await enqueue('ada')
    await enqueue('bob')
    await offer('rom_a', 3, 1)
    assert.equal(queue.isWaiting('ada'), false)
    assert.equal(queue.isWaiting('bob'), true)
  })

  test('[ROM-12] if a room cannot be asked, the player waits; the room is asked again with its next offer', async () => {
    const { rooms, reported, enqueue, offer, queue } = setUp()
    await offer('rom_a', 1, 3)
    rooms.canBeAsked = false
    assert.deepEqual(await enqueue('ada'), { queued: true })
    assert.equal(reported.length, 1)
    rooms.canBeAsked = true
    await offer('rom_a', 1, 3)
    assert.equal(queue.isWaiting('ada'), false)
  })

  test('a match with gatherSeconds waits for more players, and starts immediately with maxPlayers', async () => {
    const { made, enqueue, advance } = setUp({ ...TRIO, minPlayers: 2, gatherSeconds: 10 })
    await enqueue('ada')
    await advance(5 * SECOND_MS)
    await enqueue('bob')
    await advance(9_999)
    assert.deepEqual(made, [])
    await advance(1)
    assert.deepEqual(made, [['ada', 'bob']])
    for (const id of ['cy', 'dan']) assert.equal((await enqueue(id)).queued, true)
    await enqueue('eve')
    await enqueue('fay')
    assert.deepEqual(made[1], ['cy', 'dan', 'eve', 'fay'])
  })

  test('if gathered players become too few, gathering starts again', async () => {
    const { made, queue, enqueue, advance } = setUp({ ...TRIO, minPlayers: 2, gatherSeconds: 10 })
    await enqueue('ada')
    await enqueue('bob')
    await advance(9 * SECOND_MS)
    queue.memberDisconnected('n/bob')
    await enqueue('cy')
    await advance(9 * SECOND_MS)
    assert.deepEqual(made, [])
    await advance(SECOND_MS)
    assert.deepEqual(made, [['ada', 'cy']])
  })

  test('a party starts together once it is complete, and after the fill timeout with its present members', async () => {
    const { made, enqueue, advance } = setUp({ ...TRIO, minPlayers: 2 })
    const party = { id: 'friends', size: 3 }
    await enqueue('ada', { party })
    await enqueue('bob', { party })
    assert.deepEqual(made, [])
    assert.deepEqual(await enqueue('cy', { party }), { queued: false, roomId: 'rom_1' })
    assert.deepEqual(made, [['ada', 'bob', 'cy']])

    await enqueue('dan', { party: { id: 'others', size: 2 } })
    await advance(20 * SECOND_MS)
    assert.deepEqual(made[1], ['dan'])
  })

  test('a party that does not fit into a room is not split; players beyond the size of a party wait alone', async () => {
    const { made, enqueue, offer } = setUp()
    await offer('rom_a', 3, 1)
    const party = { id: 'friends', size: 2 }
    assert.deepEqual(await enqueue('ada', { party }), { queued: true })
    assert.deepEqual(await enqueue('bob', { party }), { queued: true })
    assert.deepEqual(await enqueue('cy', { party }), { queued: false, roomId: 'rom_a' })
    assert.deepEqual(made, [])
  })

  test('parties that fit together start, even if an older party does not fit with them', async () => {
    const { made, enqueue, advance, queue } = setUp({ ...TRIO, minPlayers: 4, fillTimeoutSeconds: 0 })
    const join = async (party: string, ...ids: string[]) => {
      for (const id of ids) await enqueue(id, { party: { id: party, size: ids.length } })
    }
    await join('red', 'ada', 'bob', 'cy')
    await join('blue', 'dan', 'eve')
    await advance(60 * SECOND_MS)
    assert.deepEqual(made, [])
    await join('green', 'fay', 'gus')
    assert.deepEqual(made, [['dan', 'eve', 'fay', 'gus']])
    assert.equal(queue.liveView().waiting, 3)
  })

  test('when a party that blocked the others is cancelled, the others start', async () => {
    const { made, queue, enqueue, advance } = setUp({ ...TRIO, minPlayers: 4 })
    for (const [id, party] of Object.entries({ ada: 'a', bob: 'a', dan: 'b', eve: 'b' })) {
      if (id === 'dan') await enqueue('cy')
      await enqueue(id, { party: { id: party, size: 2 } })
    }
    assert.deepEqual(made, [])
    queue.drop(({ player }) => player.id === 'cy')
    await advance(0)
    assert.deepEqual(made, [['ada', 'bob', 'dan', 'eve']])
  })

  test('[ROM-11] after a config change with a shorter fill timeout, a new player does not wait for the timeout of earlier ones', async () => {
    const { made, enqueue, advance } = setUp()
    await enqueue('ada', { mode: { ...TRIO, fillTimeoutSeconds: 0 } })
    await enqueue('bob', { mode: { ...TRIO, fillTimeoutSeconds: 5 } })
    await advance(5 * SECOND_MS)
    assert.deepEqual(made, [['ada', 'bob']])
  })

  test('a queue that loses ownership while it fills a room does not keep a player who has a seat', async () => {
    const { enqueue, offer, rooms, loseOwnership, context } = setUp()
    await offer('rom_a', 1, 3)
    rooms.isAsked = loseOwnership
    assert.deepEqual(await enqueue('ada'), { queued: false, roomId: 'rom_a' })
    assert.throws(() => context.assertStillOwner(), ActorMovedError)
  })

  test('the queue of a pool ends when it is not used any more', async () => {
    const leaving = setUp(TRIO, 'eu')
    await leaving.enqueue('ada')
    assert.deepEqual(leaving.queue.liveView(), { mode: 'trio', pool: 'eu', waiting: 1 })
    leaving.queue.memberDisconnected('n/ada')
    assert.equal(leaving.isOver(), true)

    const offering = setUp(TRIO, 'eu')
    await offering.offer('rom_a', 1, 3)
    assert.equal(offering.isOver(), false)
    await offering.offer('rom_a', 0, 0)
    assert.equal(offering.isOver(), true)
  })

  test('a queue keeps the offers of the latest 1,000 rooms at most', async () => {
    const { offer, queue } = setUp()
    for (let i = 0; i <= 1_000; i++) await offer(`rom_${i}`, 1, 3)
    const offers = queue.snapshot()?.offers ?? []
    assert.deepEqual([offers.length, offers[0]?.roomId], [1_000, 'rom_1'])
  })

  test('progress is sent on change, at most once a second, to players who requested it', async () => {
    const { clock, enqueue, advance, take } = setUp()
    await enqueue('ada', { wantsProgress: true })
    await enqueue('bob')
    const startsAt = new Date(clock.now().getTime() + 20 * SECOND_MS).toISOString()
    const progress = { t: 'match_progress', minPlayers: 3, maxPlayers: 4, startsAt }
    assert.deepEqual(take('n/ada'), [{ ...progress, waiting: 1 }])
    await advance(SECOND_MS)
    assert.deepEqual(take('n/ada'), [{ ...progress, waiting: 2 }])
    await advance(10 * SECOND_MS)
    assert.deepEqual(take('n/ada'), [])
    assert.deepEqual(take('n/bob'), [])
  })

  test('a queue that never had a player ends after a minute', async () => {
    const { advance, isOver } = setUp()
    await advance(60 * SECOND_MS)
    assert.equal(isOver(), true)
  })
})
