import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseJson } from './json.ts'

const bytes = (text: string) => Buffer.from(text)
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const REFUSED: Record<string, string> = {
  'U+0000 in a string': '["a\\u0000b"]',
  'U+0000 in a key': '{"a\\u0000b":1}',
  'half of a surrogate pair': '["\\ud83d"]',
  'half of a surrogate pair in capitals': '["\\uD83D"]',
  'a key named __proto__': '{"a":{"__proto__":1}}',
  'a key that is __proto__ once it is read': '{"a":{"\\u005f_proto__":1}}',
  'an exponent that is too large': '[1e400]',
  'a negative one': '[-1E+400]',
  'a number of 309 digits': `[${'9'.repeat(309)}]`,
  'a long number with an exponent of one digit': `[${'9'.repeat(301)}e8]`,
  '65 levels of lists': nested(65),
  '65 levels of objects': `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
}

for (const [what, text] of Object.entries(REFUSED)) {
  test(`[GEN-06] ${what} is refused`, () => {
    assert.throws(() => parseJson(bytes(text)), { code: 'invalid_json' })
  })
}

const TAKEN: Record<string, string> = {
  '64 levels': nested(64),
  'a thousand lists side by side': `[${Array.from({ length: 1_000 }, () => '[]').join()}]`,
  'a whole surrogate pair': '["\\ud83d\\ude00"]',
  'an escaped backslash before u0000': '["\\\\u0000"]',
  'the largest number': '[1.7976931348623157e308]',
  'a number of 308 digits': `[${'9'.repeat(308)}]`,
  'a long number with an exponent of one digit, just not too large': `[${'9'.repeat(299)}e9]`,
  '__proto__ as a value': '{"a":"__proto__"}',
}

test('[GEN-06] a long number is found wherever it stands', () => {
  for (let lead = 0; lead <= 600; lead++) {
    const text = `[${' '.repeat(lead)}${'9'.repeat(300)}e9]`
    assert.throws(() => parseJson(bytes(text)), { code: 'invalid_json' }, `after ${lead} spaces`)
  }
})

test('rows of digits that are just not too long are taken', () => {
  const text = `[${Array.from({ length: 20 }, () => '9'.repeat(299)).join(',')}]`
  assert.equal(parseJson(bytes(text)).text, text)
})

for (const [what, text] of Object.entries(TAKEN)) {
  test(`${what} is taken, to the letter`, () => {
    const parsed = parseJson(bytes(text))
    assert.equal(parsed.text, text)
    assert.deepEqual(parsed.value, JSON.parse(text))
  })
}

test('[GEN-06] bytes that are not UTF-8 are refused, wherever they stand', () => {
  for (const wrong of ['ff', 'c0af', 'eda080', 'e282', 'f4908080']) {
    const body = Buffer.concat([bytes('["a'), Buffer.from(wrong, 'hex'), bytes('b"]')])
    assert.throws(() => parseJson(body), { details: { reason: 'the body is not UTF-8' } }, wrong)
  }
})

test('a byte order mark in front is no part of the text', () => {
  assert.deepEqual(parseJson(bytes('\ufeff["a"]')), { text: '["a"]', value: ['a'] })
})
