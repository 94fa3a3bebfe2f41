import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

import { createChores, inTurn } from './chores.ts'

function setUp(t: TestContext, chance = 0) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const done = { second: 0, minute: 0, hour: 0 }
  const chores = createChores(
    {
      everySecond: async () => done.second++,
      everyMinute: async () => done.minute++,
      everyHour: async () => done.hour++,
    },
    { background: { run: (work) => void work() }, random: { bytes: (count) => Buffer.alloc(count, chance) } },
  )
  chores.start()
  return { done, chores, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('each is done as often as its name says', (t) => {
  const { done, pass } = setUp(t)
  pass(3_600_000)
  assert.deepEqual([done.second, done.minute], [3_600, 60])
  const { hour } = done
  pass(2 * 3_600_000)
  assert.equal(done.hour - hour, 2)
})

test('what is done hourly is done first within two minutes of the start, for services that are restarted often', (t) => {
  const { done, pass } = setUp(t, 0xff)
  pass(2 * 60_000)
  assert.equal(done.hour, 1)
})

test('nodes that are started together do it at other moments', (t) => {
  const early = setUp(t, 0x00)
  early.pass(60_000)
  assert.equal(early.done.hour, 1)
  t.mock.timers.reset()
  const late = setUp(t, 0xff)
  late.pass(60_000)
  assert.equal(late.done.hour, 0)
})

test('after the end nothing is done any more', (t) => {
  const { done, chores, pass } = setUp(t)
  chores.stop()
  pass(2 * 3_600_000)
  assert.deepEqual(done, { second: 0, minute: 0, hour: 0 })
})

test('of works in turn one that fails keeps no other from its turn, and all failures are told', async () => {
  const done: string[] = []
  const work = (name: string) => async () => void done.push(name)
  const failing = (name: string) => async () => {
    throw new Error(name)
  }
  await inTurn([work('first'), work('second')])
  await assert.rejects(inTurn([failing('one'), work('third'), failing('two'), work('fourth')]), (error) => {
    assert.ok(error instanceof AggregateError)
    assert.deepEqual(
      error.errors.map(({ message }) => message),
      ['one', 'two'],
    )
    return true
  })
  assert.deepEqual(done, ['first', 'second', 'third', 'fourth'])
})
