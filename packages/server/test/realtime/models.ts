import { parseArgs } from 'node:util'

import * as fc from 'fast-check'

import { startServices } from '../../../../scripts/services.ts'
import { ChannelRun, channelSteps } from './channel-model-run.ts'
import { RoomRun, roomSteps } from './room-model-run.ts'
import { startTwoNodes } from './two-nodes.ts'

/** node --conditions=source packages/server/test/realtime/models.ts --runs 10 --kills 2 --seed 1 [--only room|channel] */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    kills: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
  },
})
const services = process.env['TEST_POSTGRES_URL'] ? undefined : await startServices({ sync: false })
if (services)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })

console.log(`seed ${values.seed}`)
const kills = Number(values.kills)
const counts = { steps: 0, kills: 0 }
const counted = <T extends { do: string }>(steps: T[]): T[] => {
  counts.steps += steps.length
  counts.kills += steps.filter((step) => step.do === 'kill').length
  return steps
}
const cluster = await startTwoNodes()
const properties = {
  room: fc.asyncProperty(roomSteps(kills), (steps) => new RoomRun(cluster).run(counted(steps))),
  channel: fc.asyncProperty(channelSteps(kills), (steps) => new ChannelRun(cluster).run(counted(steps))),
}
try {
  const options = { numRuns: Number(values.runs), seed: Number(values.seed), endOnFailure: true }
  for (const [name, property] of Object.entries(properties)) {
    if (!name.includes(values.only)) continue
    await fc.assert(property as fc.IAsyncProperty<[object[]]>, options)
    console.log(
      `${name}: ${values.runs} runs, so far ${counts.steps} steps and ${counts.kills} kills, as the model says`,
    )
  }
} finally {
  await cluster.stop()
  await services?.stop()
}
