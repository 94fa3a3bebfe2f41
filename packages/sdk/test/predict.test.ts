import assert from 'node:assert/strict'
import { test } from 'node:test'

import { merge } from '../src/code-rooms/merge.ts'
import { createPredictions } from '../src/code-rooms/predict.ts'
import { TrackedState } from '../src/room/state-diff.ts'

type Ball = { x: number; y: number; vx: number }
type World = { balls: Record<string, Ball>; left: number }
type Move = { dx: number }

const round = (value: number) => Math.round(value * 1000) / 1000

/** Page and room share it. */
function step(world: World, playerId: string, { dx }: Move) {
  const ball = world.balls[playerId]
  if (!ball) return
  ball.vx = round((ball.vx + dx) * 0.9)
  ball.x = round(Math.max(0, Math.min(800, ball.x + ball.vx)))
}

const newWorld = (): World => ({
  balls: { me: { x: 400, y: 0, vx: 0 }, other: { x: 5, y: 0, vx: 0 } },
  left: 60,
})

/** Numbers from a seed, so that a failure happens again. */
function seeded(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Sent = { at: number; text: string }
type Behavior = { oneWayMs: number; roomStep?: typeof step; everyTick?(world: World, tick: number): void }

/** 60 s of a game with 20 ticks a second over a network with delay and jitter. Frames stay in order, as with a WebSocket. */
function play({ oneWayMs, roomStep = step, everyTick }: Behavior) {
  const random = seeded(7)
  const world = newWorld()
  const tracked = new TrackedState('state', 65_536)
  tracked.take(world)
  const confirmed = newWorld()
  const [up, down]: [Sent[], Sent[]] = [[], []]
  const post = (queue: Sent[], now: number, data: unknown) => {
    const at = Math.max(queue.at(-1)?.at ?? 0, now + oneWayMs + random() * 60)
    queue.push({ at, text: JSON.stringify(data) })
  }
  let now = 0
  const predictions = createPredictions({
    confirmed,
    selfId: 'me',
    send: (fields) => (post(up, now, fields), true),
    isConnected: () => true,
    now: () => now,
    changed: () => assert.fail('nothing was refused'),
  })
  const me = predictions.predict({ step, type: 'move' })
  let [syncs, corrections, handled, received] = [0, 0, 0, 0]
  for (; now < 62_000; now += 5) {
    const isPlaying = now < 60_000
    if (isPlaying && now % 15 === 0) me.send({ dx: random() * 2 - 1 })
    for (; (up[0]?.at ?? Infinity) <= now; up.shift()) {
      const { data, seq } = JSON.parse(up[0]?.text ?? '')
      roomStep(world, 'me', data)
      handled = seq
    }
    if (now % 50 === 0) {
      if (isPlaying) {
        world.left = round(world.left - 0.05)
        step(world, 'other', { dx: random() })
        everyTick?.(world, now / 50)
      }
      post(down, now, { patch: tracked.take(world), handled })
    }
    for (; (down[0]?.at ?? Infinity) <= now; down.shift()) {
      const sync = JSON.parse(down[0]?.text ?? '')
      const before = JSON.stringify(me.state.balls.me)
      if (sync.patch) merge(confirmed, JSON.parse(sync.patch))
      predictions.synced(sync.handled)
      if (JSON.stringify(me.state.balls.me) !== before) corrections++
      syncs++
      received = sync.handled
    }
  }
  predictions.stop()
  assert.equal(received, handled)
  assert.deepEqual(me.state, world, 'in the end page and room agree')
  return { syncs, corrections }
}

for (const roundTripMs of [200, 600])
  test(`[RWC-61] with the same step in page and room, a round trip of ${roundTripMs} ms needs no correction in 1,000 syncs`, () => {
    const { syncs, corrections } = play({ oneWayMs: roundTripMs / 2 })
    assert.ok(syncs > 1_000)
    assert.equal(corrections, 0)
  })

test('[RWC-61] what the room does beyond step corrects the prediction', () => {
  const pushed = play({
    oneWayMs: 100,
    everyTick: ({ balls: { me } }, tick) => void (me && tick % 10 === 0 && (me.x = Math.max(0, me.x - 10))),
  })
  assert.ok(pushed.corrections > 50)
  const different = play({
    oneWayMs: 100,
    roomStep: (world, id, { dx }) => step(world, id, { dx: dx > 0.5 ? 0 : dx }),
  })
  assert.ok(different.corrections > 50)
})

/** Predictions whose frames are in `sent`. */
function setUp() {
  const confirmed = newWorld()
  const sent: number[] = []
  const network = { isConnected: true, now: 0, changes: 0 }
  const predictions = createPredictions({
    confirmed,
    selfId: 'me',
    send: ({ seq }) => void sent.push(seq),
    isConnected: () => network.isConnected,
    now: () => network.now,
    changed: () => network.changes++,
  })
  const simple = (world: World, id: string, { dx }: Move) => {
    const ball = world.balls[id]
    if (!ball) throw new Error(`there is no ball of ${id}`)
    ball.x += dx
  }
  const me = predictions.predict({ step: simple, type: 'move' })
  return { confirmed, sent, network, predictions, me, x: () => me.state.balls.me.x - 400 }
}

test('[RWC-62] an input counts at once, and until it is acknowledged or a later one is', () => {
  const { confirmed, sent, predictions, me, x } = setUp()
  const input = { dx: 1 }
  me.send(input)
  input.dx = 100
  me.send({ dx: 2 })
  me.send({ dx: 4 })
  assert.deepEqual([x(), sent], [7, [1, 2, 3]])
  merge(confirmed, { balls: { me: { x: 403 } } })
  predictions.synced(2)
  assert.equal(x(), 7)
  predictions.synced(undefined)
  predictions.synced(null)
  assert.equal(x(), 7, 'other players were acknowledged')
  merge(confirmed, { balls: { me: { x: 407 } } })
  predictions.synced(3)
  assert.equal(x(), 7)
  assert.equal(confirmed.balls['me']?.x, 407)
  predictions.stop()
})

test('[RWC-62] after a reload of the page, the number of an input of before acknowledges nothing', () => {
  const { predictions, me, x } = setUp()
  me.send({ dx: 1 })
  predictions.synced(500)
  assert.equal(x(), 1)
  predictions.stop()
})

test('[RWC-62] the state keeps its objects, whatever the room changes', () => {
  const { confirmed, predictions, me } = setUp()
  const { state } = me
  const ball = state.balls.me
  merge(confirmed, { balls: { me: { x: 1 }, other: null, third: { x: 1, y: 1, vx: 0 } } })
  predictions.synced(0)
  assert.equal(me.state, state)
  assert.equal(state.balls.me, ball)
  assert.deepEqual(Object.keys(state.balls), ['me', 'third'])
})

test('[RWC-63] without a connection an input has no effect, and after a reconnect earlier ones no longer count', () => {
  const { confirmed, network, predictions, sent, me, x } = setUp()
  assert.equal(me.send({ dx: 1 }), true)
  network.isConnected = false
  assert.equal(me.send({ dx: 2 }), false)
  assert.deepEqual([x(), sent], [1, [1]])
  // The room had handled the first input: it is in the state that comes with the seat.
  merge(confirmed, { balls: { me: { x: 401 } } })
  network.isConnected = true
  predictions.restored()
  assert.equal(x(), 1)
  me.send({ dx: 4 })
  assert.deepEqual([x(), sent], [5, [1, 2]])
  predictions.stop()
})

test('[RWC-100] after a restart of the room, inputs that it has not handled still count', () => {
  const { confirmed, predictions, me, x } = setUp()
  for (const dx of [1, 10, 100]) me.send({ dx })
  merge(confirmed, { balls: { me: { x: 401 } } })
  predictions.restored(1)
  assert.equal(x(), 111)
  // The room had lost the second one.
  merge(confirmed, { balls: { me: { x: 501 } } })
  predictions.synced(3)
  assert.equal(x(), 101)
  // A number of before the page was loaded again: the room has handled none of this page.
  me.send({ dx: 1_000 })
  predictions.restored(500)
  assert.equal(x(), 1_101)
  predictions.stop()
})

test('[RWC-63] an input that the service refused has no effect after 5 s, also if no sync comes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { network, predictions, me, x } = setUp()
  const pass = (ms: number) => {
    network.now += ms
    t.mock.timers.tick(ms)
  }
  me.send({ dx: 1 })
  pass(3_000)
  me.send({ dx: 2 })
  pass(1_999)
  predictions.synced(null)
  assert.deepEqual([x(), network.changes], [3, 0])
  pass(1)
  assert.deepEqual([x(), network.changes], [2, 1])
  pass(3_000)
  assert.deepEqual([x(), network.changes], [0, 2])
})

test('an input of a player whom the room has removed is reported, and stops nothing else', (t) => {
  const reports = t.mock.method(console, 'error', () => {})
  const { confirmed, predictions, me } = setUp()
  me.send({ dx: 1 })
  merge(confirmed, { balls: { me: null } })
  predictions.synced(0)
  assert.equal(me.state.balls.me, undefined)
  assert.equal(reports.mock.callCount(), 1)
  assert.throws(() => me.send({ dx: 1 }), /no ball of me/)
  predictions.stop()
})
