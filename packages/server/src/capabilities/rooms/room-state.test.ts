import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as fc from 'fast-check'

import { ApiError } from '../../platform/api-error.ts'
import { type Patch, State } from './room-state.ts'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('the state of a room or a player', () => {
  test('[ROM-15] a patch replaces top-level keys, and null deletes one', () => {
    const state = new State(1_000)
    state.apply({ a: 1, b: { deep: true, x: null }, 'c"': [null] })
    state.apply({ a: null, b: { other: 1 }, missing: null })
    assert.deepEqual(state.value, { b: { other: 1 }, 'c"': [null] })
    assert.equal(state.bytes, bytesOf(state.value))
  })

  test('[ROM-15] names of an object’s own machinery are keys like any other', () => {
    const state = new State(1_000)
    state.apply({ constructor: 1, toString: 2, hasOwnProperty: 3 })
    assert.equal(JSON.stringify(state.value), '{"constructor":1,"toString":2,"hasOwnProperty":3}')
  })

  test('[ROM-15] its JSON text has at most so many bytes; what is refused changes nothing', () => {
    const state = new State(20, { a: 'ä' })
    const limit = { code: 'state_too_large', details: { limit: 20 } }
    // {"a":"ä","b":"1234"} has 21 bytes.
    assert.throws(() => state.apply({ b: '1234' }), limit)
    assert.deepEqual(state.value, { a: 'ä' })
    state.apply({ b: '123' })
    assert.equal(state.bytes, 20)
    assert.throws(() => state.apply({ a: 'äx' }), limit)
    state.apply({ a: null, b: '12345678' })
    assert.deepEqual(state.value, { b: '12345678' })
  })

  test('[ROM-15] whatever patches come, it is what a plain object would be', () => {
    const key = fc.constantFrom('a', 'b', 'ö"', 'long key', '')
    const patch = fc.dictionary(key, fc.oneof(fc.constant(null), fc.jsonValue()), { maxKeys: 4 })
    const property = fc.property(fc.array(patch, { maxLength: 20 }), fc.integer({ min: 2, max: 150 }), check)
    fc.assert(property, { numRuns: 500 })
  })
})

function check(patches: Patch[], bytesMax: number) {
  const state = new State(bytesMax)
  let plain: Record<string, unknown> = {}
  for (const patch of patches) {
    const merged = Object.entries({ ...plain, ...patch }).filter(([, value]) => value !== null)
    const next = Object.fromEntries(merged)
    const isRefused = bytesOf(next) > bytesMax
    if (!isRefused) plain = next
    assert.equal(
      refuses(() => state.apply(patch)),
      isRefused,
    )
    assert.equal(JSON.stringify(sorted(state.value)), JSON.stringify(sorted(plain)))
    assert.equal(state.bytes, bytesOf(plain))
  }
}

const sorted = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))

function refuses(work: () => void): boolean {
  try {
    work()
    return false
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'state_too_large')
    return true
  }
}
