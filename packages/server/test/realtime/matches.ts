import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { matchRound } from './match-round.ts'
import { startTwoNodes } from './two-nodes.ts'

/** node --conditions=source packages/server/test/realtime/matches.ts --kills 20 */
const { values } = parseArgs({ options: { kills: { type: 'string', default: '20' } } })
const services = process.env['TEST_POSTGRES_URL'] ? undefined : await startServices({ sync: false })
if (services)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })

const cluster = await startTwoNodes()
try {
  for (let i = 0; i < Number(values.kills); i++)
    console.log(`${i + 1}: ${JSON.stringify(await matchRound(cluster, i % 2 ? 'b' : 'a', i))}`)
} finally {
  await cluster.stop()
  await services?.stop()
  for (const line of cluster.logged) if (line) console.log(`logged: ${line.slice(0, 1_500)}`)
}
