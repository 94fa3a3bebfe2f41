import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { createStoppedClock } from '../../../platform/clock.ts'
import type { RoomProcess } from '../../../platform/ports/room-process.ts'
import { createTimers } from '../../../platform/time/timers.ts'
import { runs } from '../../../testing/runs.ts'
import { type Answer, BrokenAnswerError, readAnswers } from './answers.ts'
import { CodeProcess, type TurnRoom } from './process.ts'

const bytesOf = (head: unknown, ...payloads: string[]) =>
  Buffer.from(`${JSON.stringify(head)}\n${payloads.map((payload) => `${payload}\n`).join('')}`)

/** A process to which two rooms have sent a turn. */
function processWithTwoRooms() {
  const clock = createStoppedClock()
  const sent: string[] = []
  const stopped: string[] = []
  const answered: string[] = []
  const errors: unknown[] = []
  const process = new CodeProcess(
    {
      clock,
      timers: createTimers(clock),
      onEmpty: () => {},
      onEnded: () => void stopped.push('ended'),
      report: (error) => void errors.push(error),
    },
    { generation: 1, isForSuspects: false },
  )
  const port: RoomProcess = {
    send: (batch) => void sent.push(batch),
    cpuMs: () => 0,
    takeUsage: () => ({ requests: 0, errors: 0, rowsRead: 0, rowsWritten: 0, cpuMs: 0, egressBytes: 0 }),
    stop: async () => void stopped.push('stop'),
  }
  process.begin(port)
  const ended: string[] = []
  const roomOf = (id: string): TurnRoom => ({
    id,
    mayRun: () => true,
    takeTurn: () => ['["wake"]'],
    answered: (effects) => void answered.push(`${id} ${effects.map(({ kind }) => kind).join()}`),
    checked: () => {},
    processEnded: ({ isSuspect }) => void ended.push(`${id} ${isSuspect}`),
  })
  for (const id of ['rom_1', 'rom_2']) process.add(roomOf(id)).wakeNow()
  return { process, sent, stopped, answered, ended, errors }
}

const nextTurn = () => new Promise(setImmediate)

describe('answers of a process of rooms', () => {
  test('[RWC-48] payloads are cut out unparsed, in the order of their kinds', () => {
    const head = [
      [
        'rom_1',
        3,
        [
          ['sync', ''],
          ['own', 'ply_1'],
          ['msg', ['ply_1', 'ply_2']],
          ['reply', 4],
        ],
      ],
      ['rom_2', 1, []],
    ]
    const answers = readAnswers(bytesOf(head, '{"ä":1}', '{}', '{"type":"x","data":0}', ''))
    assert.deepEqual(
      answers.map(({ roomId, turn, effects }: Answer) => [
        roomId,
        turn,
        effects.map((effect) => [effect.target, effect.payload]),
      ]),
      [
        [
          'rom_1',
          3,
          [
            ['', '{"ä":1}'],
            ['ply_1', '{}'],
            [['ply_1', 'ply_2'], '{"type":"x","data":0}'],
            [4, ''],
          ],
        ],
        ['rom_2', 1, []],
      ],
    )
    assert.equal(answers[0]?.effects[0]?.bytes, 8)
  })

  test('[RWC-48] a message that no healthy process sends is broken', () => {
    for (const broken of [
      '',
      '[]',
      '{}\n',
      'no\n',
      '[1]\n',
      '[["rom_1",1]]\n',
      '[["rom_1","1",[]]]\n',
      '[[1,1,[]]]\n',
      '[["rom_1",1.5,[]]]\n',
      '[["rom_1",1,[["sync",""]]]]\n',
      '[["rom_1",1,[["sync",""]]]]\n{}',
      '[["rom_1",1,[["sync",""]]]]\n{}\n{}\n',
      '[["rom_1",1,[["what",""]]]]\n{}\n',
      '[["rom_1",1,[["sync",{}]]]]\n{}\n',
      '[["rom_1",1,[["msg",[1]]]]]\n{}\n',
      '[["rom_1",1,[["sync","",1]]]]\n{}\n',
    ])
      assert.throws(() => readAnswers(Buffer.from(broken)), BrokenAnswerError, broken)
  })

  test('[RWC-48] an answer for another room, another turn or to no question ends the process', async () => {
    const good = [
      ['rom_1', 1, []],
      ['rom_2', 1, []],
    ]
    const healthy = processWithTwoRooms()
    await nextTurn()
    assert.equal(healthy.sent.length, 1)
    healthy.process.received(bytesOf(good))
    assert.deepEqual([healthy.answered, healthy.stopped], [['rom_1 ', 'rom_2 '], []])
    const inParts = processWithTwoRooms()
    await nextTurn()
    for (const part of good) inParts.process.received(bytesOf([part]))
    assert.deepEqual([inParts.answered, inParts.stopped], [['rom_1 ', 'rom_2 '], []])
    for (const forged of [
      [],
      [
        ['rom_2', 1, []],
        ['rom_1', 1, []],
      ],
      [
        ['rom_1', 2, []],
        ['rom_2', 1, []],
      ],
      [
        ['rom_1', 1, []],
        ['rom_3', 1, []],
      ],
      [['rom_3', -1, []]],
      [
        ['rom_1', -1, []],
        ['rom_2', 1, []],
      ],
      [...good, ['rom_1', 1, []]],
    ]) {
      const { process, stopped, ended, answered } = processWithTwoRooms()
      await nextTurn()
      process.received(bytesOf(forged))
      assert.deepEqual([stopped, ended, answered], [['stop', 'ended'], ['rom_1 true', 'rom_2 true'], []])
    }
  })

  test('[RWC-48] forged messages end the process or are read, and never throw', async () => {
    const kind = fc.constantFrom('sync', 'own', 'msg', 'joined', 'end', 'snap', 'opened', 'nothing', 1, null)
    const target = fc.constantFrom('', '*', 'rom_1', 'ply_1', 3, null, ['ply_1'], [1], {})
    const entry = fc.tuple(
      fc.constantFrom('rom_1', 'rom_2', 'rom_3', 7),
      fc.constantFrom(-1, 0, 1, 2, '1', 0.5),
      fc.array(fc.oneof(fc.tuple(kind), fc.tuple(kind, target), fc.tuple(kind, target, target)), {
        maxLength: 3,
      }),
    )
    const payload = fc.oneof(fc.constantFrom('{}', '', 'null', '{"state":{}}', '\n'), fc.string())
    const forged = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.array(entry, { maxLength: 3 }), fc.array(payload, { maxLength: 6 }))
        .map(([head, payloads]) => bytesOf(head, ...payloads)),
    )
    let rooms = processWithTwoRooms()
    await nextTurn()
    await fc.assert(
      fc.asyncProperty(forged, async (bytes) => {
        rooms.process.received(bytes)
        assert.deepEqual(rooms.errors, [])
        if (rooms.stopped.length > 0 || rooms.answered.length > 0) {
          rooms = processWithTwoRooms()
          await nextTurn()
        }
      }),
      { numRuns: runs(500, 5_000) },
    )
  })
})
