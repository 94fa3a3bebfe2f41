import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { diff, shortened } from './json-diff.ts'

test('[CFG-01] changes have path, before and after; null is a missing value', () => {
  const before = {
    features: { saves: true, stats: true },
    stats: [{ key: 'points' }, { key: 'wins', title: { en: 'Wins', 'pt-BR': 'Vitórias' } }],
    audience: 'kids',
  }
  const after = {
    features: { saves: true, stats: false, hosting: true },
    stats: [
      { key: 'points' },
      { key: 'wins', title: { en: 'Wins', 'pt-BR': 'Triunfos' } },
      { key: 'losses' },
    ],
    web: { allowedOrigins: [] },
  }
  assert.deepEqual(diff(before, after), [
    { path: '$.features.stats', before: true, after: false },
    { path: '$.features.hosting', before: null, after: true },
    { path: '$.stats[1].title["pt-BR"]', before: 'Vitórias', after: 'Triunfos' },
    { path: '$.stats[2]', before: null, after: { key: 'losses' } },
    { path: '$.audience', before: 'kids', after: null },
    { path: '$.web', before: null, after: { allowedOrigins: [] } },
  ])
})

test('a value that changes its type is one change', () => {
  assert.deepEqual(diff({ title: 'x' }, { title: { en: 'x' } }), [
    { path: '$.title', before: 'x', after: { en: 'x' } },
  ])
  assert.deepEqual(diff({ a: [] }, { a: {} }), [{ path: '$.a', before: [], after: {} }])
})

test('a document with its keys in another order has no changes', () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, field]) => [key, reversed(field)]),
          )
        : value
  const document = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)))
  fc.assert(fc.property(document, (value) => assert.deepEqual(diff(value, reversed(value)), [])))
})

test('two documents differ if and only if their JSON does', () => {
  const documents = fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.array(fc.constantFrom(1, 'x', true), { maxLength: 2 }),
  )
  fc.assert(
    fc.property(documents, documents, (before, after) => {
      const same = JSON.stringify([before['a'], before['b']]) === JSON.stringify([after['a'], after['b']])
      assert.equal(diff(before, after).length === 0, same)
    }),
  )
})

test('history and audit keep the first fifty changes, each value truncated', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({
    path: `$.stats[${index}]`,
    before: null,
    after: index,
  }))
  const { changes, changeCount } = shortened([
    { path: '$.a', before: null, after: 'x'.repeat(10_000) },
    ...many,
  ])
  assert.equal(changeCount, 61)
  assert.equal(changes.length, 50)
  assert.equal(String(changes[0]?.after).length, 501)
  assert.deepEqual(changes[1], many[0])
})
