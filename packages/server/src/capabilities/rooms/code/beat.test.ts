import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, DAY_MS, HOUR_MS, SECOND_MS } from '../../../platform/clock.ts'
import { createTimers } from '../../../platform/time/timers.ts'
import { Beat } from './beat.ts'

for (const [what, stepMs] of [
  ['a second back', -SECOND_MS],
  ['an hour back', -HOUR_MS],
  ['40 days forward', 40 * DAY_MS],
] as const)
  test(`[GEN-55] [RWC-59] 20 ticks a second stay 20, and none is late, when the clock is set ${what}`, () => {
    const clock = createStoppedClock()
    const timers = createTimers(clock)
    const [ticks, late] = [{ count: 0 }, { count: 0 }]
    const beat = new Beat<string>({
      clock,
      timers,
      originMs: clock.elapsedMs(),
      tickRate: 20,
      slots: () => 1,
      due(_, missed) {
        ticks.count++
        late.count += missed
      },
    })
    beat.add('room')
    for (let ms = 0; ms < 3 * SECOND_MS; ms++) {
      if (ms === 1_010) clock.step(stepMs)
      clock.advance(1)
    }
    beat.stop()
    timers.stop()
    assert.deepEqual([ticks.count, late.count], [60, 0])
  })
