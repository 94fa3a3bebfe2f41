import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock } from './clock.ts'
import { createdAtMsOf, createIds, randomText, systemRandom } from './random.ts'

test('[GEN-11] an id is a readable prefix and 26 characters, unique, in the order of creation even within a millisecond', () => {
  const clock = createStoppedClock()
  const ids = createIds(clock, systemRandom)
  const made = Array.from({ length: 10_000 }, () => ids('prj'))
  clock.step(-1_000)
  made.push(ids('prj'))
  clock.advance(60_000)
  made.push(ids('prj'))

  for (const id of made) assert.match(id, /^prj_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.equal(new Set(made).size, made.length)
  assert.deepEqual(made, made.toSorted())
})

test('the time of creation can be read from an id', () => {
  const clock = createStoppedClock()
  const ids = createIds(clock, systemRandom)
  assert.equal(createdAtMsOf(ids('ply')), clock.now().getTime())
  clock.advance(86_400_001)
  assert.equal(createdAtMsOf(ids('ply')), clock.now().getTime())
})

test('random text uses every letter about equally', () => {
  const counts = Object.values(Object.groupBy(randomText(systemRandom, 62_000), (character) => character))
  assert.equal(counts.length, 62)
  for (const letters of counts) assert.ok((letters?.length ?? 0) > 800 && (letters?.length ?? 0) < 1_200)
})
