import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS } from '../../platform/clock.ts'
import type { Stored } from './places/place.ts'
import { toRemove } from './retention.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')
const at = (ms: number, isVerified = true): Stored => {
  const createdAt = new Date(ms).toISOString()
  const report = { verifiedAt: isVerified ? createdAt : null, failures: [], notices: [] }
  return { name: createdAt, createdAt, bytes: 1, report }
}
const kept = (stored: Stored[], keep: { days: number; weeks: number; months: number }) => {
  const removed = new Set(toRemove(stored, keep, NOW).map(({ name }) => name))
  return stored.filter(({ name }) => !removed.has(name)).map(({ createdAt }) => createdAt.slice(0, 10))
}

test('[OPS-19] the newest verified backup of each of 7 days, 4 weeks and 6 months is kept', () => {
  const daily = Array.from({ length: 400 }, (_, day) => at(NOW - day * DAY_MS))
  assert.deepEqual(kept(daily, { days: 7, weeks: 4, months: 6 }), [
    '2026-03-10',
    '2026-03-09',
    '2026-03-08',
    '2026-03-07',
    '2026-03-06',
    '2026-03-05',
    '2026-03-04',
    // Sundays, and the last day of each month.
    '2026-03-01',
    '2026-02-28',
    '2026-02-22',
    '2026-01-31',
    '2025-12-31',
    '2025-11-30',
    '2025-10-31',
  ])
})

test('[OPS-19] periods without a backup do not count, and failed backups take no place', () => {
  const keep = { days: 2, weeks: 0, months: 0 }
  const stored = [
    at(NOW - 100 * DAY_MS),
    at(NOW - 101 * DAY_MS, false),
    at(NOW - 102 * DAY_MS),
    at(NOW - 200 * DAY_MS),
  ]
  assert.deepEqual(kept(stored, keep), ['2025-11-30', '2025-11-28'])
})

test('[OPS-19] the newest verified backup is never removed, nor the 10 newest of the last 24 hours', () => {
  const none = { days: 0, weeks: 0, months: 0 }
  const failed = Array.from({ length: 5 }, (_, day) => at(NOW - (day + 2) * DAY_MS, false))
  assert.deepEqual(kept([...failed, at(NOW - 50 * DAY_MS), at(NOW - 51 * DAY_MS)], none), ['2026-01-19'])
  const hourly = Array.from({ length: 30 }, (_, hour) => at(NOW - hour * HOUR_MS))
  assert.equal(kept(hourly, none).length, 10)
})
