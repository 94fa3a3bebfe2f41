import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { lineOf, linesOf } from './lines.ts'

const TEXT = `{
  "features": { "saves": true,
    "stats": true },
  "stats": [
    { "key": "a" },
    { "key": "b", "title": { "pt-BR": "x\\n\\"{[," } }
  ],
  "empty": [],
  "last": -1.5e3
}`

test('every path has the line of its key, every list entry the line of its start', () => {
  const lines = linesOf(TEXT)

  assert.deepEqual(Object.fromEntries(lines), {
    $: 1,
    '$.features': 2,
    '$.features.saves': 2,
    '$.features.stats': 3,
    '$.stats': 4,
    '$.stats[0]': 5,
    '$.stats[0].key': 5,
    '$.stats[1]': 6,
    '$.stats[1].key': 6,
    '$.stats[1].title': 6,
    '$.stats[1].title["pt-BR"]': 6,
    '$.empty': 8,
    '$.last': 9,
  })
})

test('a missing path has the line of its nearest existing parent', () => {
  const lines = linesOf(TEXT)

  assert.equal(lineOf(lines, '$.stats[1].aggregation'), 6)
  assert.equal(lineOf(lines, '$.stats[9].key'), 4)
  assert.equal(lineOf(lines, '$.nothing.here[0]'), 1)
})

test('any JSON in any layout: each path once, lines never out of order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const lines = [...linesOf(text).values()]

      assert.equal(lines.length, countOf(value))
      assert.deepEqual(
        lines,
        lines.toSorted((a, b) => a - b),
      )
      assert.ok((lines.at(-1) ?? 0) <= text.split('\n').length)
    }),
  )
})

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, part) => sum + countOf(part), 1)
}
