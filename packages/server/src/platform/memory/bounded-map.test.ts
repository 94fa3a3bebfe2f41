import assert from 'node:assert/strict'
import { test } from 'node:test'

import { setBounded } from './bounded-map.ts'

test('a new key in a full map evicts the oldest key', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ])
  setBounded(map, 'c', 3, 2)
  assert.deepEqual([...map.keys()], ['b', 'c'])
})

test('a known key in a full map evicts no other key and becomes the newest', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ])
  setBounded(map, 'a', 3, 2)
  assert.deepEqual(
    [...map],
    [
      ['b', 2],
      ['a', 3],
    ],
  )
})
