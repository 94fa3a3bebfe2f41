import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join as path } from 'node:path'
import { beforeEach, describe, test } from 'node:test'

import fc from 'fast-check'

import { runs } from '../../server/src/testing/runs.ts'
import { merge } from '../src/code-rooms/merge.ts'
import { TrackedState } from '../src/room/state-diff.ts'
import { type Arena, CODE, join, kindsOf, payloadOf, startProcess } from './room-fixtures.ts'

describe('the state of a room with code', () => {
  let room: ReturnType<typeof startProcess>
  const change = (work: (arena: Arena) => unknown) => {
    CODE.set('changes', work)
    return room.send(['in', 'a', null, 'runs', 'changes'])
  }
  beforeEach(() => {
    CODE.clear()
    room = startProcess()
    room.open()
    room.send(join('a'))
  })

  const cycle: Record<string, unknown> = { a: {} }
  ;(cycle['a'] as Record<string, unknown>)['b'] = cycle
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < 70; level++) deep = { deep }
  const broken = {
    get value() {
      throw new Error('a getter')
    },
  }
  const unsendable: [value: unknown, message: RegExp][] = [
    [Number.NaN, /^state\.bad is NaN, which JSON does not have$/],
    [Infinity, /^state\.bad is Infinity/],
    [1n, /^state\.bad is a bigint/],
    [() => 1, /^state\.bad is a function/],
    [Symbol('x'), /^state\.bad is a symbol/],
    [cycle, /^state\.bad\.a\.b contains itself$/],
    [[1, [2, undefined]], /^state\.bad\.1\.1 is undefined: use null in an array$/],
    [Array.from({ length: 2 }), /^state\.bad\.0 is undefined/],
    [new Date(0), /^state\.bad is of the class Date: use a plain object/],
    [new Map(), /^state\.bad is of the class Map/],
    [{ inner: new (class Ball {})() }, /^state\.bad\.inner is of the class Ball/],
    [{ toJSON: () => 1 }, /^state\.bad\.toJSON is a function/],
    [deep, /nested more than 64 levels deep$/],
    [broken, /^state\.bad\.value cannot be read: a getter$/],
    [
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('a proxy')
          },
        },
      ),
      /^state\.bad cannot be read: a proxy$/,
    ],
    ['x'.repeat(65_536), /^state has \d+ bytes as JSON, the maximum is 65536$/],
  ]
  for (const [value, message] of unsendable)
    test(`[RWC-08] a state that cannot be sent is not sent until it is repaired, and players keep the last one: ${message.source.slice(0, 40)}`, () => {
      const effects = change((arena) => Object.assign(arena.state, { left: 1, bad: value }))
      assert.deepEqual(kindsOf(effects), ['threw'])
      assert.match((payloadOf(effects, 'threw') as { message: string }).message, message)

      assert.deepEqual(kindsOf(room.send(['tick', 1])), [], 'a problem is reported once')
      const view = payloadOf(room.send(['view', 'a']), 'view') as { state: Record<string, unknown> }
      assert.equal(view.state['left'], 60_000)
      assert.ok(!('bad' in view.state))

      const repaired = change((arena) => Object.assign(arena.state, { bad: undefined }))
      assert.deepEqual(payloadOf(repaired, 'sync'), { left: -49 })
      assert.deepEqual(kindsOf(change((arena) => Object.assign(arena.state, { bad: value }))), ['threw'])
    })

  test('[RWC-08] an own state that cannot be sent holds nothing else back', () => {
    const effects = change((arena) => {
      arena.state.left = 5
      Object.assign(arena.own('a'), { coins: Number.NaN })
    })
    assert.deepEqual(kindsOf(effects), ['sync', 'threw'])
    assert.match((payloadOf(effects, 'threw') as { message: string }).message, /^own\(a\)\.coins is NaN/)
    assert.deepEqual(
      payloadOf(
        change((arena) => (arena.own('a').coins = 8)),
        'own',
      ),
      { coins: 8 },
    )
    assert.match(
      String(
        (
          payloadOf(
            change((arena) => (arena.state = 5 as never)),
            'threw',
          ) as { message: string }
        ).message,
      ),
      /^state is 5, not an object$/,
    )
  })

  test('[RWC-08] state and own state at their limits are sent, one byte more is not', () => {
    const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
    for (const [bytesMax, name] of [
      [65_536, 'state'],
      [16_384, 'own'],
    ] as const) {
      const tracked = new TrackedState(name, bytesMax)
      assert.throws(
        () => tracked.take(sized(bytesMax + 1)),
        new RegExp(`^Error: ${name} has ${bytesMax + 1} bytes`),
      )
      assert.equal(tracked.text, '{}')
      assert.equal(tracked.take(sized(bytesMax)).length, bytesMax)
      // Bytes of UTF-8 count; small changes are summed up.
      const umlauts = new TrackedState(name, bytesMax)
      const state: Record<string, string> = {}
      assert.throws(() => {
        for (let at = 0; at < bytesMax; at++) {
          state[`key${at}`] = 'ä'.repeat(100)
          umlauts.take(state)
        }
      }, /bytes as JSON/)
      assert.ok(Buffer.byteLength(umlauts.text) <= bytesMax)
      assert.ok(Buffer.byteLength(umlauts.text) > bytesMax - 300)
    }
  })

  test('[RWC-08] keys of still are compared only after touch, but appear and disappear', () => {
    const map = (arena: Arena) => arena.state.map as { walls: number[] }
    assert.deepEqual(
      payloadOf(
        change((arena) => map(arena).walls.push(3)),
        'sync',
      ),
      undefined,
    )
    const touched = change((arena) => arena.touch('map'))
    assert.deepEqual(payloadOf(touched, 'sync'), { map: { walls: [1, 2, 3] } })
    change((arena) => map(arena).walls.push(4))
    assert.deepEqual(
      payloadOf(
        change((arena) => delete arena.state.map),
        'sync',
      ),
      { map: null },
    )
    assert.deepEqual(
      payloadOf(
        change((arena) => (arena.state.map = { walls: [] })),
        'sync',
      ),
      { map: { walls: [] } },
    )
  })

  test('[RWC-08] a change outside of a turn is sent by touch', async () => {
    let arena: Arena | undefined
    change((one) => (arena = one))
    if (arena) arena.state.left = 7
    assert.deepEqual(await room.later(), [])
    arena?.touch('left')
    assert.deepEqual(payloadOf(await room.later(), 'sync'), { left: 7 })
  })

  test('[RWC-08] null counts as missing, and __proto__ is a key like any other', () => {
    const tracked = new TrackedState('state', 65_536)
    assert.equal(
      tracked.take({ a: null, b: undefined, c: { d: null }, e: [null, { f: null }] }),
      '{"c":{},"e":[null,{}]}',
    )
    assert.equal(tracked.take({ c: {}, e: [null, { f: null }] }), '')
    assert.equal(tracked.take({ c: null, e: [null, { f: null }] }), '{"c":null}')
    const tricky = JSON.parse('{"e":[null,{"f":null}],"__proto__":{"x":1},"constructor":1}') as object
    const patch = tracked.take(tricky)
    assert.equal(patch, '{"__proto__":{"x":1},"constructor":1}')
    const client: Record<string, unknown> = {}
    merge(client, JSON.parse(patch))
    assert.deepEqual(Object.keys(client), ['__proto__', 'constructor'])
    assert.equal(({} as Record<string, unknown>)['x'], undefined)
  })

  test('[RWC-08] the whole state has its keys in the order of the code, also if nothing else changed', () => {
    const tracked = new TrackedState('state', 65_536)
    tracked.take({ a: {}, b: {} })
    assert.equal(tracked.text, '{"a":{},"b":{}}')
    assert.equal(tracked.take({ b: {}, a: {} }), '')
    assert.equal(tracked.text, '{"b":{},"a":{}}')
    assert.throws(() => tracked.take({ a: {}, b: {}, c: Number.NaN }), /NaN/)
    assert.equal(tracked.text, '{"b":{},"a":{}}')
  })

  // Values that are easily confused, and few keys, so that they meet.
  const key = fc.constantFrom('a', 'b', 'c', '1', '__proto__', 'keys', 'values', 'isList')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(0, 1, -0, 1.5, '', '[]', '[1]', '{}', true, null, undefined),
      fc.array(
        fc.oneof(
          fc.constantFrom<unknown>(0, 1, '1', null),
          tie('value').filter((one) => one !== undefined),
        ),
        { maxLength: 3 },
      ),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(ownMembers),
    ),
  }))
  const steps = fc.array(fc.tuple(fc.array(key, { maxLength: 3 }), fc.boolean(), value), { maxLength: 6 })

  test('[RWC-08] after random changes the merged patches equal the state', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 8 }), (turns) => {
        const state = { a: {}, b: {} } as Record<string, unknown>
        const tracked = new TrackedState('state', 65_536)
        const client: Record<string, unknown> = {}
        for (const turn of turns) {
          for (const [keys, deletes, next] of turn) changeAt(state, keys, deletes, next)
          const patch = tracked.take(state)
          if (patch !== '') merge(client, JSON.parse(patch))
          assert.deepEqual(canonical(client), canonical(state))
          assert.deepEqual(canonical(JSON.parse(tracked.text)), canonical(state))
          assert.equal(tracked.take(state), '')
        }
      }),
      { numRuns: runs(300, 5_000) },
    )
  })

  test('[RWC-08] a state that cannot be sent in between changes nothing about what is sent afterwards', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, key), { maxLength: 8 }), (turns) => {
        const state = { a: {}, b: {} } as Record<string, unknown>
        const tracked = new TrackedState('state', 65_536)
        const client: Record<string, unknown> = {}
        for (const [turn, bad] of turns) {
          for (const [keys, deletes, next] of turn) changeAt(state, keys, deletes, next)
          const before = tracked.text
          const wrong = { ...state, last: { [bad]: { deep: Number.NaN } } }
          assert.throws(() => tracked.take(wrong), /NaN/)
          assert.equal(tracked.text, before)
          const patch = tracked.take(state)
          if (patch !== '') merge(client, JSON.parse(patch))
          assert.deepEqual(canonical(client), canonical(state))
        }
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test('[RWC-09] code that changes prototypes of the language breaks no message', () => {
    const program = path(import.meta.dirname, 'room-poisoned.ts')
    const output = execFileSync(process.execPath, ['--conditions=source', program], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(output), {
      kinds: ['sync', 'own', 'acks', 'joined', 'snap', 'msg', 'reply'],
      sync: { balls: { a: { x: 2 } } },
      late: ['sync', 'reply'],
      others: ['sync'],
    })
  })
})

function ownMembers(entries: [string, unknown][]): Record<string, unknown> {
  const members = {}
  for (const [name, member] of entries)
    Object.defineProperty(members, name, {
      value: member,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  return members
}

function changeAt(state: Record<string, unknown>, keys: readonly string[], deletes: boolean, next: unknown) {
  let at: object = state
  for (const name of keys.slice(0, -1)) {
    const inner: unknown = Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined
    if (typeof inner !== 'object' || inner === null) break
    at = inner
  }
  // A copy: the same object in two places is allowed, but a cycle is not.
  const value = structuredClone(next)
  if (Array.isArray(at)) {
    if (value !== undefined) at.push(value)
    return
  }
  const name = keys.at(-1) ?? 'a'
  if (deletes) delete (at as Record<string, unknown>)[name]
  else Object.defineProperty(at, name, { value, writable: true, enumerable: true, configurable: true })
}

/** As JSON with sorted keys, and without members that are null: those count as missing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.entries(value)
    .filter(([, member]) => member !== null && member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)])
}
