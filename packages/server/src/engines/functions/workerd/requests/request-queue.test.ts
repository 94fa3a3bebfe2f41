import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import { createRequestQueue } from './request-queue.ts'
import { NotSentError } from './sent-work.ts'

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

/** A queue whose process is busy until `sleep` is called, with all slots taken that a busy one has. */
function openQueue() {
  let isAsleep = false
  const queue = createRequestQueue(() => isAsleep)
  const slots: number[] = []
  for (let slot = queue.take(); slot !== undefined; slot = queue.take()) slots.push(slot)
  return { ...queue, slots, sleep: () => (isAsleep = true) }
}

describe('requests that wait for a process of functions', () => {
  test('a busy process has 32 requests; the next ones start in their order when others end', async () => {
    const { slots, wait, release, take } = openQueue()
    assert.equal(slots.length, 32)
    const started: string[] = []
    const first = wait(Infinity).then(() => started.push('first'))
    const second = wait(Infinity).then(() => started.push('second'))
    release(slots[0] ?? -1)
    assert.equal(take(), undefined, 'a new request does not overtake')
    await first
    assert.deepEqual(started, ['first'])
    release(slots[1] ?? -1)
    await second
    assert.deepEqual(started, ['first', 'second'])
  })

  test('a process that sleeps gets more, at most 256 in all', async () => {
    const { slots, wait, release, sleep } = openQueue()
    sleep()
    const more = await Promise.all(Array.from({ length: 224 }, () => wait(Infinity)))
    assert.equal(more.length + slots.length, 256)
    await assert.rejects(wait(performance.now()), isCode('function_timeout'), 'there is no slot for it')
    const last = wait(Infinity)
    release(slots[0] ?? -1)
    await last
  })

  test('one that ends late does not make room for two', async () => {
    const { slots, wait, release, sleep, take } = openQueue()
    sleep()
    await wait(Infinity)
    release(slots[0] ?? -1)
    let free = 0
    while (take() !== undefined) free++
    assert.equal(free, 31)
  })

  test('waiting ends when the caller is gone, after the time for an answer, and with the process', async () => {
    const { wait, close } = openQueue()
    const caller = new AbortController()
    const late = wait(performance.now() + 1)
    const aborted = wait(Infinity, caller.signal)
    const ended = wait(Infinity)
    caller.abort()
    await assert.rejects(aborted, isCode('function_failed'))
    await assert.rejects(async () => wait(Infinity, caller.signal), isCode('function_failed'))
    await assert.rejects(late, isCode('function_timeout'))
    close()
    await assert.rejects(ended, NotSentError)
    await assert.rejects(async () => wait(Infinity), NotSentError)
  })

  test('1,000 requests may wait, the next one is refused', async () => {
    const { wait, close } = openQueue()
    const waiting = Array.from({ length: 1_000 }, () => wait(Infinity))
    await assert.rejects(async () => wait(Infinity), isCode('functions_overloaded'))
    close()
    for (const outcome of await Promise.allSettled(waiting)) assert.equal(outcome.status, 'rejected')
  })
})
