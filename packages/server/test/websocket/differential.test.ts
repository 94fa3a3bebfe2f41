import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compareServers, compareSessions } from './differential.ts'

const seed = Number(process.hrtime.bigint() % 1_000_000_000n)

test('[WSK-05] the same bytes lead to the same messages and close codes as with ws', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const outcomes = await compareServers({ cases: 400, seed })
  t.diagnostic([...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', '))
  for (const outcome of ['1006', '1002', '1007'])
    assert.ok((outcomes.get(outcome) ?? 0) > 0, `no case ends in ${outcome}`)
})

test('[WSK-05] a ws client sees the same with our server as with a ws server', async (t) => {
  t.diagnostic(`seed ${seed}`)
  await compareSessions({ cases: 200, seed })
})
