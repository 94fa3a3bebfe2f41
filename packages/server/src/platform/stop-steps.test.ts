import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createBackground } from './background.ts'
import { systemRandom } from './random.ts'
import { runStopSteps } from './stop-steps.ts'

test('a step that does not end is left after its time, and named; the others run', async () => {
  const done: string[] = []
  const late: string[] = []
  const endless = () => new Promise<never>(() => {})
  await runStopSteps(
    [
      { name: 'quick', maxMs: 60_000, run: async () => void done.push('quick') },
      { name: 'endless', maxMs: 1, run: endless },
      { name: 'last', maxMs: 60_000, run: async () => void done.push('last') },
    ],
    (name) => late.push(name),
  )
  assert.deepEqual({ done, late }, { done: ['quick', 'last'], late: ['endless'] })
})

test('a step that fails does not stop the others; its error is thrown at the end', async () => {
  const done: string[] = []
  const stopping = runStopSteps(
    [
      { name: 'failing', maxMs: 60_000, run: () => Promise.reject(new Error('planted')) },
      { name: 'last', maxMs: 60_000, run: async () => void done.push('last') },
    ],
    () => {},
  )
  await assert.rejects(stopping, ({ errors }: AggregateError) => String(errors[0]) === 'Error: planted')
  assert.deepEqual(done, ['last'])
})

test('background work of many steps ends when the service stops, and is not logged as failed', async () => {
  const failures: unknown[] = []
  const background = createBackground((error) => failures.push(error), systemRandom)
  let steps = 0
  background.run(async () => {
    for (;;) {
      background.stopping.throwIfAborted()
      if (++steps === 3) background.stop()
    }
  })
  background.run(async () => {
    throw new Error('planted')
  })
  await background.drained()
  assert.equal(steps, 3)
  assert.deepEqual(failures.map(String), ['Error: planted'])
})
