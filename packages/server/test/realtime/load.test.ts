import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './load-run.ts'
import { abuse, hangUp, restart } from './load-trouble.ts'

// The short form; `node --conditions=source packages/server/test/realtime/load.ts` is the long one, with 12,000 sockets.

const nothingWrong = { lost: 0, twice: 0 }

test('[ROM-14] whoever plays in rooms of four hears everything, among many who are only there', async (t) => {
  const { sent, lost, twice, residentMiB } = await load({ idle: 200, active: 100, seconds: 3 })
  t.diagnostic(`${sent} messages to three each; MiB: ${JSON.stringify(residentMiB)}`)
  assert.equal(sent, 300)
  assert.deepEqual({ lost, twice }, nothingWrong)
})

test('[WSK-17] players who stop reading are cut off, and their rooms go on', async (t) => {
  const { cut, beforeMiB, mostMiB } = await hangUp(5)
  t.diagnostic(`${beforeMiB} MiB before, ${mostMiB} MiB at most`)
  assert.equal(cut, 5)
})

test('[WSK-12] [WSK-04] one who floods each of ten rooms is ended with 4029, and costs the others no message', async (t) => {
  const { lost, twice, sent, abusers, floodFrames } = await abuse(6)
  t.diagnostic(`${floodFrames} frames of abusers`)
  assert.deepEqual(abusers, { '4029 rate_limited': 10 })
  assert.equal(sent, 240)
  assert.deepEqual({ lost, twice }, nothingWrong)
})

test('[WSK-14] [ROM-09] on SIGTERM everybody is warned and closed with 1012, and has the seat after the restart', async () => {
  const count = 120
  assert.deepEqual(await restart(count), {
    count,
    warned: count,
    closes: { '1012 server_restarting': count },
    exit: { code: 0, errors: '' },
    resumed: count,
  })
})
