import { after, before, describe, test } from 'node:test'

import { matchRound } from './match-round.ts'
import { startTwoNodes, type TwoNodes } from './two-nodes.ts'

// The short form. The long form is `node --conditions=source packages/server/test/realtime/matches.ts --kills 20`.

describe('quick match on two server programs', () => {
  let cluster: TwoNodes
  before(async () => void (cluster = await startTwoNodes()))
  after(() => cluster.stop())

  test('[WSK-14] [ROM-11] [ROM-12] when the owner of the queue is killed, every player gets exactly one seat and no room is too full', async (t) => {
    for (const [seed, owner] of (['a', 'b'] as const).entries())
      t.diagnostic(JSON.stringify(await matchRound(cluster, owner, 1 + 4 * seed)))
  })
})
