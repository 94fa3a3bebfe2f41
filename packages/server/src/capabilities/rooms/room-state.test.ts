import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { LIMITS } from '@svc/contract/common/limits'
import * as fc from 'fast-check'

import { ApiError } from '../../platform/api-error.ts'
import { ODD_JSON } from '../../testing/json-text.ts'
import { type Patch, State } from './room-state.ts'

type Values = Record<string, unknown>

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function usedBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const patchOf = (values: Values): Patch =>
  Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])
const valueOf = (state: State) => JSON.parse(state.text) as Values

describe('the state of a room or a player', () => {
  test('[ROM-15] a patch replaces top-level keys, and null deletes one', () => {
    const state = new State(1_000)
    state.apply(patchOf({ a: 1, b: { deep: true, x: null }, 'c"': [null] }))
    state.apply(patchOf({ a: null, b: { other: 1 }, missing: null }))
    assert.deepEqual(valueOf(state), { b: { other: 1 }, 'c"': [null] })
    assert.equal(state.bytes, Buffer.byteLength(state.text))
  })

  test('[ROM-15] `__proto__` and `constructor` are ordinary keys', () => {
    const state = new State(1_000)
    state.apply(['constructor', 'toString', '__proto__', '\0', '\ud800'].map((key) => [key, '1']))
    const text = '{"constructor":1,"toString":1,"__proto__":1,"\\u0000":1,"\\ud800":1}'
    assert.equal(state.text, text)
    assert.equal(state.bytes, text.length)
    assert.equal(new State(1_000, state.entries).text, text)
  })

  test('[ROM-15] values are stored as their JSON texts', () => {
    const members = ODD_JSON.map((text, i): [string, string] => [String(i), text])
    const state = new State(10_000, members)
    assert.equal(state.text, `{${members.map(([key, text]) => `"${key}":${text}`).join()}}`)
    assert.equal(new State(10_000, JSON.parse(JSON.stringify(state.entries))).text, state.text)
  })

  test('[ROM-15] its JSON text has a maximum size; a rejected patch changes nothing', () => {
    const state = new State(20, patchOf({ a: 'ä' }))
    const limit = { code: 'state_too_large', details: { limit: 20 } }
    // {"a":"ä","b":"1234"} has 21 bytes.
    assert.throws(() => state.apply(patchOf({ b: '1234' })), limit)
    assert.deepEqual(valueOf(state), { a: 'ä' })
    state.apply(patchOf({ b: '123' }))
    assert.equal(state.bytes, 20)
    assert.throws(() => state.apply(patchOf({ a: 'äx' })), limit)
    state.apply(patchOf({ a: null, b: '12345678' }))
    assert.deepEqual(valueOf(state), { b: '12345678' })
    // White space counts: it is a part of the text.
    assert.throws(() => state.apply([['b', `[${' '.repeat(13)}]`]]), limit)
  })

  test('a small value of a large frame does not keep the frame in memory', () => {
    const state = new State(LIMITS.roomStateBytesMax)
    const frame = () => JSON.stringify({ fill: 'x'.repeat(64 * 1024) })
    const before = usedBytes()
    for (let i = 0; i < 1_000; i++) {
      const text = `${frame()}"a key of some length ${i}":"a value of some length ${i}"`
      const [key = '', value = ''] = text.slice(text.lastIndexOf('"a key')).split(':')
      state.apply([[key.slice(1, -1), value]])
    }
    assert.ok(usedBytes() - before < 8 * 1024 * 1024)
  })

  test('[ROM-15] after random patches it equals a simple object', () => {
    const key = fc.constantFrom('a', 'b', 'ö"', 'long key', '')
    const patch = fc.dictionary(key, fc.oneof(fc.constant(null), fc.jsonValue()), { maxKeys: 4 })
    const property = fc.property(fc.array(patch, { maxLength: 20 }), fc.integer({ min: 2, max: 150 }), check)
    fc.assert(property, { numRuns: 500 })
  })
})

function check(patches: Values[], bytesMax: number) {
  const state = new State(bytesMax)
  let plain: Values = {}
  for (const patch of patches) {
    const merged = Object.entries({ ...plain, ...patch }).filter(([, value]) => value !== null)
    const next = Object.fromEntries(merged)
    const isRefused = bytesOf(next) > bytesMax
    if (!isRefused) plain = next
    assert.equal(
      refuses(() => state.apply(patchOf(patch))),
      isRefused,
    )
    assert.equal(
      JSON.stringify(sorted(valueOf(state))),
      JSON.stringify(sorted(JSON.parse(JSON.stringify(plain)))),
    )
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
