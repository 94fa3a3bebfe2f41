import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import { createStoppedClock } from '../../../platform/clock.ts'
import type { RoomProcess } from '../../../platform/ports/room-process.ts'
import { createTimers } from '../../../platform/time/timers.ts'
import type { RoomProcessEvents } from './port.ts'
import type { Place, TurnRoom } from './process.ts'
import { createCodeTurns, type Placing } from './turns.ts'

const PROCESSES_MAX = 4
const nextTurn = () => new Promise(setImmediate)

/** Answers every turn with nothing, and uses as much CPU time as a test says. */
type Measured = RoomProcess & {
  usedMs: number
  batches: number[]
  isStopped: boolean
  tell(text: string): void
}

/** The processes of a node whose clocks are moved by hand. */
function startNode(t: TestContext) {
  const clock = createStoppedClock()
  let elapsedMs = 0
  t.mock.method(performance, 'now', () => elapsedMs)
  const started: Measured[] = []
  const errors: unknown[] = []

  function startProcess(events: RoomProcessEvents): Measured {
    const process: Measured = {
      usedMs: 0,
      batches: [],
      isStopped: false,
      send(batch) {
        const turns = (JSON.parse(batch) as [string, number][]).map(([id, turn]) => [id, turn, []])
        process.batches.push(turns.length)
        setImmediate(() => events.onMessage(Buffer.from(`${JSON.stringify(turns)}\n`)))
      },
      tell: (text) => events.onMessage(Buffer.from(text)),
      cpuMs: () => process.usedMs,
      takeUsage: () => ({ requests: 0, errors: 0, rowsRead: 0, rowsWritten: 0, cpuMs: 0, egressBytes: 0 }),
      stop: async () => void (process.isStopped = true),
    }
    started.push(process)
    return process
  }
  const timers = createTimers(clock)
  t.after(() => timers.stop())
  const turns = createCodeTurns({
    code: { start: async (_environmentId, _versionId, events) => startProcess(events) },
    processesMax: PROCESSES_MAX,
    clock,
    timers,
    report: (error) => void errors.push(error),
  })

  let rooms = 0
  const newRoom = (): TurnRoom => ({
    id: `rom_${++rooms}`,
    mayRun: () => true,
    takeTurn: (_nowMs, isTick) => (isTick ? ['["tick",1]'] : []),
    answered: () => {},
    checked: () => {},
    processEnded: () => {},
  })
  const placing = { environmentId: 'env_1', versionId: 'ver_1', generation: 1, isSuspect: false }

  return {
    started,
    errors,
    place: (rest: Partial<Placing> = {}): Promise<Place> => turns.place({ ...placing, ...rest }, newRoom()),
    /** Seconds in which each process uses this much CPU time. */
    pass(seconds: number, cpuMs: number | ((process: Measured) => number)) {
      for (let passed = 0; passed < seconds; passed++) {
        for (const process of started) process.usedMs += typeof cpuMs === 'number' ? cpuMs : cpuMs(process)
        elapsedMs += 1_000
        clock.advance(1_000)
      }
    },
    /** A second in steps of 1 ms, in which each batch costs as much as `costMs` says for so many rooms. */
    async passTicks(costMs: (rooms: number) => number): Promise<number[]> {
      const [process] = started
      assert.ok(process)
      const before = process.batches.length
      for (let ms = 0; ms < 1_000; ms++) {
        const sent = process.batches.length
        elapsedMs++
        clock.advance(1)
        await nextTurn()
        await nextTurn()
        for (const size of process.batches.slice(sent)) process.usedMs += costMs(size)
      }
      return process.batches.slice(before)
    },
  }
}

describe('the processes of rooms of a node', () => {
  test('[RWC-58] the next process starts when all have used 60 % of a core for 10 s, and there are at most four', async (t) => {
    const node = startNode(t)
    await node.place()
    node.pass(9, 600)
    await node.place()
    assert.equal(node.started.length, 1, 'busy for 9 s')
    node.pass(1, 599)
    node.pass(9, 600)
    await node.place()
    assert.equal(node.started.length, 1, 'less than 60 % in between')
    node.pass(1, 600)
    await node.place()
    assert.equal(node.started.length, 2)

    node.pass(10, (process) => (process === node.started[0] ? 1_000 : 500))
    await node.place()
    assert.equal(node.started.length, 2, 'one of them is not busy')

    for (let processes = 3; processes <= PROCESSES_MAX; processes++) {
      node.pass(10, 700)
      await node.place()
      assert.equal(node.started.length, processes)
    }
    node.pass(10, 700)
    await node.place()
    assert.equal(node.started.length, PROCESSES_MAX)
  })

  test('[RWC-58] a process has at most 1,000 rooms; if all are full, a room is refused with room_busy', async (t) => {
    const node = startNode(t)
    const places: Place[] = []
    const perProcess = LIMITS.roomsPerProcessMax
    for (let rooms = 1; rooms <= perProcess; rooms++) places.push(await node.place())
    assert.equal(node.started.length, 1)
    while (places.length < perProcess * PROCESSES_MAX) {
      places.push(await node.place())
      assert.equal(node.started.length, Math.ceil(places.length / perProcess))
    }
    await assert.rejects(node.place(), (error) => error instanceof ApiError && error.code === 'room_busy')
    places[0]?.close()
    assert.equal((await node.place()).process, places[0]?.process, 'the seat of a room that has ended')
  })

  test('[RWC-58] a process without a room is stopped after 60 s, unless a room came in the meantime', async (t) => {
    const node = startNode(t)
    const first = await node.place()
    first.close()
    node.pass(59, 0)
    const second = await node.place()
    assert.equal(second.process, first.process)
    node.pass(60, 0)
    assert.deepEqual([node.started.length, node.started[0]?.isStopped], [1, false])
    second.close()
    node.pass(59, 0)
    assert.equal(node.started[0]?.isStopped, false)
    node.pass(1, 0)
    assert.equal(node.started[0]?.isStopped, true)
    assert.notEqual((await node.place()).process, first.process)
  })

  test('[RWC-58] a process of an older version or generation is stopped with its last room', async (t) => {
    const node = startNode(t)
    const [first, other] = [await node.place(), await node.place({ environmentId: 'env_2' })]
    const second = await node.place({ versionId: 'ver_2' })
    const third = await node.place({ versionId: 'ver_2', generation: 2 })
    assert.equal(node.started.length, 4)
    const stopped = () => node.started.map(({ isStopped }) => isStopped)
    for (const place of [second, first, third, other]) place.close()
    assert.deepEqual(stopped(), [true, false, true, false])
    node.pass(60, 0)
    assert.deepEqual(stopped(), [true, true, true, true])
    // The last room has left before the newer version runs.
    const fourth = await node.place()
    fourth.close()
    assert.equal(stopped().at(-1), false)
    await node.place({ versionId: 'ver_2' })
    assert.deepEqual(stopped().slice(-2), [true, false])
  })

  const noteHead = '[["rom_1",-1,[["msg","*"]]]]\n'
  const noteBytes = 128 * 1024
  for (const [what, count, text] of [
    ['10,000 messages', 10_000, '[["rom_1",-1,[]]]\n'],
    ['32 MB', (32 * 1024 * 1024) / noteBytes, `${noteHead}${'1'.repeat(noteBytes - noteHead.length - 1)}\n`],
  ] as const)
    test(`[RWC-110] ${what} between turns in a second are allowed; one more ends the process`, async (t) => {
      const node = startNode(t)
      const place = await node.place()
      place.wakeNow()
      place.beginTicks(20)
      await node.passTicks(() => 0)
      const [process] = node.started
      assert.ok(process)
      for (let seconds = 0; seconds < 2; seconds++) {
        for (let sent = 0; sent < count; sent++) process.tell(text)
        assert.equal(process.isStopped, false)
        if (seconds === 0) node.pass(1, 0)
      }
      process.tell(text)
      assert.equal(process.isStopped, true)
      assert.deepEqual(node.errors, [])
    })

  test('[RWC-58] a tick is one batch while it costs at most 4 ms of CPU time, and more while it costs more, at most ten', async (t) => {
    const node = startNode(t)
    for (let rooms = 0; rooms < 20; rooms++) (await node.place()).beginTicks(20)
    const ticks = async (batchCpuMs: (rooms: number) => number) => {
      // The first second shows the cost, the second one follows from it.
      await node.passTicks(batchCpuMs)
      await node.passTicks(batchCpuMs)
      const batches = await node.passTicks(batchCpuMs)
      assert.equal(
        batches.reduce((sum, size) => sum + size, 0),
        20 * 20,
        'every room has 20 ticks a second',
      )
      return batches.length / 20
    }
    assert.equal(await ticks((rooms) => (rooms * 4) / 20), 1, '4 ms a tick')
    assert.equal(await ticks((rooms) => (rooms * 7) / 20), 2, '7 ms a tick')
    assert.equal(await ticks((rooms) => (rooms * 18) / 20), 5, '18 ms a tick')
    assert.equal(await ticks((rooms) => (rooms * 45) / 20), 10, '45 ms a tick')
    assert.equal(await ticks((rooms) => (rooms * 2) / 20), 1, '2 ms a tick')
    assert.deepEqual(node.errors, [])
  })
})
