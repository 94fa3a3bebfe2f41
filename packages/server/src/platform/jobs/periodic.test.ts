import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

import { createPeriodic } from './periodic.ts'
import { runSequentially } from './run-sequentially.ts'

function setUp(t: TestContext, randomByte = 0) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const done = { second: 0, minute: 0, starts: 0 }
  const periodic = createPeriodic(
    {
      everySecond: async () => done.second++,
      everyMinute: async () => done.minute++,
      startJobs: () => void done.starts++,
    },
    {
      background: { run: (work) => void work() },
      random: { bytes: (count) => Buffer.alloc(count, randomByte) },
    },
  )
  periodic.start()
  return { done, periodic, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('everySecond and everyMinute run as often as their names say', (t) => {
  const { done, pass } = setUp(t)
  pass(3_600_000)
  assert.deepEqual([done.second, done.minute], [3_600, 60])
})

test('jobs are first started within two minutes of the start, for services that are restarted often', (t) => {
  const { done, pass } = setUp(t, 0xff)
  pass(2 * 60_000)
  assert.ok(done.starts > 0)
})

test('nodes that start together start jobs for the first time at different moments', (t) => {
  const early = setUp(t, 0x00)
  early.pass(60_000)
  assert.ok(early.done.starts > 0)
  t.mock.timers.reset()
  const late = setUp(t, 0xff)
  late.pass(60_000)
  assert.equal(late.done.starts, 0)
})

test('nothing runs after stop', (t) => {
  const { done, periodic, pass } = setUp(t)
  pass(60_000)
  periodic.stop()
  const before = { ...done }
  pass(2 * 3_600_000)
  assert.deepEqual(done, before)
})

test('runSequentially: a failure does not stop the rest, and all failures are thrown at the end', async () => {
  const done: string[] = []
  const work = (name: string) => async () => void done.push(name)
  const failing = (name: string) => async () => {
    throw new Error(name)
  }
  await runSequentially([work('first'), work('second')])
  const failed = runSequentially([failing('one'), work('third'), failing('two'), work('fourth')])
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof AggregateError)
    assert.deepEqual(
      error.errors.map(({ message }) => message),
      ['one', 'two'],
    )
    return true
  })
  assert.deepEqual(done, ['first', 'second', 'third', 'fourth'])
})
