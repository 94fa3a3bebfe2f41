import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { compactJson, indentJson, problemOfJson } from '../src/json-text.ts'

test('JSON is indented as by JSON.stringify, and its text comes back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.equal(indentJson(text), JSON.stringify(value, null, 2))
      assert.equal(compactJson(indentJson(text)), text)
    }),
  )
  const text = '{ "id" : 76561198000000001234 , "rate":1.0,"e":1E5, "s":"a \\" { , : " }'
  assert.equal(compactJson(text), '{"id":76561198000000001234,"rate":1.0,"e":1E5,"s":"a \\" { , : "}')
  const long = JSON.stringify('\\"'.repeat(500_000))
  assert.equal(indentJson(long), long)
})

test('the line of a problem is found', () => {
  assert.equal(problemOfJson('{"a": 1}'), undefined)
  for (const [line, text] of [
    [2, '{\n  "a": x\n}'],
    [3, '{\n  "a": 1\n'],
    [2, '{"a":\n01}'],
    [2, '[1,\n]'],
    [2, '{"a": 1,\n}'],
    [3, '[\n1\n}'],
    [2, '{"a": 1\n"b": 2}'],
    [2, '{"a": [],\nb: 2}'],
    [2, '{"a": {},\n"b: 2}\n'],
    [2, '[]\n[]'],
    [1, ''],
  ] as const)
    assert.equal(problemOfJson(text)?.line, line, text)
})

test('a document is wrong in the line of the token that was put into it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, place) => {
      const lines = JSON.stringify(value, null, 2).split('\n')
      const at = place % lines.length
      const text = lines.toSpliced(at, 0, '?').join('\n')
      assert.equal(problemOfJson(text)?.line, at + 1)
    }),
  )
})
