import assert from 'node:assert/strict'
import { test } from 'node:test'

import { inTurn, runs } from '../../src/testing/runs.ts'
import { killCycles } from './kill.ts'
import { powerCuts } from './power-cut.ts'
import { WORKLOADS } from './workloads.ts'
import { sentence } from './writers.ts'

// The short form. The long form is `node --conditions=source packages/server/test/faults/kill.ts --cycles 20` and `… power-cut.ts
// --runs 20`; with `--of saves` or `--of stats` it runs the whole service. The long form of this file runs both in both modes.
const WITH_SERVICE = {
  group: runs<What[]>(['saves'], ['saves', 'stats']),
  each: runs<What[]>(['stats'], ['saves', 'stats']),
}
type What = 'saves' | 'stats'

for (const syncMode of inTurn(['group', 'each'] as const)) {
  test(`kill -9 during writes loses no acknowledged write (${syncMode})`, async (t) => {
    const total = await killCycles(runs(2, 3), { syncMode })

    t.diagnostic(sentence('kill -9', total))
    assert.ok(total.acknowledged > 0)
    assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
  })

  test(`a power cut during writes loses no acknowledged write (${syncMode})`, async (t) => {
    const total = await powerCuts(runs(1, 2), { syncMode })
    if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

    t.diagnostic(sentence('power cut', total))
    assert.ok(total.acknowledged > 0)
    assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
  })

  for (const what of WITH_SERVICE[syncMode]) {
    test(`kill -9 of the whole service loses no acknowledged write of ${what} (${syncMode})`, async (t) => {
      const total = await killCycles(runs(1, 2), { workload: WORKLOADS[what], syncMode })

      t.diagnostic(sentence(`kill -9, ${what}`, total))
      assert.ok(total.acknowledged > 0)
      assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
    })

    test(`a power cut of the whole service loses no acknowledged write of ${what} (${syncMode})`, async (t) => {
      const total = await powerCuts(1, { workload: WORKLOADS[what], syncMode })
      if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

      t.diagnostic(sentence(`power cut, ${what}`, total))
      assert.ok(total.acknowledged > 0)
      assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
    })
  }
}

test('the power cut test detects a service that does not sync', async (t) => {
  const total = await powerCuts(2, { noSync: true })
  if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

  t.diagnostic(sentence('power cut, without any sync', total))
  assert.ok(total.lost > 0)
})
