import assert from 'node:assert/strict'
import { test } from 'node:test'

import { nestedJson } from '../../testing/json-text.ts'
import { requireInterpretable } from './interpreted.ts'

const require = (text: string, carried?: string) => requireInterpretable(JSON.parse(text), text, carried)

const REFUSED: Record<string, [text: string, path: string, reason: RegExp]> = {
  'U+0000 in a string': ['["a\\u0000b"]', '$[0]', /contain the character U\+0000/],
  'U+0000 in a key': ['{"a\\u0000b":1}', '$', /a key with the character U\+0000/],
  'half of a surrogate pair': ['{"a":["\\ud83d"]}', '$.a[0]', /surrogate/],
  'half of a surrogate pair in capitals': ['["\\uD83D"]', '$[0]', /surrogate/],
  'half of a surrogate pair in a key': ['{"a":{"\\uDE00":1}}', '$.a', /a key with half of a surrogate/],
  'a key named __proto__': ['{"a":{"__proto__":1}}', '$.a', /__proto__/],
  'a key that is __proto__ after unescaping': ['{"a":{"\\u005f_proto__":1}}', '$.a', /__proto__/],
  'an exponent that is too large': ['[1e400]', '$[0]', /finite/],
  'a negative one': ['[-1E+400]', '$[0]', /finite/],
  'a number of 309 digits': [`[${'9'.repeat(309)}]`, '$[0]', /finite/],
  'a long number with an exponent of one digit': [`[${'9'.repeat(301)}e8]`, '$[0]', /finite/],
  '65 levels of lists': [nestedJson(65), '$[0]', /64 levels/],
  '65 levels of objects': [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, '$.a', /64 levels/],
  'a million levels': [nestedJson(1_000_000), '$[0]', /64 levels/],
}

for (const [what, [text, path, reason]] of Object.entries(REFUSED)) {
  test(`[GEN-06] ${what} is rejected with the path and the reason`, () => {
    assert.throws(
      () => require(text),
      ({ code, details }) => {
        assert.equal(code, 'invalid_request')
        assert.equal(details.errors.length, 1)
        assert.equal(details.errors[0].path, path)
        assert.match(details.errors[0].message, reason)
        return true
      },
    )
  })

  test(`[SAV-05] ${what} is accepted inside carried data, but not next to it`, () => {
    require(`{"data":${text}}`, 'data')
    assert.throws(() => require(`{"data":1,"other":${text}}`, 'data'), { code: 'invalid_request' })
    assert.throws(() => require(`{"data":1,"other":{"data":${text}}}`, 'data'), { code: 'invalid_request' })
  })
}

const TAKEN: Record<string, string> = {
  '64 levels': nestedJson(64),
  'a thousand lists side by side': `[${Array.from({ length: 1_000 }, () => '[]').join()}]`,
  'a whole surrogate pair': '["\\ud83d\\ude00"]',
  'an escaped backslash before u0000': '["\\\\u0000"]',
  'the largest number': '[1.7976931348623157e308]',
  'a number of 308 digits': `[${'9'.repeat(308)}]`,
  'a long number with an exponent of one digit, just not too large': `[${'9'.repeat(299)}e9]`,
  'rows of digits that are just not too long': `[${Array.from({ length: 20 }, () => '9'.repeat(299)).join()}]`,
  '__proto__ as a value': '{"a":"__proto__"}',
  'a value that is not an object': 'null',
}

for (const [what, text] of Object.entries(TAKEN)) test(`[GEN-06] ${what} is accepted`, () => require(text))

test('[GEN-06] a number with too many digits is found at any position', () => {
  for (let lead = 0; lead <= 600; lead++) {
    const text = `[${' '.repeat(lead)}${'9'.repeat(300)}e9]`
    assert.throws(() => require(text), { code: 'invalid_request' }, `after ${lead} spaces`)
  }
})

test('long names are shortened in a path', () => {
  const name = 'x'.repeat(1_000)
  const short = 'x'.repeat(64)
  assert.throws(() => require(`{"${name}":1e400}`), {
    details: { errors: [{ path: `$.${short}`, message: `${short} must be a finite number` }] },
  })
})
