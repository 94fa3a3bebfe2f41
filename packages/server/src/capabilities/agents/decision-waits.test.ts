import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { createMemoryBus } from '../../engines/bus/memory.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { createTimers } from '../../platform/time/timers.ts'
import { createDecisionWaits } from './decision-waits.ts'

const isOpen = async () => true
const never = new AbortController().signal

function newWaits() {
  const clock = createStoppedClock()
  const waits = createDecisionWaits({ bus: createMemoryBus(), timers: createTimers(clock) })
  /** Whether each of the calls has ended, after everything that is due. */
  async function ended(calls: readonly Promise<void>[]) {
    const done = calls.map(() => false)
    calls.forEach((call, at) => void call.then(() => (done[at] = true)))
    await new Promise((resolve) => setImmediate(resolve))
    return done
  }
  return { clock, waits, ended }
}

test('[AGT-58] a call waits until the decision about it, a stop, the end of its connection, or 25 s', async () => {
  const { clock, waits, ended } = newWaits()
  const closed = new AbortController()
  const calls = [
    waits.wait('agn_1', 'apv_1', never, isOpen),
    waits.wait('agn_1', 'apv_2', never, isOpen),
    waits.wait('agn_1', 'apv_3', closed.signal, isOpen),
    waits.wait('agn_1', 'apv_4', never, async () => false),
  ]
  assert.deepEqual(await ended(calls), [false, false, false, true], 'the last one was decided before')
  await waits.announce('apv_1')
  assert.deepEqual(await ended(calls), [true, false, false, true])
  closed.abort()
  assert.deepEqual(await ended(calls), [true, false, true, true])
  clock.advance(LIMITS.approvalWaitMs - 1)
  assert.deepEqual(await ended(calls), [true, false, true, true])
  clock.advance(1)
  assert.deepEqual(await ended(calls), [true, true, true, true])
  const last = waits.wait('agn_1', 'apv_5', never, isOpen)
  waits.endAll()
  assert.deepEqual(await ended([last]), [true])
})

test('[AGT-58] a decision while the approval is read is not missed', async () => {
  const { waits, ended } = newWaits()
  const call = waits.wait('agn_1', 'apv_1', never, async () => {
    await waits.announce('apv_1')
    return true
  })
  assert.deepEqual(await ended([call]), [true])
})

test('[AGT-58] at most 5 calls of an agent wait; the next is answered immediately', async () => {
  const { waits, ended } = newWaits()
  const calls = Array.from({ length: 6 }, () => waits.wait('agn_1', 'apv_1', never, isOpen))
  assert.deepEqual(await ended(calls), [false, false, false, false, false, true])
  assert.deepEqual(await ended([waits.wait('agn_2', 'apv_1', never, isOpen)]), [false])
  await waits.announce('apv_1')
  assert.deepEqual(await ended(calls), [true, true, true, true, true, true])
})
