import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, DAY_MS, HOUR_MS } from '../clock.ts'
import { createDaySums } from './day-sums.ts'

type Sum = { count: number; day: string }

/** Rows and kept sums in memory, with a record of the ranges that were summed. */
function createStore(rows: Map<string, number>) {
  const keptSums = new Map<string, Sum & { keptAt: string }>()
  const ranges: string[] = []
  const isIn = (day: string, from: string, to: string) => day >= from && day <= to
  return {
    keptSums,
    ranges,
    kept: async (_: string, from: string, to: string, now: string) =>
      [...keptSums.values()].filter(({ day, keptAt }) => isIn(day, from, to) && keptAt <= now),
    async sum(_: string, from: string, to: string) {
      ranges.push(`${from} ${to}`)
      return [...rows].flatMap(([day, count]) => (isIn(day, from, to) ? { day, count } : []))
    },
    async keep(_: string, sums: readonly Sum[], keptAt: string) {
      for (const sum of sums) if (!keptSums.has(sum.day)) keptSums.set(sum.day, { ...sum, keptAt })
    },
    rowsIn: ({ count }: { count: number }) => count,
  }
}

const DAYS = ['2025-12-30', '2025-12-31', '2026-01-01']

test('a day that is over is summed once, also if it has no row; the current day is summed at every read', async () => {
  const rows = new Map([
    ['2025-12-30', 3],
    ['2026-01-01', 1],
  ])
  const store = createStore(rows)
  const clock = createStoppedClock()
  clock.advance(2 * HOUR_MS)
  const read = createDaySums(store, { count: 0 }, clock)
  const counts = async () => (await read('env_1', DAYS)).map(({ count }) => count)

  assert.deepEqual(await counts(), [3, 0, 1])
  rows.set('2026-01-01', 2)
  assert.deepEqual(await counts(), [3, 0, 2])
  assert.deepEqual(store.ranges, ['2025-12-30 2026-01-01', '2026-01-01 2026-01-01'])
})

test('a day is kept an hour after its end, so that late writes are counted', async () => {
  const rows = new Map([['2026-01-01', 1]])
  const store = createStore(rows)
  const clock = createStoppedClock()
  clock.advance(DAY_MS + HOUR_MS - 1)
  const read = createDaySums(store, { count: 0 }, clock)

  await read('env_1', DAYS)
  assert.deepEqual([...store.keptSums.keys()], ['2025-12-30', '2025-12-31'])
  rows.set('2026-01-01', 2)
  clock.advance(1)
  await read('env_1', DAYS)
  assert.equal(store.keptSums.get('2026-01-01')?.count, 2)
})

test('a sum that was kept while the clock was ahead is summed again', async () => {
  const rows = new Map([['2026-01-01', 1]])
  const store = createStore(rows)
  const clock = createStoppedClock()
  const read = createDaySums(store, { count: 0 }, clock)
  clock.step(3 * DAY_MS)
  await read('env_1', DAYS)
  assert.equal(store.keptSums.get('2026-01-01')?.count, 1)
  clock.step(-3 * DAY_MS)
  rows.set('2026-01-01', 2)
  assert.equal((await read('env_1', DAYS)).at(-1)?.count, 2)
})

test('a sum of very many rows is cached, a smaller one is not', async () => {
  const rows = new Map([['2026-01-01', 9_999]])
  const store = createStore(rows)
  const read = createDaySums(store, { count: 0 }, createStoppedClock())
  const today = async () => (await read('env_1', ['2026-01-01']))[0]?.count

  assert.equal(await today(), 9_999)
  rows.set('2026-01-01', 100_000_000)
  assert.equal(await today(), 100_000_000)
  rows.set('2026-01-01', 100_000_001)
  assert.equal(await today(), 100_000_000)
})
