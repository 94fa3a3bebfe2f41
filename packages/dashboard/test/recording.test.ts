import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'

import fc from 'fast-check'

import { changesOf, mergePatch } from '../src/json-patch.ts'
import {
  activityOf,
  changesIn,
  momentAfter,
  namesIn,
  nextNotable,
  notableEvents,
  wordsOf,
} from '../src/pages/live/turns/recording.ts'
import { testFor } from '../src/pages/live/turns/test-file.ts'

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
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((count) => momentAfter(RECORDING, count)),
    [
      { state: { balls: { a: { x: 1 } }, left: 60 }, own: { a: { cards: [1, 2] } } },
      { state: { balls: { a: { x: 1 } }, left: 59 }, own: { a: { cards: [1, 2] } } },
      {
        state: { balls: { a: { x: 1 }, b: { x: 0 } }, left: 59 },
        own: { a: { cards: [1, 2] }, b: { cards: [3] } },
      },
      { state: { balls: { b: { x: 1 } }, left: 59 }, own: { a: { cards: [1, 2] }, b: { cards: [3] } } },
      { state: { balls: { b: { x: 1 } }, left: 59 }, own: { b: { cards: [3] } } },
    ],
  )
  assert.deepEqual(momentAfter({ start: null, turns: [turn(1, [], { a: 1 })] }, 1), {
    state: { a: 1 },
    own: {},
  })
})

test('[RWC-80] what a turn has changed is named with its value before and after', () => {
  const [, second, third] = RECORDING.turns
  assert.ok(second && third)
  assert.deepEqual(changesIn(momentAfter(RECORDING, 1), second), {
    state: [{ path: ['balls', 'b', 'x'], before: undefined, after: 0 }],
    own: { b: [{ path: ['cards'], before: undefined, after: [3] }] },
  })
  assert.deepEqual(changesIn(momentAfter(RECORDING, 2), third), {
    state: [
      { path: ['balls', 'b', 'x'], before: 0, after: 1 },
      { path: ['balls', 'a'], before: { x: 1 }, after: undefined },
    ],
    own: {},
  })
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

test('[RWC-80] the next turn with events skips ticks, and activity counts events and errors', () => {
  assert.deepEqual(
    [nextNotable(RECORDING, 0, 1), nextNotable(RECORDING, 2, 1), nextNotable(RECORDING, 3, 1)],
    [2, 3, 3],
  )
  assert.deepEqual([nextNotable(RECORDING, 4, -1), nextNotable(RECORDING, 2, -1)], [3, 2])
  assert.deepEqual(activityOf(RECORDING, 10).groups, [
    { events: 0, errors: 0 },
    { events: 1, errors: 0 },
    { events: 1, errors: 1 },
    { events: 0, errors: 0 },
  ])
  assert.deepEqual(activityOf(RECORDING, 2), {
    groups: [
      { events: 1, errors: 0 },
      { events: 1, errors: 1 },
    ],
    turnsPerGroup: 2,
  })
  assert.deepEqual(activityOf({ turns: [] }, 5).groups, [])
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
      const changes = changesOf(before, patch)
      const after = mergePatch(before, patch)
      const inside = (value: unknown, key: string): unknown =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined
      const valueAt = (value: unknown, path: readonly string[]) => path.reduce(inside, value)
      if (changes.length === 0) assert.equal(JSON.stringify(after), JSON.stringify(before))
      for (const { path, before: from, after: to } of changes) {
        assert.notEqual(JSON.stringify(from), JSON.stringify(to))
        assert.equal(JSON.stringify(valueAt(after, path)), JSON.stringify(to))
      }
    }),
  )
})
