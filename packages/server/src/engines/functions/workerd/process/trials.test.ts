import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { ApiError } from '../../../../platform/api-error.ts'
import { createTrials } from './trials.ts'

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

/** Trials that end when the test says so. */
function openTrials() {
  const trials = createTrials()
  const running: string[] = []
  const ends: Record<string, (cpuMs?: number) => void> = {}
  function run(name: string, environmentId = name, developerId: string | null = null) {
    return trials.run({ environmentId, developerId }, async () => {
      running.push(name)
      const cpuMs = await new Promise<number>((resolve) => (ends[name] = (ms = 0) => resolve(ms)))
      running.splice(running.indexOf(name), 1)
      return { result: name, cpuMs }
    })
  }
  const end = async (name: string, trial: Promise<string>, cpuMs?: number) => {
    await nextTurn()
    ends[name]?.(cpuMs)
    assert.equal(await trial, name)
    await nextTurn()
  }
  return { run, end, running, ends }
}

describe('trials of code', () => {
  test('one of an environment and two of a node run at the same time, the others in their order', async () => {
    const { run, end, running } = openTrials()
    const first = run('first', 'a')
    const second = run('second', 'a')
    const third = run('third', 'b')
    const fourth = run('fourth', 'c')
    await nextTurn()
    assert.deepEqual(running, ['first', 'third'])
    await end('first', first)
    assert.deepEqual(running, ['third', 'second'])
    await end('third', third)
    assert.deepEqual(running, ['second', 'fourth'])
    await Promise.all([end('second', second), end('fourth', fourth)])
  })

  test('four of an environment and 32 of a node wait, for at most 30 s; the next one is refused', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const { run, ends } = openTrials()
      const held = [run('a'), run('b')]
      const own = Array.from({ length: 4 }, (_, i) => run(`a${i}`, 'a'))
      await assert.rejects(run('a4', 'a'), isCode('functions_overloaded'))
      const others = Array.from({ length: 28 }, (_, i) => run(`other ${i}`))
      await assert.rejects(run('last'), isCode('functions_overloaded'))
      const outcomes = Promise.allSettled([...own, ...others])
      mock.timers.tick(30_000)
      for (const outcome of await outcomes)
        assert.ok(outcome.status === 'rejected' && isCode('functions_overloaded')(outcome.reason))
      await nextTurn()
      for (const name of ['a', 'b']) ends[name]?.()
      await Promise.all(held)
    } finally {
      mock.timers.reset()
    }
  })

  test('a developer whose trials have used 30 s of CPU time in a minute has to wait', async () => {
    const { run, end } = openTrials()
    for (const name of ['one', 'two', 'three']) await end(name, run(name, name, 'developer'), 10_001)
    await assert.rejects(run('four', 'four', 'developer'), isCode('rate_limited'))
    await end('other', run('other', 'other', 'another developer'))
  })
})
