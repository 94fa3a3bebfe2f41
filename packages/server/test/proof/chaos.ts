import { parseArgs } from 'node:util'

import { FAULTS, runChaos } from './chaos-run.ts'

/**
 * node --conditions=source packages/server/test/proof/chaos.ts [--minutes 60 --every 20 --only <part of a fault's name>]
 *
 * Two nodes with every part and engines of their own; every few seconds one of them fails. Ends with 1 if an acknowledged write was
 * lost, a request got an error other than 503, an email was lost or sent twice, or it took more than 10 seconds until all was normal.
 */
const NORMAL_MAX_MS = 10_000
/** What a request may get while a node or an engine is away. */
const EXPECTED = /^(?:PUT (?:200|409|503|401)|GET (?:200|404|503|401)|(?:PUT|GET) without an answer)$/
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
})
const faults = Object.keys(FAULTS).filter((name) => name.includes(values.only))
const rounds = Math.ceil((Number(values.minutes) * 60) / Number(values.every))
const log = (line: string) => console.log(line)
const report = await runChaos({ faults, rounds, quietMs: (Number(values.every) * 1_000) / 2 }, log)

let isGood = report.lost === 0 && report.numbers.lost === 0 && report.wrongMails === 0
for (const [name, times] of Object.entries(report.normalAfterMs)) {
  const slowest = Math.max(...times)
  if (slowest > NORMAL_MAX_MS) isGood = false
  log(`${name}: ${times.length} times, normal after ${slowest} ms at most`)
}
const unexpected = Object.keys(report.statuses).filter((status) => !EXPECTED.test(status))
if (unexpected.length > 0) isGood = false
log(`saves: ${report.acknowledged} acknowledged, ${report.lost} lost; ${JSON.stringify(report.statuses)}`)
log(`functions: ${report.numbers.acknowledged} acknowledged, ${report.numbers.lost} lost`)
log(`emails: ${report.wrongMails} lost or sent twice`)
if (unexpected.length > 0) log(`unexpected: ${unexpected.join(', ')}`)
for (const line of report.logged)
  if (line && !line.includes('service_unavailable')) log(`logged: ${line.slice(0, 1_000)}`)
process.exit(isGood ? 0 : 1)
