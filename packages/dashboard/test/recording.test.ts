import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'

import fc from 'fast-check'

import { changesBetween, mergePatch } from '../src/json-patch.ts'
import { changesFrom, createMoments } from '../src/pages/live/turns/recording.ts'
import {
  activityIn,
  createFind,
  groupsOf,
  markedTurns,
  nextStop,
  sumOf,
} from '../src/pages/live/turns/stops.ts'
import { testFor } from '../src/pages/live/turns/test-file.ts'
import { namesIn, notableEvents, wordsOf } from '../src/pages/live/turns/turn-words.ts'

const SNAPSHOT = {
  random: 1,
  tick: 6,
  wakeAt: null,
  options: null,
  info: {},
  players: [{ id: 'a', displayName: 'Ada', connected: true }],
}
const RECORDING = {
  start: {
    state: { balls: { a: { x: 1 } }, left: 60 },
    own: { a: { cards: [1, 2] } },
    saved: { deck: [9] },
    ...SNAPSHOT,
  },
  turns: [
    turn(1, [['tick', 7]], { left: 59 }),
    turn(2, [['join', { id: 'b', displayName: 'Bob' }]], { balls: { b: { x: 0 } } }, { b: { cards: [3] } }),
    turn(
      3,
      [
        ['in', 'b', 4, 'move', { dx: 1 }],
        ['tick', 8],
      ],
      { balls: { b: { x: 1 }, a: null } },
      {},
      ['no ball'],
    ),
    turn(-1, [], null, { a: null }),
  ],
}

function turn(
  turn: number,
  events: unknown[],
  patch: Record<string, unknown> | null,
  own = {},
  errors: string[] = [],
) {
  return { turn, tick: 8, at: 1_000 * turn, events, patch, own, errors }
}

test('[RWC-80] the state after each turn is the start with all patches up to it', () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(createMoments(RECORDING)), [
    { state: { balls: { a: { x: 1 } }, left: 60 }, own: { a: { cards: [1, 2] } } },
    { state: { balls: { a: { x: 1 } }, left: 59 }, own: { a: { cards: [1, 2] } } },
    {
      state: { balls: { a: { x: 1 }, b: { x: 0 } }, left: 59 },
      own: { a: { cards: [1, 2] }, b: { cards: [3] } },
    },
    { state: { balls: { b: { x: 1 } }, left: 59 }, own: { a: { cards: [1, 2] }, b: { cards: [3] } } },
    { state: { balls: { b: { x: 1 } }, left: 59 }, own: { b: { cards: [3] } } },
  ])
  assert.deepEqual(createMoments({ start: null, turns: [turn(1, [], { a: 1 })] })(1), {
    state: { a: 1 },
    own: {},
  })
})

test('[RWC-80] the state after a turn is the same whichever turns were read before', () => {
  const turns = Array.from({ length: 170 }, (_, at) =>
    turn(at + 1, [], { count: at + 1, [`k${at % 7}`]: at }),
  )
  const momentAfter = createMoments({ start: null, turns })
  for (const count of [170, 3, 50, 51, 99, 100, 101, 0, 149, 170])
    assert.deepEqual(momentAfter(count), createMoments({ start: null, turns })(count), `${count}`)
  assert.equal((momentAfter(101).state as { count: number }).count, 101)
})

test('[RWC-80] what a turn has changed is named with its value before and after', () => {
  const momentAfter = createMoments(RECORDING)
  assert.deepEqual(changesFrom(momentAfter(1), momentAfter(2)), {
    state: [{ path: ['balls', 'b'], before: undefined, after: { x: 0 } }],
    own: { b: [{ path: [], before: undefined, after: { cards: [3] } }] },
  })
  assert.deepEqual(changesFrom(momentAfter(2), momentAfter(3)), {
    state: [
      { path: ['balls', 'a'], before: { x: 1 }, after: undefined },
      { path: ['balls', 'b', 'x'], before: 0, after: 1 },
    ],
    own: {},
  })
})

test('[RWC-108] of a list the items that changed are named, unless they have moved', () => {
  const change = (path: string[], before: unknown, after: unknown) => ({ path, before, after })
  assert.deepEqual(changesBetween([1, 2, { x: 1 }], [1, 3, { x: 2 }]), [
    change(['1'], 2, 3),
    change(['2', 'x'], 1, 2),
  ])
  assert.deepEqual(changesBetween([1, 2], [1, 2, 3]), [change(['2'], undefined, 3)])
  assert.deepEqual(changesBetween([1, 2, 3], [1, 2]), [change(['2'], 3, undefined)])
  assert.deepEqual(changesBetween({ a: [1, 2, 3] }, { a: [2, 3] }), [change(['a'], [1, 2, 3], [2, 3])])
  assert.deepEqual(changesBetween([1], { 0: 1 }), [change([], [1], { 0: 1 })])
})

test('[RWC-80] events have words, and names come from the recording', () => {
  assert.deepEqual(
    [...namesIn(RECORDING)],
    [
      ['a', 'Ada'],
      ['b', 'Bob'],
    ],
  )
  assert.deepEqual(RECORDING.turns.flatMap(notableEvents).map(wordsOf), [
    { playerId: 'b', text: 'joined' },
    { playerId: 'b', text: 'sent', type: 'move', data: { dx: 1 } },
  ])
  assert.deepEqual(
    [
      ['leave', 'a', 'timeout'],
      ['ask', 'q1', 'a', null, 'buy', { item: 2 }],
      ['msg', 'q2', 'announce', null],
      ['open', 'Arena', { size: 3 }, {}, 'seed'],
      ['something new', 1],
      'no event',
    ].map(wordsOf),
    [
      { playerId: 'a', text: 'was away too long' },
      { playerId: 'a', text: 'asked', type: 'buy', data: { item: 2 } },
      { playerId: null, text: 'Your server sent', type: 'announce' },
      { playerId: null, text: 'The room was opened', data: { size: 3 } },
      { playerId: null, text: '["something new",1]' },
      { playerId: null, text: '"no event"' },
    ],
  )
})

test('[RWC-108] jumps stop at errors, joins and leaves, not at ticks and messages', () => {
  const turns = [...RECORDING.turns, turn(4, [['in', 'b', 5, 'move', {}]], {})]
  const stops = markedTurns(turns.map(activityIn))
  assert.deepEqual(stops, [2, 3])
  assert.deepEqual([nextStop(stops, 0, 1), nextStop(stops, 2, 1), nextStop(stops, 3, 1)], [2, 3, undefined])
  assert.deepEqual([nextStop(stops, 5, -1), nextStop(stops, 2, -1)], [3, undefined])
})

test('[RWC-108] turns are found by what came in, by players, by what changed, and by errors', () => {
  const find = createFind(RECORDING, namesIn(RECORDING))
  assert.deepEqual(
    ['JOINED', 'bob', 'move', 'dx', 'balls.bob.x', 'left', 'error', 'no ball', 'balls.a', 'nothing'].map(
      find,
    ),
    [[2], [2, 3], [3], [3], [3], [1], [3], [3], [3], []],
  )
})

test('[RWC-108] over time, turns are counted in groups; a group leads to its error', () => {
  const activities = RECORDING.turns.map(activityIn)
  assert.deepEqual(sumOf(activities), { messages: 1, others: 1, errors: 1 })
  assert.deepEqual(groupsOf(activities, [2, 3], 10).groups[2], {
    messages: 1,
    others: 0,
    errors: 1,
    isStop: true,
    first: 3,
  })
  const four = Array.from({ length: 4 }, () => ({ messages: 1, others: 0, errors: 0 }))
  const { groups, turnsPerGroup } = groupsOf([...four, { messages: 0, others: 0, errors: 1 }], [4], 2)
  assert.equal(turnsPerGroup, 3)
  assert.deepEqual(
    groups.map(({ first, isStop, messages }) => ({ first, isStop, messages })),
    [
      { first: 1, isStop: false, messages: 3 },
      { first: 5, isStop: true, messages: 1 },
    ],
  )
  assert.deepEqual(groupsOf([], [], 5).groups, [])
})

test('[RWC-81] a recording becomes a test that replays it', () => {
  const recording = { ...RECORDING, roomId: 'rom_01KD/../x9', className: 'Arena', version: 3, tickRate: 20 }
  const { recordingName, testName, text } = testFor(recording)
  assert.deepEqual([recordingName, testName], ['arena-1kd-x9.json', 'arena-1kd-x9.test.ts'])
  assert.match(text, /import \{ replay \} from '@svc\/sdk\/room\/test'/)
  assert.match(text, /import recording from '\.\/arena-1kd-x9\.json' with \{ type: 'json' \}/)
  assert.match(text, /replay\(Arena, recording\)/)
  assert.doesNotThrow(() => stripTypeScriptTypes(text))
})

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(0, 1, 'a', true, null, [1, null], []),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), json, { maxKeys: 3 })

/** RFC 7396, with null in the target like a missing key. */
function modelMerge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target)
  const merged = new Map<string, unknown>(isMap ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key)
    else merged.set(key, modelMerge(merged.get(key), value))
  return Object.fromEntries(merged)
}

test('[RWC-80] merging follows RFC 7396 for any value, and changes neither of its arguments', () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch])
      assert.equal(JSON.stringify(mergePatch(target, patch)), JSON.stringify(modelMerge(target, patch)))
      assert.equal(JSON.stringify([target, patch]), before)
    }),
  )
})

test('[RWC-80] without changes the merged value is the same, and every change is one', () => {
  fc.assert(
    fc.property(object, object, (patchBefore, patch) => {
      const before = mergePatch({}, patchBefore)
      const after = mergePatch(before, patch)
      const changes = changesBetween(before, after)
      const inside = (value: unknown, key: string): unknown =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined
      const valueAt = (value: unknown, path: readonly string[]) => path.reduce(inside, value)
      if (changes.length === 0) assert.equal(JSON.stringify(after), JSON.stringify(before))
      for (const { path, before: from, after: to } of changes) {
        assert.notEqual(JSON.stringify(from), JSON.stringify(to))
        assert.equal(JSON.stringify(valueAt(before, path)), JSON.stringify(from))
        assert.equal(JSON.stringify(valueAt(after, path)), JSON.stringify(to))
      }
    }),
  )
})
