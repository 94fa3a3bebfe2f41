import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { createStoppedClock } from '../../../platform/clock.ts'
import { systemRandom } from '../../../platform/random.ts'
import { createTimers } from '../../../platform/time/timers.ts'
import { createTestActorContext } from '../../../testing/actor-context.ts'
import { ROOM_INFO } from '../../../testing/room-code.ts'
import { runs } from '../../../testing/runs.ts'
import { roomActorName } from '../room-protocol.ts'
import { Room } from '../room.ts'
import { CodeRoom } from './code-room.ts'
import type { RoomProcessEvents } from './port.ts'
import { createRecordings } from './recording.ts'
import { createCodeTurns } from './turns.ts'

type Entry = [roomId: string, turn: number, outputs: [kind: unknown, target?: unknown][]]
type Output = { kind: unknown; target: unknown; payload: string }

const PLAYERS = ['ply_1', 'ply_2'].map((id) => ({ ref: `n/${id}`, player: { id, displayName: null } }))

const messageOf = (turn: number, outputs: readonly Output[]) => {
  const entry: Entry = ['rom_1', turn, outputs.map(({ kind, target }) => [kind, target])]
  return Buffer.from(`${JSON.stringify([entry])}\n${outputs.map(({ payload }) => `${payload}\n`).join('')}`)
}
const nextTurn = async () => {
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
}

/** A room with two players, whose processes open it and admit its players; every other turn is answered by the test. */
async function openRoom() {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  const { context, isOver } = createTestActorContext(roomActorName('env_1', 'rom_1'), clock)
  const reported: unknown[] = []
  let events: RoomProcessEvents | undefined
  let processes = 0
  let turn = 0

  function answerOpening(batch: string) {
    for (const [, number, , sent] of JSON.parse(batch) as [string, number, number, unknown[][]][]) {
      turn = number
      const outputs = sent.flatMap(([kind, argument]): Output[] => {
        if (kind === 'open' || kind === 'restore')
          return [{ kind: 'opened', target: '', payload: '{"tickRate":20}' }]
        if (kind !== 'join') return []
        return [{ kind: 'joined', target: (argument as { id: string }).id, payload: '{"state":{},"own":{}}' }]
      })
      const { onMessage } = events ?? assert.fail()
      if (outputs.length > 0) setImmediate(() => onMessage(messageOf(number, outputs)))
    }
  }
  const live = { versionId: 'ver_1', version: 1, tickRate: 20, generation: 1 }
  const report = (error: unknown) => void reported.push(error)
  const notKept = () => assert.fail('this room is not kept')
  const deps = {
    clock,
    random: systemRandom,
    kept: { save: notKept, remove: notKept, takeSeat: notKept, freeSeat: notKept },
    recordings: createRecordings(clock),
    report,
    code: {
      live: () => live,
      current: () => ({ runs: true, versionId: 'ver_1', deployedAtMs: 0, finishMinutes: null }) as const,
    },
    turns: createCodeTurns({
      processesMax: 1,
      clock,
      timers,
      report,
      code: {
        async start(_environmentId, _versionId, reports) {
          events = reports
          processes++
          return {
            send: answerOpening,
            cpuMs: () => 0,
            takeUsage: () => ({
              requests: 0,
              errors: 0,
              rowsRead: 0,
              rowsWritten: 0,
              cpuMs: 0,
              egressBytes: 0,
            }),
            stop: async () => {},
          }
        },
      },
    }),
    seatFreed: () => {},
    over: () => {},
    offer: () => {},
  }
  const room = new CodeRoom(context, deps, Room.emptySnapshot(ROOM_INFO, PLAYERS), {
    className: 'Arena',
    finishMinutes: 30,
    options: 'null',
    ...live,
    seed: 1,
    tick: 0,
    snapshot: null,
    roster: [],
    wakeAt: null,
    handoverAtMs: null,
    isRecorded: true,
  })
  await room.open(PLAYERS, 1)

  return {
    reported,
    isOver,
    processes: () => processes,
    async tick() {
      clock.advance(500)
      await nextTurn()
    },
    async answer(isTurn: boolean, outputs: readonly Output[]) {
      events?.onMessage(messageOf(isTurn ? turn : -1, outputs))
      await nextTurn()
    },
    stop() {
      if (!isOver()) room.stop()
      timers.stop()
    },
  }
}

const KINDS =
  'opened failed sync own acks joined view refused msg reply error unknown warn snap end kick lock meta wake threw'.split(
    ' ',
  )

const output = fc.record<Output>({
  kind: fc.constantFrom(...KINDS),
  target: fc.constantFrom(
    '',
    '*',
    'ply_1',
    'ply_2',
    'ply_3',
    'toString',
    ['ply_1', 'ply_3'],
    [],
    0,
    1,
    -1,
    9e15,
  ),
  payload: fc.oneof(
    fc.constantFrom('', '{}', '[]', 'null', '1', '-1', '1e400', '{"ply_1":1,"ply_9":2}', '{"ply_1":"x"}'),
    fc.constantFrom('{"state":{},"own":{}}', '{"state":null}', '{"state":{},"own":[]}', '{"tickRate":1e9}'),
    fc.constantFrom(
      '{"type":"m","data":1}',
      '{"type":1}',
      '{"reason":1}',
      '{"code":"room_error","reason":5}',
    ),
    fc.constantFrom(`{"a":"${'x'.repeat(300_000)}"}`, '{"__proto__":{"x":1}}', '"text"'),
    fc.json(),
  ),
})

test('[RWC-48] forged answers of a room are applied, or end its process or the room; nothing throws, and a room of which the process ends runs again', async (t) => {
  let room = await openRoom()
  t.after(() => room.stop())
  const seen = { ended: 0, closed: 0, applied: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(output, { minLength: 1, maxLength: 4 }),
      async (isTurn, outputs) => {
        await room.tick()
        const before = room.processes()
        await room.answer(isTurn, outputs)
        await room.tick()
        assert.deepEqual(room.reported, [])
        if (room.isOver()) {
          seen.closed++
          room.stop()
          room = await openRoom()
        } else if (room.processes() > before) seen.ended++
        else seen.applied++
      },
    ),
    { numRuns: runs(300, 5_000) },
  )
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 10, `${what}: ${count}`)
  t.diagnostic(JSON.stringify(seen))
})
