import assert from 'node:assert/strict'
import { test } from 'node:test'

import { apply, createPatchBuffer, difference, type Patch } from '../src/realtime/patches.ts'

/** On a slow machine two lines may be further apart than the patches are. */
const stopped = () => 1_000

test('a patch replaces top-level keys, and null deletes one', () => {
  const state = { a: 1, b: { c: 2 }, d: 3 }
  apply(state, { b: { e: 1 }, d: null, f: 4, never: null })
  assert.deepEqual(state, { a: 1, b: { e: 1 }, f: 4 })
})

test('no key reaches a prototype', () => {
  const state: Patch = {}
  apply(state, JSON.parse('{ "__proto__": { "isAdmin": true }, "constructor": 1 }'))
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
  assert.deepEqual(Object.keys(state), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(state), Object.prototype)
})

test('applying the difference turns one state into the other', () => {
  const [from, to] = [
    { a: 1, b: [1], gone: true },
    { a: 1, b: [2], c: 'new' },
  ]
  const patch = difference(from, to)
  assert.deepEqual(patch, { gone: null, b: [2], c: 'new' })
  apply(from, patch ?? {})
  assert.deepEqual(from, to)
  assert.equal(difference(from, to), undefined)
})

test('the first change is sent immediately, the following ones together', async () => {
  const sent: Patch[] = []
  const both = Promise.withResolvers<void>()
  const buffer = createPatchBuffer((patch) => sent.push(patch) === 2 && both.resolve(), stopped)
  buffer.add({ a: 1 })
  assert.deepEqual(sent, [{ a: 1 }])
  buffer.add({ a: 2, b: 1 })
  buffer.add({ a: 3 })
  assert.equal(sent.length, 1)
  await both.promise
  assert.deepEqual(sent, [{ a: 1 }, { a: 3, b: 1 }])
})

test('flush sends waiting changes, drop discards them', () => {
  const sent: Patch[] = []
  const buffer = createPatchBuffer((patch) => sent.push(patch), stopped)
  buffer.add({ a: 1 })
  buffer.add({ a: 2 })
  buffer.flush()
  buffer.flush()
  buffer.add({ a: 3 })
  buffer.drop()
  buffer.flush()
  assert.deepEqual(sent, [{ a: 1 }, { a: 2 }])
})

test('the difference uses own members only, with any names', () => {
  const state = JSON.parse('{ "constructor": 1 }')
  assert.deepEqual(difference(state, {}), { constructor: null })
  const patch = difference({}, JSON.parse('{ "__proto__": {}, "toString": 1 }'))
  assert.deepEqual(Object.keys(patch ?? {}), ['__proto__', 'toString'])
})

test('changes are sent in the background, where timers hardly run', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 1_000
  const sent: Patch[] = []
  const buffer = createPatchBuffer(
    (patch) => sent.push(patch),
    () => now,
  )
  buffer.add({ a: 1 })
  buffer.add({ a: 2 })
  assert.deepEqual(sent, [{ a: 1 }])
  now += 49
  buffer.add({ a: 3 })
  assert.deepEqual(sent, [{ a: 1 }])
  now += 1
  buffer.add({ a: 4 })
  assert.deepEqual(sent, [{ a: 1 }, { a: 4 }])
  // The clock was set back.
  now -= 60_000
  buffer.add({ a: 5 })
  assert.deepEqual(sent, [{ a: 1 }, { a: 4 }, { a: 5 }])
})
