import assert from 'node:assert/strict'
import { test } from 'node:test'

import { itemsOf, planFor, removable } from './history.ts'
import { type Item, itemOf, nameOf } from './names.ts'

const at = (minute: number) => `2026-11-17T18:${String(minute).padStart(2, '0')}:00.000Z`
const item = (kind: Item['kind'], number: number, run: number, minute: number, generation = 'a') => ({
  name: nameOf({ kind, number, run, generation, at: at(minute) }),
  bytes: 100,
})
const snapshot = (number: number, run: number, minute: number, generation = 'a') => [
  item('sqlite', number, run, minute, generation),
  item('json', number, run, minute, generation),
]

test('a name says what it was made of, and other names are ignored', () => {
  const made: Item = { generation: 'a', number: 12, run: 3, at: at(5), kind: 'wal' }
  assert.deepEqual(itemOf({ name: nameOf(made) }), made)
  for (const name of ['', 'a/b', 'x.tar', 'a/1-1-2026-11-17T18-05-00.000Z.wal', `${nameOf(made)}.part`])
    assert.equal(itemOf({ name }), undefined)
})

test('a plan has the newest snapshot before the time, and the segments from the beginning of its run', () => {
  const stored = [
    item('wal', 1, 1, 1),
    ...snapshot(1, 1, 1),
    item('wal', 2, 1, 2),
    item('wal', 3, 2, 3),
    item('wal', 4, 2, 4),
    ...snapshot(4, 2, 4),
    item('frames', 5, 2, 5),
    item('wal', 6, 2, 6),
  ]
  const planned = (time: string) => {
    const plan = planFor(stored, time)
    return Array.isArray(plan) ? plan : [plan.snapshot.number, plan.segments.map(({ number }) => number)]
  }

  assert.deepEqual(planned(at(1)), [1, [1]])
  assert.deepEqual(planned(at(3)), [1, [1, 2, 3]])
  assert.deepEqual(planned(at(4)), [4, [3, 4]])
  // A segment that ends within a transaction is no moment of its own.
  assert.deepEqual(planned(at(5)), [4, [3, 4]])
  assert.deepEqual(planned(at(6)), [4, [3, 4, 5, 6]])
  for (const time of [at(0), at(7)]) assert.deepEqual(planned(time), [{ from: at(1), to: at(6) }])
})

test('a gap ends what can be restored, and a snapshot counts only when it is complete', () => {
  const stored = [
    item('wal', 1, 1, 1),
    ...snapshot(1, 1, 1),
    item('wal', 2, 1, 2),
    item('wal', 4, 2, 4),
    item('wal', 1, 1, 10, 'b'),
    item('sqlite', 1, 1, 10, 'b'),
    item('wal', 1, 1, 20, 'c'),
    ...snapshot(1, 1, 20, 'c'),
  ]
  assert.deepEqual(planFor(stored, at(4)), [
    { from: at(1), to: at(2) },
    { from: at(20), to: at(20) },
  ])
})

test('[OPS-29] what is older than the time to keep, or too much, is removed; the newest snapshot and its segments stay', () => {
  const items = itemsOf([
    item('wal', 1, 1, 1, 'a'),
    ...snapshot(1, 1, 1, 'a'),
    item('wal', 1, 1, 10, 'b'),
    ...snapshot(1, 1, 10, 'b'),
    item('wal', 2, 2, 11, 'b'),
    item('wal', 3, 3, 12, 'b'),
    ...snapshot(3, 3, 12, 'b'),
    item('wal', 4, 3, 13, 'b'),
  ])
  const removed = (keepFrom: string, bytesMax: number) =>
    removable(items, { current: 'b', keepFrom, bytesMax }).map(({ name, kind }) => `${name[0]}${kind}`)
  const all = 100 * items.length

  assert.deepEqual(removed(at(0), all), [])
  assert.deepEqual(removed(at(9), all), [])
  assert.deepEqual(removed(at(11), all), ['ajson', 'asqlite', 'awal'])
  assert.deepEqual(removed(at(0), all - 1), ['ajson', 'asqlite', 'awal'])
  const oldest = ['ajson', 'bjson', 'asqlite', 'bsqlite', 'awal', 'bwal', 'bwal']
  assert.deepEqual(removed(at(59), all), oldest)
  assert.deepEqual(removed(at(0), 1), oldest)
})
