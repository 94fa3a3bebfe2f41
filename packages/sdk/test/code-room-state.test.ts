import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { runs } from '../../server/src/testing/runs.ts'
import { become, copyOf, merge } from '../src/code-rooms/merge.ts'
import type { State } from '../src/realtime/patches.ts'
import { TrackedState } from '../src/room/state-diff.ts'

const KEYS = ['a', 'b', 'c', '__proto__', 'constructor']
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer({ min: -2, max: 2 }),
    fc.boolean(),
    fc.constantFrom('', 'x'),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 4 })
    .map((members) => Object.fromEntries(members) as State),
}))
const states = json.object as fc.Arbitrary<State>

test('[RWC-60] a merge patch merges objects, deletes with null and replaces everything else', () => {
  const ball = { x: 1, y: 2 }
  const state: State = { balls: { a: ball, b: { x: 5 } }, left: 60, list: [1, 2], name: 'one' }
  merge(state, { balls: { a: { x: 3 }, b: null, c: { x: 0, y: null } }, list: [3], name: { first: 'two' } })
  assert.deepEqual(state, {
    balls: { a: { x: 3, y: 2 }, c: { x: 0 } },
    left: 60,
    list: [3],
    name: { first: 'two' },
  })
  assert.equal((state['balls'] as State)['a'], ball, 'an object that is merged stays the same object')
})

test('[RWC-60] no key of a patch reaches a prototype', () => {
  const state: State = {}
  merge(state, JSON.parse('{ "__proto__": { "isAdmin": true }, "a": { "__proto__": { "isAdmin": true } } }'))
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
  assert.deepEqual(Object.keys(state), ['__proto__', 'a'])
  merge(state, JSON.parse('{ "constructor": { "prototype": { "isAdmin": true } } }'))
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
})

test('[RWC-60] merging what the room has found turns every state into the next', () => {
  fc.assert(
    fc.property(fc.array(states, { minLength: 1, maxLength: 6 }), (wanted) => {
      const tracked = new TrackedState('state', 65_536)
      const received: State = {}
      for (const state of wanted) {
        const patch = tracked.take(copyOf(state))
        if (patch !== '') merge(received, JSON.parse(patch))
        assert.deepEqual(received, JSON.parse(JSON.stringify(state)))
      }
    }),
    { numRuns: runs(300, 20_000) },
  )
})

test('a state becomes another one without sharing anything with it', () => {
  fc.assert(
    fc.property(states, states, (from, to) => {
      const [state, before] = [copyOf(from) as State, JSON.stringify(to)]
      become(state, to)
      assert.deepEqual(state, to)
      merge(state, { a: { deep: { x: 1 } }, b: { c: 1 } })
      for (const value of Object.values(state)) if (Array.isArray(value)) value.push('mine')
      assert.equal(JSON.stringify(to), before)
    }),
    { numRuns: runs(300, 20_000) },
  )
})
