import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Type } from 'typebox'

import { checkerOf } from './checker.ts'

const schema = Type.Object({
  name: Type.String(),
  code: Type.Optional(Type.String()),
  most: Type.Optional(Type.Integer()),
  voice: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  data: Type.Optional(Type.Unknown()),
  inner: Type.Optional(Type.Object({ a: Type.Optional(Type.String()) })),
})
const checker = await checkerOf(schema, { problemsMax: 20, itemsMax: 5 })

test('an optional field that is null is taken as absent, unless null means something there', () => {
  const value = { name: 'a', code: null, most: null, voice: null, data: null, extra: null }
  assert.equal(checker.fits(value), false)
  assert.deepEqual(checker.withoutNulls(value), { name: 'a', voice: null, data: null, extra: null })
  assert.equal(checker.fits(checker.withoutNulls(value)), true)
})

test('a required field that is null, and one of an inner object, are wrong', () => {
  const pathsOf = (value: unknown) => checker.problems(checker.withoutNulls(value)).map(({ path }) => path)
  assert.deepEqual(pathsOf({ name: null, code: null }), ['$.name'])
  assert.deepEqual(pathsOf({ name: 'a', inner: { a: null } }), ['$.inner.a'])
  for (const value of [null, [], 'x', 1]) assert.deepEqual(pathsOf(value), ['$'])
})
