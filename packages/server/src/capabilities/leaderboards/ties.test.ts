import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { reachedAtOf, tieAt } from './ties.ts'

test('[LDB-03] the time of a tie is the time at which the value was reached, in either order', () => {
  const leapDay = Date.parse('2028-02-29T00:00:00.000Z')
  const times = [0, leapDay - 1, leapDay, leapDay + DAY_MS - 1, leapDay + 3_723_004, Date.parse('2099-12-31')]
  for (const ms of times) {
    const expected = new Date(ms).toISOString()
    assert.equal(reachedAtOf(tieAt(ms)), expected)
    assert.equal(reachedAtOf(-tieAt(ms)), expected)
    assert.equal(reachedAtOf(tieAt(ms) + 1_023), expected)
  }
})
