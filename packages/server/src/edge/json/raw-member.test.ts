import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as fc from 'fast-check'

import { jsonObject, jsonSpace, jsonString, jsonText } from '../../testing/json-text.ts'
import { rawMember } from './raw-member.ts'

const name = fc.oneof(
  fc.constantFrom('"data"', '"d\\u0061ta"', '"\\u0064\\u0061\\u0074\\u0061"', '"ifVersion"'),
  jsonString,
)

describe('the raw text of a member', () => {
  test('parses to the value that JSON.parse gives the member, in every spelling of JSON', () => {
    const property = fc.property(
      jsonSpace,
      jsonObject(name, jsonText),
      jsonSpace,
      (before, object, after) => {
        const text = `${before}${object}${after}`
        const parsed = JSON.parse(text) as { data?: unknown }
        const raw = rawMember(text, 'data')

        if (!Object.hasOwn(parsed, 'data')) return assert.equal(raw, undefined)
        assert.ok(raw !== undefined && raw === raw.trim() && text.includes(raw))
        assert.deepEqual(JSON.parse(raw), parsed.data)
      },
    )
    fc.assert(property, { numRuns: 5_000 })
  })

  test('is exactly the text that was sent', () => {
    const property = fc.property(
      jsonSpace,
      jsonSpace,
      jsonText,
      jsonSpace,
      jsonText,
      (left, right, sent, end, other) => {
        assert.equal(rawMember(`{"a":${other},"data"${left}:${right}${sent}${end}}`, 'data'), sent)
        assert.equal(rawMember(`{"data":${sent},"z":${other}}`, 'data'), sent)
      },
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  const cases: [string, string | undefined][] = [
    ['{"data":1.0}', '1.0'],
    ['{"data":-0,"ifVersion":0}', '-0'],
    ['{ "data" : 1E2 }', '1E2'],
    ['{"data":{"b":1, "a":2}}', '{"b":1, "a":2}'],
    ['{"data":"\\\\"}', '"\\\\"'],
    ['{"data":"}\\"{"}', '"}\\"{"'],
    ['{"data":1,"data":[2]}', '[2]'],
    ['{"data":1,"d\\u0061ta":2}', '2'],
    ['{"nested":{"data":1}}', undefined],
    ['{"text":"\\"data\\":1"}', undefined],
    ['{}', undefined],
  ]
  for (const [text, raw] of cases) {
    test(`${text} → ${raw}`, () => assert.equal(rawMember(text, 'data'), raw))
  }
})
