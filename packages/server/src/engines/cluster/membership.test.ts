import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { TIMINGS } from './cluster.ts'
import { createMembership, type HeartbeatReply } from './membership.ts'

const LEASE_MS = TIMINGS.lostAfterMs - TIMINGS.marginMs

/** A live node: its first heartbeat is confirmed, the next one gets no reply until the test ends. */
async function joined(t: TestContext) {
  let elapsedMs = 0
  const systemTime = createStoppedClock()
  const noReply = Promise.withResolvers<HeartbeatReply>()
  const reply = { incarnation: 1, lastFence: 0, isRecovering: false, others: [] }
  let heartbeats = 0
  const membership = createMembership({
    nodeId: 'a',
    timings: TIMINGS,
    now: () => elapsedMs,
    systemTime,
    heartbeat: () => (heartbeats++ === 0 ? Promise.resolve(reply) : noReply.promise),
    checkMessaging: () => Promise.resolve(),
  })
  await membership.join(1_000)
  t.after(async () => {
    noReply.resolve(reply)
    await membership.stop()
  })
  return { membership, systemTime, advance: (ms: number) => void (elapsedMs += ms) }
}

test('a node is live until the safety margin before the end of its lease, by the monotonic clock', async (t) => {
  const { membership, advance } = await joined(t)
  advance(LEASE_MS - 1)
  assert.equal(membership.isLive(), true)
  advance(1)
  assert.equal(membership.isLive(), false)
})

test('a node is not live after a suspend, during which only the system clock advances', async (t) => {
  const { membership, systemTime } = await joined(t)
  systemTime.step(LEASE_MS)
  assert.equal(membership.isLive(), false)
})

test('a system clock that is set back does not extend the lease', async (t) => {
  const { membership, systemTime, advance } = await joined(t)
  systemTime.step(-60_000)
  advance(LEASE_MS)
  assert.equal(membership.isLive(), false)
})
