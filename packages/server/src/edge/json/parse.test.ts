import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ODD_JSON } from '../../testing/json-text.ts'
import { parseJson } from './parse.ts'

const bytes = (text: string) => Buffer.from(text)

test('[GEN-06] all valid JSON is accepted, and no value changes', () => {
  for (const text of ODD_JSON) {
    const parsed = parseJson(bytes(text))
    assert.equal(parsed.text, text)
    assert.deepEqual(parsed.value, JSON.parse(text))
  }
})

test('[GEN-06] text that is not JSON answers invalid_json', () => {
  for (const text of ['', ' ', '{', '01', '"\u0000"', "'a'", '[1,]', 'NaN', '[1]x', '['.repeat(100_000)])
    assert.throws(() => parseJson(bytes(text)), { code: 'invalid_json' }, text.slice(0, 20))
})

test('[GEN-06] bytes that are not UTF-8 are rejected at any position', () => {
  for (const wrong of ['ff', 'c0af', 'eda080', 'e282', 'f4908080']) {
    const body = Buffer.concat([bytes('["a'), Buffer.from(wrong, 'hex'), bytes('b"]')])
    assert.throws(() => parseJson(body), { details: { reason: 'the body is not UTF-8' } }, wrong)
  }
})

test('a leading byte order mark is ignored', () => {
  assert.deepEqual(parseJson(bytes('\ufeff["a"]')), { text: '["a"]', value: ['a'] })
})
