import { after, before, describe, test } from 'node:test'

import { type Fault, faultRound } from './fault-round.ts'
import { startTwoNodes, type TwoNodes } from './two-nodes.ts'

// The short form. The long form, with all faults, is `node --conditions=source packages/server/test/realtime/faults.ts --rounds
// 20`.

const faults: Fault[] = ['kill -9 of the owner', 'owner frozen beyond its lease', 'Redis flushed']

describe('rooms and channels on two server programs', () => {
  let cluster: TwoNodes
  before(async () => void (cluster = await startTwoNodes()))
  after(() => cluster.stop())

  for (const [i, fault] of faults.entries())
    test(`[WSK-14] [ROM-09] [CHN-17] [CHN-22] ${fault}: all players are in one room with the saved state, or were told that it closed, and channels continue`, async (t) => {
      const { received, noticedMs, deliveries } = await faultRound(cluster, fault, i % 2 ? 'b' : 'a')
      t.diagnostic(
        `${JSON.stringify(received)}, known after ${Math.round(noticedMs)} ms, ${deliveries} deliveries, each once`,
      )
    })
})
