import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { monotonicMs } from '../../platform/clock.ts'
import { createBackgroundTurns } from './background-turns.ts'

test('[OPS-81] work of the background runs one after the other, also after a failure, and gets its own results', async () => {
  const inTurn = createBackgroundTurns()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await sleep(1)
    seen.push(`${name} ends`)
    if (name === 'second') throw new Error('second')
    return name
  }
  const all = await Promise.allSettled(['first', 'second', 'third'].map((name) => inTurn(work(name))))
  assert.deepEqual(
    all.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message)),
    ['first', 'second', 'third'],
  )
  const names = ['first', 'second', 'third']
  assert.deepEqual(
    seen,
    names.flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('[OPS-81] after work of the background there is a pause, in which others go on', async () => {
  const inTurn = createBackgroundTurns()
  let didOthers = false
  const first = inTurn(async () => {
    const endsAtMs = monotonicMs() + 10
    while (monotonicMs() < endsAtMs);
    setTimeout(() => (didOthers = true), 1)
  })
  const second = inTurn(async () => didOthers)
  await first
  assert.equal(didOthers, false)
  assert.equal(await second, true)
})
