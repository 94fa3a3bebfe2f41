import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'

import { ActorMovedError } from '../../../platform/actors/actor.ts'
import { createStoppedClock } from '../../../platform/clock.ts'
import type { RoomProcess } from '../../../platform/ports/room-process.ts'
import { systemRandom } from '../../../platform/random.ts'
import { createTimers } from '../../../platform/time/timers.ts'
import { createTestActorContext } from '../../../testing/actor-context.ts'
import { ROOM_INFO } from '../../../testing/room-code.ts'
import { type CodeSnapshot, roomActorName } from '../room-protocol.ts'
import type { RoomProcessEvents } from './port.ts'
import { createRecordings } from './recording.ts'
import { CodeRunner, type RunnerRoom } from './runner.ts'
import { createCodeTurns } from './turns.ts'

const CODE: CodeSnapshot = {
  className: 'Arena',
  finishMinutes: 30,
  options: 'null',
  versionId: 'ver_1',
  version: 1,
  tickRate: 20,
  seed: 1,
  tick: 7,
  snapshot: '{"state":{}}',
  roster: [],
  wakeAt: null,
  handoverAtMs: null,
  isRecorded: false,
}
const TICK_MS = 50

const nextTurn = async () => {
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
}

/** A room of a snapshot whose process answers when the test says so. */
async function restored(t: TestContext, rest: Partial<CodeSnapshot> = {}, starting?: Promise<void>) {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  t.after(() => timers.stop())
  const { context, ...actor } = createTestActorContext(roomActorName('env_1', 'rom_1'), clock)
  const batches: [id: string, turn: number, nowMs: number, events: unknown[]][] = []
  const applied: string[] = []
  const closed: string[] = []
  let events: RoomProcessEvents | undefined
  const process: RoomProcess = {
    send: (batch) => void batches.push(...(JSON.parse(batch) as typeof batches)),
    cpuMs: () => 0,
    takeUsage: () => ({ requests: 0, errors: 0, rowsRead: 0, rowsWritten: 0, cpuMs: 0, egressBytes: 0 }),
    stop: async () => {},
  }
  const code = { versionId: 'ver_1', version: 1, tickRate: 20, generation: 1 }
  const deps = {
    code: {
      live: () => code,
      current: () => ({ runs: true, versionId: 'ver_1', deployedAtMs: 0, finishMinutes: null }) as const,
    },
    turns: createCodeTurns({
      processesMax: 1,
      code: {
        async start(_environmentId, _versionId, reports) {
          await starting
          events = reports
          return process
        },
      },
      clock,
      timers,
      report: (error) => assert.ifError(error),
    }),
    recordings: createRecordings(clock),
    clock,
    random: systemRandom,
    report: (error: unknown) => assert.ifError(error),
  }
  const room: RunnerRoom = {
    info: ROOM_INFO,
    playersForCode: () => [],
    apply: (effects) => void applied.push(effects.map(({ kind, payload }) => `${kind} ${payload}`).join()),
    handed: () => {},
    checked: () => {},
    stopped: () => {},
    restarted: () => {},
    wantsSnapshot: () => false,
    capture: () => false,
    snapped: () => {},
    closed: (reason) => void closed.push(reason),
  }
  const runner = new CodeRunner(context, deps, room, { ...CODE, ...rest })

  const message = (turn: number, effects: readonly [kind: string, payload: string][]) => {
    const head = [['rom_1', turn, effects.map(([kind]) => [kind, ''])]]
    const payloads = effects.map(([, payload]) => `${payload}\n`).join('')
    events?.onMessage(Buffer.from(`${JSON.stringify(head)}\n${payloads}`))
  }
  return {
    runner,
    clock,
    batches,
    applied,
    closed,
    ...actor,
    /** Answers the last turn. */
    answer: (...effects: [string, string][]) => message(batches.at(-1)?.[1] ?? 0, effects),
    /** What the code has done after an `await`. */
    later: (...effects: [string, string][]) => message(-1, effects),
    async opened(tickRate = 20) {
      await runner.restore()
      await nextTurn()
      message(1, [['opened', `{"tickRate":${tickRate}}`]])
      await nextTurn()
      applied.length = 0
    },
    async tick(ticks = 1) {
      for (let count = 0; count < ticks; count++) {
        clock.advance(TICK_MS)
        await nextTurn()
      }
    },
  }
}

describe('the code of a room', () => {
  test('[RWC-110] code that wakes itself at once is woken at most 60 times a second', async (t) => {
    const room = await restored(t)
    await room.opened(0)
    let wakes = 0
    room.later(['wake', '0'])
    for (let ms = 0; ms < 1_000; ms++) {
      const before = room.batches.length
      room.clock.advance(1)
      await nextTurn()
      if (room.batches.length === before) continue
      if (JSON.stringify(room.batches.at(-1)).includes('wake')) wakes++
      room.answer(['wake', '0'])
    }
    assert.ok(wakes > 10 && wakes <= 60, `${wakes}`)
  })

  test('[GEN-57] [RWC-110] wakeAt is a date: when the clock is set back, the code is woken at that date and not before', async (t) => {
    const room = await restored(t)
    await room.opened(0)
    const hasWoken = () => JSON.stringify(room.batches).includes('wake')
    room.later(['wake', String(room.clock.now().getTime() + 10_000)])
    room.clock.step(-20_000)
    room.clock.advance(29_999)
    await nextTurn()
    assert.equal(hasWoken(), false)
    // A snapshot was due in the meantime; a turn waits for the answer to the last one.
    room.answer()
    room.clock.advance(1)
    await nextTurn()
    assert.equal(hasWoken(), true)
  })

  test('[GEN-58] [RWC-110] a room that comes from another node is woken at its date', async (t) => {
    const room = await restored(t, { wakeAt: Date.parse('2026-01-01T00:00:10.000Z') })
    await room.opened(0)
    const wakes = () => JSON.stringify(room.batches).split('wake').length - 1
    room.clock.advance(9_999)
    await nextTurn()
    assert.equal(wakes(), 0)
    room.clock.advance(1)
    await nextTurn()
    assert.equal(wakes(), 1)
  })

  test('[RWC-55] [RWC-56] while another node may own the room it makes no turn and sends nothing; then it continues with the next tick', async (t) => {
    const room = await restored(t)
    await room.opened()
    await room.tick()
    assert.deepEqual(room.batches.at(-1)?.[3], [['tick', 8]])
    room.loseOwnership()
    const sent = room.batches.length
    room.answer(['sync', '{"a":1}'])
    room.later(['sync', '{"b":1}'])
    await room.tick(20)
    assert.deepEqual([room.applied, room.batches.length], [[], sent])

    room.regainOwnership()
    room.clock.advance(500)
    await nextTurn()
    assert.deepEqual(room.applied, ['sync {"a":1}', 'sync {"b":1}'], 'in their order')
    await room.tick()
    assert.deepEqual(room.batches.at(-1)?.[3].at(0), ['tick', 9])
  })

  test('[RWC-124] a room without ticks makes a snapshot within a second after a change', async (t) => {
    const room = await restored(t)
    await room.opened(0)
    const eventsAt = async (ms: number, change?: () => void) => {
      room.clock.advance(ms)
      const before = room.batches.length
      change?.()
      await nextTurn()
      const kinds = room.batches
        .slice(before)
        .flatMap(([, , , events]) => events.map((event) => (event as [string])[0]))
      if (kinds.length > 0)
        room.answer(
          ...(kinds.includes('snap') ? ([['snap', '{"state":{}}']] satisfies [[string, string]]) : []),
        )
      await nextTurn()
      return kinds
    }
    const send = () => {
      room.runner.inbox.push({ kind: 'message', text: '["in","ply_1",null,"add",1]' })
      room.runner.wake()
    }
    assert.deepEqual(await eventsAt(1_000), [])
    // Between the checks of its process, which come once a second.
    assert.deepEqual(await eventsAt(500, send), ['in', 'snap'])
    assert.deepEqual(await eventsAt(100, send), ['in'])
    assert.deepEqual(await eventsAt(899), [])
    assert.deepEqual(await eventsAt(1), ['snap'], 'a second after the last one')
    // What the code does after an `await` is a change, too.
    assert.deepEqual(await eventsAt(100, () => room.later(['sync', '{"a":1}'])), [])
    assert.deepEqual(await eventsAt(899), [])
    assert.deepEqual(await eventsAt(1), ['snap'])
    assert.deepEqual(await eventsAt(5_000), [], 'nothing has changed')
  })

  test('[RWC-114] a room that ends while it starts leaves no error behind', async (t) => {
    const starting = Promise.withResolvers<void>()
    const room = await restored(t, { snapshot: null }, starting.promise)
    const refused = assert.rejects(room.runner.open(1), ActorMovedError)
    await nextTurn()
    room.runner.stop()
    // An error that nobody handles fails this test.
    await nextTurn()
    starting.resolve()
    await refused
    await nextTurn()
    assert.deepEqual(room.batches, [])
  })

  test('[RWC-115] a room waits for a process that is too busy to answer, and is closed if its code does not open it', async (t) => {
    const room = await restored(t)
    await room.runner.restore()
    await nextTurn()
    room.clock.advance(60_000)
    assert.equal(room.runner.isRunning, false)
    assert.deepEqual(room.closed, [])
    room.answer(['opened', '{"tickRate":20}'])
    await nextTurn()
    assert.equal(room.runner.isRunning, true)

    const never = await restored(t)
    await never.runner.restore()
    await nextTurn()
    never.answer()
    never.clock.advance(12_000)
    await nextTurn()
    assert.deepEqual(never.closed, ['failed'])
  })

  test('[RWC-53] messages that wait are in the snapshot until the code has got them, and never again', async (t) => {
    const room = await restored(t, { waiting: ['["in","ply_1",null,"add",1]'] })
    // The node may stop while the code starts.
    room.runner.inbox.pushMessage('["in","ply_1",null,"add",2]', {})
    assert.deepEqual(room.runner.snapshot().waiting, [
      '["in","ply_1",null,"add",1]',
      '["in","ply_1",null,"add",2]',
    ])
    await room.opened()
    await room.tick()
    const [first, second] = room.batches.at(-1)?.[3] ?? []
    assert.deepEqual(
      [first, second],
      [
        ['in', 'ply_1', null, 'add', 1],
        ['in', 'ply_1', null, 'add', 2],
      ],
    )
    assert.equal(room.runner.snapshot().waiting, undefined)
  })

  test('[RWC-54] nothing is sent of what the code does after its last snapshot on a node that stops', async (t) => {
    const room = await restored(t)
    await room.opened()
    const freezing = room.runner.freeze()
    await nextTurn()
    assert.deepEqual(room.batches.at(-1)?.[3], [['snap']])
    // In the snapshot.
    room.later(['sync', '{"a":1}'])
    room.answer(['sync', '{"b":1}'], ['snap', '{"state":{"a":1,"b":1}}'])
    room.later(['sync', '{"c":1}'])
    await Promise.all([freezing, room.runner.freeze()])
    await room.tick(5)
    assert.deepEqual(room.applied, ['sync {"a":1}', 'sync {"b":1},snap {"state":{"a":1,"b":1}}'])
    assert.deepEqual(room.batches.at(-1)?.[3], [['snap']], 'no turn afterwards')
    assert.equal(room.runner.snapshot().snapshot, '{"state":{"a":1,"b":1}}')
  })
})
