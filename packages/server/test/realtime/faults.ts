import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { FAULTS, faultRound, type RoundReport } from './fault-round.ts'
import { startTwoNodes } from './two-nodes.ts'

/** node --conditions=source packages/server/test/realtime/faults.ts --rounds 20 [--only owner] */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, only: { type: 'string', default: '' } },
})
const chosen = FAULTS.filter((fault) => fault.includes(values.only))
const services = process.env['TEST_POSTGRES_URL'] ? undefined : await startServices({ sync: false })
if (services)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })

const reports: RoundReport[] = []
const cluster = await startTwoNodes()
try {
  for (let i = 0; i < Number(values.rounds); i++) {
    const fault = chosen[i % chosen.length]
    if (!fault) break
    const report = await faultRound(cluster, fault, i % 2 ? 'b' : 'a')
    reports.push(report)
    console.log(`${i + 1}: ${JSON.stringify(report)}`)
  }
} finally {
  await cluster.stop()
  await services?.stop()
  for (const line of cluster.logged) if (line) console.log(`logged: ${line.slice(0, 1_500)}`)
}
for (const fault of chosen) {
  const of = reports.filter((report) => report.fault === fault)
  const sum = (pick: (report: RoundReport) => number) => of.reduce((total, report) => total + pick(report), 0)
  console.log(
    `${fault}: ${of.length} rounds, ${sum(({ received }) => received.room_joined)} room_joined, ${sum(({ received }) => received.room_closed)} room_closed, ` +
      `${sum(({ received }) => received.nothing)} undisturbed, ${sum(({ deliveries }) => deliveries)} deliveries each once, ` +
      `known after ${Math.round(Math.max(...of.map(({ noticedMs }) => noticedMs)))} ms at most`,
  )
}
