import assert from 'node:assert/strict'
import { test } from 'node:test'

import { killCycles } from './kill.ts'
import { powerCuts } from './power-cut.ts'
import { WORKLOADS } from './workloads.ts'
import { sentence } from './writers.ts'

// The short form; `node --conditions=source packages/server/test/faults/kill.ts --cycles 20` and `… power-cut.ts --runs 20` are the long one, with `--of saves` or `--of stats` through the whole service.

for (const syncMode of ['group', 'each'] as const) {
  test(`kill -9 under writers loses no acknowledged write (${syncMode})`, async (t) => {
    const total = await killCycles(3, { syncMode })

    t.diagnostic(sentence('kill -9', total))
    assert.ok(total.acknowledged > 0)
    assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
  })

  test(`a power cut under writers loses no acknowledged write (${syncMode})`, async (t) => {
    const total = await powerCuts(2, { syncMode })
    if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

    t.diagnostic(sentence('power cut', total))
    assert.ok(total.acknowledged > 0)
    assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
  })

  for (const what of ['saves', 'stats'] as const) {
    test(`kill -9 of the whole service loses nothing acknowledged of ${what} (${syncMode})`, async (t) => {
      const total = await killCycles(2, { workload: WORKLOADS[what], syncMode })

      t.diagnostic(sentence(`kill -9, ${what}`, total))
      assert.ok(total.acknowledged > 0)
      assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
    })

    test(`a power cut under the whole service loses nothing acknowledged of ${what} (${syncMode})`, async (t) => {
      const total = await powerCuts(1, { workload: WORKLOADS[what], syncMode })
      if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

      t.diagnostic(sentence(`power cut, ${what}`, total))
      assert.ok(total.acknowledged > 0)
      assert.deepEqual({ lost: total.lost, broken: total.broken }, { lost: 0, broken: 0 })
    })
  }
}

test('the power cut notices a service that does not sync', async (t) => {
  const total = await powerCuts(2, { noSync: true })
  if ('impossible' in total) return t.diagnostic(`NOT SHOWN: ${total.impossible}`)

  t.diagnostic(sentence('power cut, without any sync', total))
  assert.ok(total.lost > 0)
})
