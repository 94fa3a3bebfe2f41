import { after, before, describe, test } from 'node:test'

import * as fc from 'fast-check'

import { ChannelRun, channelSteps } from './channel-model-run.ts'
import { RoomRun, roomSteps } from './room-model-run.ts'
import { startTwoNodes, type TwoNodes } from './two-nodes.ts'

// The short form. The long form is `node --conditions=source packages/server/test/realtime/models.ts --runs 10 --kills 2`.

const options = { numRuns: 2, seed: 20_260_101, endOnFailure: true }

describe('two server programs, one of which is killed at times', () => {
  let cluster: TwoNodes
  before(async () => void (cluster = await startTwoNodes()))
  after(() => cluster.stop())

  test('[ROM-05] [ROM-08] [ROM-09] [ROM-15] [ROM-17] a room matches its model before and after the kill', async () => {
    await fc.assert(
      fc.asyncProperty(roomSteps(1), (steps) => new RoomRun(cluster).run(steps)),
      options,
    )
  })

  test('[CHN-02] [CHN-11] [CHN-15] [CHN-22] a channel matches its model, including moderation by the server', async () => {
    await fc.assert(
      fc.asyncProperty(channelSteps(1), (steps) => new ChannelRun(cluster).run(steps)),
      options,
    )
  })
})
