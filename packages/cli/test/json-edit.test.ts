import assert from 'node:assert/strict'
import { test } from 'node:test'

import { setInJson } from '../src/project/json-edit.ts'

const table: [name: string, text: string, path: string, expected: string][] = [
  ['an existing value', '{ "a": { "b": false } }', 'a.b', '{ "a": { "b": true } }'],
  [
    'a new member on its own line',
    '{\n  "a": {\n    "b": 1\n  }\n}\n',
    'a.c',
    '{\n  "a": {\n    "b": 1,\n    "c": true\n  }\n}\n',
  ],
  ['a new member on the same line', '{"a":{"b":1}}', 'a.c', '{"a":{"b":1, "c": true}}'],
  ['an empty object', '{ "a": {} }', 'a.b', '{ "a": { "b": true } }'],
  [
    'missing objects',
    '{\n\t"v": 1\n}',
    'x.y.enabled',
    '{\n\t"v": 1,\n\t"x": { "y": { "enabled": true } }\n}',
  ],
  ['an empty document', '{}', 'a.b', '{ "a": { "b": true } }'],
  [
    'a text that looks like a member',
    '{ "s": "\\"a\\": {", "a": { "b": false } }',
    'a.b',
    '{ "s": "\\"a\\": {", "a": { "b": true } }',
  ],
  [
    'members after lists and objects',
    '{ "l": [1, { "a": 2 }], "o": { "a": 3 }, "a": false }',
    'a',
    '{ "l": [1, { "a": 2 }], "o": { "a": 3 }, "a": true }',
  ],
  ['a value of another type', '{ "a": null, "z": 1 }', 'a.b', '{ "a": { "b": true }, "z": 1 }'],
  [
    'a key that is written twice: the last one counts',
    '{ "a": false, "a": false }',
    'a',
    '{ "a": false, "a": true }',
  ],
]
for (const [name, text, path, expected] of table)
  test(`setInJson changes ${name}`, () => {
    const changed = setInJson(text, path.split('.'), true)
    assert.equal(changed, expected)
    JSON.parse(changed)
  })
