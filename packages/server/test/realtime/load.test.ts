import assert from 'node:assert/strict'
import { test } from 'node:test'

import { abuse, stopReading, restart } from './load-abuse.ts'
import { load } from './load-run.ts'

// The short form. The long form, with 12,000 sockets, is `node --conditions=source packages/server/test/realtime/load.ts`.

const nothingWrong = { lost: 0, duplicates: 0 }

test('[ROM-14] no message is lost in rooms of four while many idle sockets are connected', async (t) => {
  const { sent, lost, duplicates, residentMiB } = await load({ idle: 200, active: 100, seconds: 3 })
  t.diagnostic(`${sent} messages to three each; MiB: ${JSON.stringify(residentMiB)}`)
  assert.equal(sent, 300)
  assert.deepEqual({ lost, duplicates }, nothingWrong)
})

test('[WSK-17] players who stop reading are disconnected, and their rooms continue', async (t) => {
  const { cut, beforeMiB, mostMiB } = await stopReading(5)
  t.diagnostic(`${beforeMiB} MiB before, ${mostMiB} MiB at most`)
  assert.equal(cut, 5)
})

test('[WSK-12] [WSK-04] a player who floods a room is closed with 4029, and no message of the others is lost', async (t) => {
  const { lost, duplicates, sent, abusers, floodFrames } = await abuse(6)
  t.diagnostic(`${floodFrames} frames of abusers`)
  assert.deepEqual(abusers, { '4029 rate_limited': 10 })
  assert.equal(sent, 240)
  assert.deepEqual({ lost, duplicates }, nothingWrong)
})

test('[WSK-14] [ROM-09] on SIGTERM every player is warned and closed with 1012, and has its seat after the restart', async () => {
  const count = 120
  assert.deepEqual(await restart(count), {
    count,
    warned: count,
    closes: { '1012 server_restarting': count },
    exit: { code: 0, errors: '' },
    resumed: count,
  })
})
