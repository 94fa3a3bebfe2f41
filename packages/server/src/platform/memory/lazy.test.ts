import assert from 'node:assert/strict'
import { test } from 'node:test'

import { lazy } from './lazy.ts'

test('the value is created once for all callers', async () => {
  let made = 0
  const value = lazy(async () => ++made)
  assert.deepEqual(await Promise.all([value(), value(), value()]), [1, 1, 1])
  // No promise: the value is already there.
  assert.equal(value(), 1)
})

test('a failed initialisation rejects all waiters and is retried by the next caller', async () => {
  let tries = 0
  const value = lazy(async () => {
    if (++tries === 1) throw new Error('too many open files')
    return tries
  })
  const first = [value(), value()]
  for (const each of first) await assert.rejects(async () => each, /too many open files/)
  assert.equal(await value(), 2)

  const plain = lazy((): string => {
    if (++tries === 3) throw new Error('not yet')
    return 'made'
  })
  assert.throws(plain)
  assert.equal(plain(), 'made')
})
