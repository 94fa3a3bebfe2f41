import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as fc from 'fast-check'

import { jsonText } from '../../testing/json-text.ts'
import { rawMember } from '../json/raw-member.ts'
import { readPlainMessage } from './plain-message.ts'

/** What is read must be what `JSON.parse` reads. */
function check(text: string): boolean {
  const read = readPlainMessage(text)
  if (!read) return false
  const { data, ...fields } = JSON.parse(text) as { data: unknown; rid?: unknown }
  assert.deepEqual(read.fields, fields)
  assert.deepEqual(Object.keys(read.fields).toSorted(), Object.keys(fields).toSorted())
  assert.deepEqual([read.rid, read.text], [fields.rid, text])
  assert.equal(read.raw, rawMember(text, 'data'))
  assert.deepEqual(JSON.parse(read.raw), data)
  return true
}

const value = fc.oneof(
  jsonText,
  fc.json({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json)),
  fc.constantFrom(
    '0',
    '-0',
    '00',
    '01',
    '-',
    '1.',
    '.5',
    '1e5',
    '1E-2',
    '1e',
    '9007199254740993',
    'nul',
    'truex',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('type', 'seq', 'rid', 'channel', 'data', 't') },
  { weight: 1, arbitrary: fc.constantFrom('to', '__proto__', 'd\\u0061ta', 'toString', '') },
)
const message = fc
  .tuple(fc.array(fc.tuple(name, value), { maxLength: 6 }), value)
  .map(([members, data]) => [...members.map(([key, text]) => `"${key}":${text}`), `"data":${data}`])
  .map((members) => `{"t":"send",${members.join()}}`)

describe('a plain message', () => {
  for (const text of [
    '{"t":"send","type":"move","seq":7,"data":{"dx":-1,"dy":0}}',
    '{"t":"send","rid":12,"type":"ask","data":[1.5,"é😀",true,null,{}]}',
    '{"t":"send","rid":"r1","data":-0}',
    '{"t":"channelSend","channel":"lobby","type":"chat","data":"hello"}',
  ])
    test(`is read without being parsed: ${text}`, () => assert.equal(check(text), true))

  for (const text of [
    '{"t":"send","type":"x"}',
    '{"t":"send","type":"x","data":1,"data":2}',
    '{"t":"send","type":"x","to":["a"],"data":1}',
    '{"t":"send","type":"x","seq":-1,"data":1}',
    '{"t":"send","type":"x","seq":1.5,"data":1}',
    '{"t":"send","type":"x","seq":1234567890123456,"data":1}',
    '{"t":"send","type":"a\\u0000b","data":1}',
    '{"t":"send","type":"x","rid":null,"data":1}',
    `{"t":"send","type":"x","rid":"${'r'.repeat(65)}","data":1}`,
    '{"t":"send","type":"x","data":1} ',
    '{"t":"send","type":"x","data":{"a":1,}}',
    '{"t":"send","type":"x","data":[1,]}',
    '{"t":"send","type":"x","data":01}',
    '{"t":"send","type":"x","data":"\n"}',
    '{"t":"send","type":"x","data":',
    `{"t":"send","type":"x","data":${'['.repeat(17)}${']'.repeat(17)}}`,
    '{"t":1,"data":1}',
    '{"t":"',
    '',
  ])
    test(`is not: ${text.slice(0, 60)}`, () => assert.equal(readPlainMessage(text), undefined))

  test('is read as JSON.parse reads it, or not at all', () => {
    let plain = 0
    fc.assert(
      fc.property(message, (text) => {
        if (check(text)) plain++
      }),
      { numRuns: 5_000 },
    )
    assert.ok(plain > 100, `${plain} were plain`)
  })

  test('with a few wrong characters is never read if it is not JSON', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:0-.eE+\\ tn\0'), fc.nat(2)), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(message, edits, (whole, changes) => {
        let text = whole
        for (const [at, character, removed] of changes) {
          const from = at % (text.length + 1)
          text = text.slice(0, from) + character + text.slice(from + removed)
        }
        check(text)
      }),
      { numRuns: 10_000 },
    )
  })
})
