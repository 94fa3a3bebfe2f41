import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

import { firstProblems } from './first-problems.ts'

const bounds = { problemsMax: 20, itemsMax: 5 }
const short = Compile(Type.Object({ to: Type.Array(Type.String(), { maxItems: 3 }) }))
const long = Compile(Type.Object({ to: Type.Array(Type.String()) }))

test('a list that is too long is not looked at to its end', () => {
  let looked = 0
  const items: unknown[] = Array.from({ length: 1_000 }, () => 1)
  const to = new Proxy(items, { get: (list, at) => (looked++, Reflect.get(list, at)) })
  const [problem] = firstProblems(short, { to }, bounds)
  assert.equal(problem?.path, '$.to[0]')
  assert.ok(looked < 50, `looked ${looked} times`)
})

test('what is wrong behind the beginning of a list is found all the same', () => {
  const to: unknown[] = Array.from({ length: 10 }, () => 'x')
  assert.deepEqual(
    firstProblems(short, { to }, bounds).map(({ path }) => path),
    ['$.to'],
  )
  to[9] = 1
  assert.deepEqual(
    firstProblems(long, { to }, bounds).map(({ path }) => path),
    ['$.to[9]'],
  )
})

test('whatever is no object has its problem, too', () => {
  for (const value of [null, 1, 'x', [], [[]]])
    assert.deepEqual(
      firstProblems(short, value, bounds).map(({ path }) => path),
      ['$'],
    )
})
