import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, systemClock } from '../clock.ts'
import { createTimers } from './timers.ts'

test('moving the clock runs all due timers immediately, in the order of their times', () => {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  const happened: string[] = []
  timers.after(2_000, () => happened.push('second'))
  timers.after(1_000, () => happened.push('first'))
  timers.after(3_001, () => happened.push('later'))

  clock.advance(999)
  assert.deepEqual(happened, [])
  clock.advance(2_001)
  assert.deepEqual(happened, ['first', 'second'])
  timers.stop()
})

test('a cancelled timer does not run, not even if an earlier timer of the same time cancels it', () => {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  const happened: string[] = []
  const late = timers.after(2, () => happened.push('cancelled'))
  timers.after(1, () => late.cancel())

  clock.advance(10)
  assert.deepEqual(happened, [])
  timers.stop()
})

test('a repeating timer runs once per move of the clock, of any length, until it is cancelled', () => {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  let times = 0
  const repeating = timers.every(1_000, () => times++)

  clock.advance(3_600_000)
  assert.equal(times, 1)
  clock.advance(1_000)
  assert.equal(times, 2)
  repeating.cancel()
  clock.advance(1_000)
  assert.equal(times, 2)
})

test('on the system clock time passes by itself', async () => {
  const timers = createTimers(systemClock)
  // The timers do not keep a process alive; this one does.
  const alive = setTimeout(() => {}, 10_000)
  await new Promise<void>((resolve) => timers.after(5, resolve))
  clearTimeout(alive)
})

test('[GEN-55] setting the time of day neither delays a timer nor makes it due', () => {
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const clock = createStoppedClock()
    const timers = createTimers(clock)
    const happened: string[] = []
    timers.after(1_000, () => happened.push('once'))
    timers.every(700, () => happened.push('again'))
    clock.step(stepMs)
    clock.advance(699)
    assert.deepEqual(happened, [])
    clock.advance(301)
    assert.deepEqual(happened, ['again', 'once'])
    timers.stop()
  }
})

test('no timer runs after stop', () => {
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  timers.after(1, () => assert.fail('happened'))
  timers.stop()
  clock.advance(10)
})
