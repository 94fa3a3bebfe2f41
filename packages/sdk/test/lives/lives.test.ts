import assert from 'node:assert/strict'
import { test } from 'node:test'

import { runs } from '../../../server/src/testing/runs.ts'
import { runLives } from './lives-run.ts'

/** On a busy machine time-outs of several attempts may have to pass, one after the other. */
const TIMEOUT_MS = 600_000

test(
  '[SES-14] [SAV-01] [STA-01] players with random lives: nobody is lost, and what was confirmed is there',
  { timeout: TIMEOUT_MS },
  async (t) => {
    const seed = Date.now() % 1_000_000
    const lives = runs({ players: 3, seconds: 10 }, { players: 10, seconds: 300 })
    const { wrong, reports } = await runLives({ ...lives, seed, longestMs: 4_000 }, (line) =>
      t.diagnostic(line),
    )
    assert.deepEqual(wrong, [], `the seed was ${seed}`)
    assert.ok(reports > 0)
  },
)
