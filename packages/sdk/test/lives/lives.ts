import { parseArgs } from 'node:util'

import { runLives } from './lives-run.ts'

/**
 * node --conditions=source packages/sdk/test/lives/lives.ts [--players 10 --minutes 30 --longest 90 --seed 1]
 *
 * `longest`: the longest outage in seconds. Ends with 1 if something went wrong, and prints the seed.
 */
const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '30' },
    longest: { type: 'string', default: '90' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
console.log(`seed ${values.seed}`)
const report = await runLives(
  {
    players: Number(values.players),
    seconds: Number(values.minutes) * 60,
    seed: Number(values.seed),
    longestMs: Number(values.longest) * 1_000,
  },
  console.log,
)
console.log(`${report.reports} reports, ${report.wrong.length} wrong, seed ${values.seed}`)
process.exit(report.wrong.length > 0 ? 1 : 0)
