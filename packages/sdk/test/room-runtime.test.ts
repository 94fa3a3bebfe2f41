import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { TURN_BYTES_MAX, TURN_MESSAGES_MAX } from '../src/room/answer.ts'
import { METADATA_BYTES_MAX, STATE_BYTES_MAX, TYPE_LENGTH_MAX } from '../src/room/code-host.ts'
import { readAnswer } from '../src/room/read-answer.ts'
import { Refusal, Room } from '../src/room/room.ts'
import { PROMISE_TIMEOUT_MS, SAVED_BYTES_MAX } from '../src/room/running-room.ts'
import { RoomClassError, roomClassesOf, TICK_RATE_MAX } from '../src/room/runtime.ts'
import { OWN_BYTES_MAX } from '../src/room/seats.ts'
import { Arena, CODE, infoOf, join, kindsOf, payloadOf, startProcess } from './room-fixtures.ts'

describe('rooms with code: the class', () => {
  test('[RWC-01] a room class is found by its mark, and an invalid tick rate is refused', () => {
    class Cards extends Arena {
      static override tickRate = 0
    }
    const exported = { Arena, Cards, Room, Refusal, default: {}, number: 1, plain: class {} }
    assert.deepEqual(roomClassesOf(exported), [
      { className: 'Arena', tickRate: 20 },
      { className: 'Cards', tickRate: 0 },
    ])
    for (const tickRate of [61, -1, 0.5, Number.NaN, '20', undefined]) {
      const Wrong = class extends Room {}
      Object.assign(Wrong, { tickRate })
      assert.throws(() => roomClassesOf({ Wrong }), RoomClassError)
      assert.throws(() => roomClassesOf({ Wrong }), /Wrong\.tickRate must be a whole number from 0 to 60/)
    }
    const Still = class extends Room {}
    Object.assign(Still, { still: 'map' })
    assert.throws(() => roomClassesOf({ Still }), /Still\.still must be an array/)
  })

  test('[RWC-01] a room that the service did not create throws a sentence with the fix', () => {
    assert.throws(() => new Arena(), {
      message: 'Only the service creates rooms. To test the class, use createTestRoom of @svc/sdk/room/test.',
    })
    const room = startProcess()
    CODE.set('creates', () => new Arena())
    room.open()
    room.send(join('a'))
    assert.deepEqual(payloadOf(room.send(['ask', 1, 'a', null, 'runs', 'creates']), 'error'), {
      code: 'room_error',
    })
  })

  test('the limits are those of the contract', () => {
    assert.deepEqual(
      [
        STATE_BYTES_MAX,
        OWN_BYTES_MAX,
        SAVED_BYTES_MAX,
        METADATA_BYTES_MAX,
        TURN_MESSAGES_MAX,
        TURN_BYTES_MAX,
      ],
      [
        LIMITS.roomStateBytesMax,
        LIMITS.playerStateBytesMax,
        LIMITS.roomSavedBytesMax,
        LIMITS.roomMetadataBytesMax,
        LIMITS.roomTurnMessagesMax,
        LIMITS.roomTurnBytesMax,
      ],
    )
    assert.deepEqual(
      [TICK_RATE_MAX, PROMISE_TIMEOUT_MS, TYPE_LENGTH_MAX],
      [LIMITS.roomTicksPerSecondMax, LIMITS.roomPromiseTimeoutMs, LIMITS.messageTypeLengthMax],
    )
  })
})

describe('rooms with code: turns', () => {
  let room: ReturnType<typeof startProcess>
  beforeEach(() => {
    room = startProcess()
    CODE.clear()
  })

  test('[RWC-02] the answer has the states first, then everything else in the order of the code', () => {
    CODE.set('acts', (arena) => {
      arena.send('hello', { to: 'all' })
      arena.state.left = 5
      arena.own('a').coins = 9
      arena.send('secret', 1, ['a'])
      arena.kick('b', 'slow')
      arena.lock()
      arena.setMetadata({ map: 'ice' })
      arena.wakeAt(5_000)
      arena.end({ winner: 'a' })
      arena.end({ winner: 'b' })
      // Not sent: the room has ended.
      arena.send('too late')
      arena.kick('b')
    })
    assert.deepEqual(room.open(), [
      { kind: 'sync', target: '', payload: { balls: {}, left: 60_000, map: { walls: [1, 2] } } },
      { kind: 'opened', target: '', payload: { tickRate: 20 } },
    ])
    room.send(join('a'), join('b'))
    assert.deepEqual(room.send(['in', 'a', 7, 'runs', 'acts'], ['tick', 1]), [
      { kind: 'sync', target: '', payload: { left: -45 } },
      { kind: 'own', target: 'a', payload: { coins: 9 } },
      { kind: 'acks', target: '', payload: { a: 7 } },
      { kind: 'msg', target: '*', payload: { type: 'hello', data: { to: 'all' } } },
      { kind: 'msg', target: ['a'], payload: { type: 'secret', data: 1 } },
      { kind: 'kick', target: 'b', payload: 'slow' },
      { kind: 'lock', target: '', payload: true },
      { kind: 'meta', target: '', payload: { map: 'ice' } },
      { kind: 'wake', target: '', payload: 5_000 },
      { kind: 'end', target: '', payload: { winner: 'a' } },
    ])
    assert.deepEqual(room.send(), [])
  })

  test('[RWC-02] a batch is answered room by room in its order, also for rooms that are not open', () => {
    const open = (id: string) => ['open', 'Arena', null, infoOf(id), id]
    const text = room.handle(['r2', [open('r2')]], ['r1', [open('r1'), join('a')]], ['r3', [['tick', 1]]])
    const answers = readAnswer(text)
    assert.deepEqual(
      answers.map(({ roomId, turn, effects }) => [roomId, turn, kindsOf(effects)]),
      [
        ['r2', 1, ['sync', 'opened']],
        ['r1', 2, ['sync', 'own', 'opened', 'joined']],
        ['r3', 3, ['failed']],
      ],
    )
    assert.deepEqual(room.send(['close']), [])
    assert.deepEqual(room.send(['close']), [])
    assert.throws(() => room.handle(...([1] as never[])))
  })

  test('[RWC-03] a join is answered with the views after the turn, and refused by a Refusal or an error', () => {
    room.open()
    const effects = room.send(join('a'), join('refused'), join('broken'), [
      'in',
      'a',
      null,
      'move',
      { dx: 4 },
    ])
    assert.deepEqual(payloadOf(effects, 'joined'), {
      state: { balls: { a: { x: 4, y: 0 } }, left: 60_000, map: { walls: [1, 2] } },
      own: { coins: 3 },
    })
    assert.deepEqual(
      effects.filter(({ kind }) => kind === 'refused' || kind === 'threw'),
      [
        { kind: 'refused', target: 'refused', payload: { reason: 'the game has begun' } },
        { kind: 'threw', target: '', payload: { message: 'a bug in onJoin' } },
        { kind: 'refused', target: 'broken', payload: { error: true } },
      ],
    )
    CODE.set('players', (arena) => arena.players.map(({ id, connected }) => [id, connected]))
    const players = () => payloadOf(room.send(['ask', 1, 'a', null, 'runs', 'players']), 'reply')
    assert.deepEqual(players(), [['a', true]])
    room.send(join('b'), ['drop', 'b'], ['rename', 'a', 'Ada'])
    assert.deepEqual(players(), [
      ['a', true],
      ['b', false],
    ])
    assert.deepEqual(payloadOf(room.send(['leave', 'b', 'left']), 'sync'), { balls: { b: null } })
  })

  test('[RWC-03] a player who leaves before onJoin has returned is not joined, and onLeave follows', async () => {
    const calls: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    class Slow extends Arena {
      override onJoin(): Promise<void> {
        return promise
      }
      override onLeave() {
        calls.push('left')
      }
    }
    const slow = startProcess({ classes: { Slow } })
    slow.open('Slow')
    assert.deepEqual(kindsOf(slow.send(join('a'))), [])
    slow.send(['leave', 'a', 'timeout'])
    assert.deepEqual(calls, [])
    resolve()
    assert.deepEqual(kindsOf(await slow.later()), [])
    assert.deepEqual(calls, ['left'])
  })

  test('[RWC-04] a call is answered with what its handler returns, throws or refuses', async () => {
    room.open()
    room.send(join('a'))
    const ask = (askId: number, type: string, data: unknown = null) => ['ask', askId, 'a', null, type, data]
    const effects = room.send(
      ask(1, 'spend'),
      ask(2, 'fails'),
      ask(3, 'refuses'),
      ask(4, 'nothing'),
      ask(5, 'toString'),
      ask(6, 'later', { value: 8 }),
      ask(7, 'failsLater'),
      ['msg', 8, 'echo', [1]],
      ['msg', 9, 'other', null],
      ['in', 'a', null, '__proto__', null],
    )
    const answers = (all: typeof effects) =>
      all
        .filter(({ kind }) => kind === 'reply' || kind === 'error')
        .map(({ target, payload }) => [target, payload])
    assert.deepEqual(answers(effects), [
      [1, { coins: 2 }],
      [2, { code: 'room_error' }],
      [3, { code: 'room_error', reason: 'too expensive' }],
      [4, { code: 'invalid_request' }],
      [5, { code: 'invalid_request' }],
      [8, { data: [1] }],
      [9, { code: 'room_error', reason: 'only echo' }],
    ])
    assert.deepEqual(payloadOf(effects, 'unknown'), { type: '__proto__' })
    const late = await room.later()
    assert.deepEqual(payloadOf(late, 'sync'), { left: 8 })
    assert.deepEqual(payloadOf(late, 'own'), { log: ['later'] })
    assert.deepEqual(answers(late), [
      [6, 8],
      [7, { code: 'room_error' }],
    ])
    assert.deepEqual(
      room.errors.map((error) => (error as Error).message),
      ['a bug in a handler', 'a bug after an await'],
    )
  })

  test('[RWC-04] a call whose promise does not settle ends after 10 s, and a later result is dropped', async () => {
    room.open()
    room.send(join('a'))
    let resolve: (value: unknown) => void = () => {}
    CODE.set('waits', () => new Promise((done) => (resolve = done)))
    room.send(['ask', 1, 'a', null, 'runs', 'waits'])
    room.advance(PROMISE_TIMEOUT_MS - 1)
    assert.deepEqual(kindsOf(room.send()), [])
    room.advance(1)
    assert.deepEqual(room.send(), [{ kind: 'error', target: 1, payload: { code: 'room_error' } }])
    resolve('too late')
    assert.deepEqual(await room.later(), [])
  })

  test('[RWC-04] what promises of several rooms change leaves in one message with turn -1', async () => {
    const open = (id: string) => ['open', 'Arena', null, infoOf(id), id]
    room.handle(['r1', [open('r1'), join('a')]], ['r2', [open('r2'), join('b')]])
    const later = (id: string) => ['in', id, null, 'later', { value: 1 }]
    room.handle(['r1', [later('a')]], ['r2', [later('b')]])
    await new Promise((resolve) => setTimeout(resolve))
    assert.equal(room.texts.length, 1)
    assert.deepEqual(
      readAnswer(room.texts[0] ?? '').map(({ roomId, turn }) => [roomId, turn]),
      [
        ['r1', -1],
        ['r2', -1],
      ],
    )
  })

  test('[RWC-05] a room whose onCreate throws, or whose class is missing, fails', async () => {
    assert.deepEqual(room.open('Arena', { fails: true }), [
      { kind: 'failed', target: '', payload: { message: 'no arena today' } },
    ])
    assert.deepEqual(room.open('Nothing'), [
      { kind: 'failed', target: '', payload: { message: 'The code exports no room class Nothing.' } },
    ])
    const { promise, reject } = Promise.withResolvers<void>()
    class Late extends Arena {
      override onCreate() {
        this.send('early', 1)
        return promise
      }
    }
    const late = startProcess({ classes: { Late } })
    assert.deepEqual(kindsOf(late.open('Late')), ['msg'])
    reject(new Error('no database'))
    assert.deepEqual(await late.later(), [
      { kind: 'failed', target: '', payload: { message: 'no database' } },
    ])
    assert.deepEqual(kindsOf(late.send(['tick', 1])), ['failed'])
  })

  test('[RWC-05] nothing of a closed room is sent, whatever its code still does', async () => {
    room.open()
    room.send(join('a'))
    const { promise, resolve } = Promise.withResolvers<void>()
    CODE.set('goesOn', async (arena) => {
      await promise
      arena.send('still', 'here')
      arena.touch('map')
      arena.end(1)
    })
    room.send(['in', 'a', null, 'runs', 'goesOn'])
    assert.deepEqual(room.send(['close']), [])
    resolve()
    assert.deepEqual(await room.later(), [])
  })

  test('[RWC-06] a room continues from its snapshot: state, own states, what save returned, random numbers', () => {
    CODE.set('random', (arena) => [
      arena.random(),
      arena.random(),
      arena.tick,
      arena.seen,
      arena.players.length,
    ])
    room.open()
    room.send(join('a'), join('b'), ['tick', 41], ['in', 'a', null, 'spend', null])
    const snapshot = payloadOf(room.send(['snap']), 'snap') as Record<string, unknown>
    assert.deepEqual(
      { ...snapshot, random: null },
      {
        state: { balls: { a: { x: 0, y: 0 }, b: { x: 0, y: 0 } }, left: 59_950, map: { walls: [1, 2] } },
        own: { a: { coins: 2 }, b: { coins: 3 } },
        saved: { seen: ['a', 'b'] },
        random: null,
        tick: 41,
        wakeAt: null,
      },
    )
    const expected = payloadOf(room.send(['ask', 1, 'a', null, 'runs', 'random']), 'reply')

    const other = startProcess()
    const players = ['a', 'b'].map((id) => ({ id, displayName: id, connected: false }))
    const restored = other.send(['restore', 'Arena', null, infoOf('r1'), snapshot, players], ['view', 'a'])
    assert.deepEqual(restored, [
      { kind: 'opened', target: '', payload: { tickRate: 20 } },
      { kind: 'view', target: 'a', payload: { state: snapshot['state'], own: { coins: 2 } } },
    ])
    assert.deepEqual(payloadOf(other.send(['ask', 1, 'a', null, 'runs', 'random']), 'reply'), expected)
    assert.deepEqual(payloadOf(other.send(['inspect', 2]), 'reply'), {
      tick: 41,
      stateBytes: Buffer.byteLength(JSON.stringify(snapshot['state'])),
      state: snapshot['state'],
      own: snapshot['own'],
    })
  })

  test('[RWC-06] save at its limit is stored, one byte more is not', () => {
    class Saves extends Arena {
      override save() {
        return 'x'.repeat(this.state.left)
      }
    }
    const saves = startProcess({ classes: { Saves } })
    saves.open('Saves')
    saves.send(join('a'), ['in', 'a', null, 'sets', { key: 'left', value: SAVED_BYTES_MAX - 2 }])
    assert.deepEqual(kindsOf(saves.send(['snap'])), ['snap'])
    const effects = saves.send(
      ['in', 'a', null, 'sets', { key: 'left', value: SAVED_BYTES_MAX - 1 }],
      ['snap'],
    )
    assert.deepEqual(kindsOf(effects), ['sync', 'threw'])
  })

  test('[RWC-07] messages and bytes of a turn, metadata and types have limits', () => {
    const outcome = (work: (arena: Arena) => unknown): string => {
      CODE.set('tries', (arena) => {
        work(arena)
        return 'ok'
      })
      const effects = room.send(['ask', 1, 'a', null, 'runs', 'tries'])
      if (payloadOf(effects, 'reply') === 'ok') return 'ok'
      return (payloadOf(effects, 'threw') as { message: string }).message
    }
    room.open()
    room.send(join('a'))
    const messages = (count: number, text: string) => (arena: Arena) => {
      for (let sent = 0; sent < count; sent++) arena.send('m', text)
    }
    assert.equal(outcome(messages(256, '')), 'ok')
    assert.match(outcome(messages(257, '')), /256 messages in one turn/)
    assert.equal(outcome(messages(3, 'x'.repeat(80_000))), 'ok')
    assert.match(outcome(messages(4, 'x'.repeat(80_000))), /256 KB in one turn/)
    assert.equal(
      outcome((arena) => arena.setMetadata('x'.repeat(4_094))),
      'ok',
    )
    assert.match(
      outcome((arena) => arena.setMetadata('x'.repeat(4_095))),
      /4097 bytes/,
    )
    assert.equal(
      outcome((arena) => arena.send('x'.repeat(64))),
      'ok',
    )
    for (const type of ['', 'x'.repeat(65), 5])
      assert.match(
        outcome((arena) => arena.send(type as string)),
        /1 to 64 characters/,
      )
    for (const at of [Number.NaN, Infinity, new Date(Number.NaN)])
      assert.match(
        outcome((arena) => arena.wakeAt(at)),
        /wakeAt takes a time/,
      )
    assert.match(
      outcome((arena) => arena.kick(undefined as never)),
      /Pass a player/,
    )
    assert.match(
      outcome((arena) => arena.send('m', 1n)),
      /BigInt/,
    )
  })
})
