import { parseArgs } from 'node:util'

import { runSoak } from './soak-run.ts'

/**
 * node --conditions=source packages/server/test/proof/soak.ts [--minutes 120 --sockets 2000 --players 20 --functions 5]
 *
 * Ends with 1 if a message was lost, a request got an error, or the memory of a process or the open files have grown by more than a
 * tenth after the first sixth of the time.
 */
const GROWTH_MAX = 1.1
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    sockets: { type: 'string', default: '2000' },
    players: { type: 'string', default: '20' },
    functions: { type: 'string', default: '5' },
  },
})
const seconds = Number(values.minutes) * 60
const { deliveries, statuses, samples, isRunning } = await runSoak(
  {
    seconds,
    sockets: Number(values.sockets),
    players: Number(values.players),
    functions: Number(values.functions),
    sampleSeconds: Math.min(60, seconds / 30),
  },
  (line) => console.log(line),
)

let isGood = isRunning && deliveries.lost === 0 && deliveries.duplicates === 0
const refused = Object.keys(statuses).filter((status) => !/ 20\d$/.test(status))
if (refused.length > 0) isGood = false
console.log(JSON.stringify({ deliveries, statuses }))

const settled = samples.filter(({ second }) => second >= seconds / 6)
/** The middle of the first, and of the last, five samples. */
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const growthOf = (pick: (sample: (typeof samples)[number]) => number) =>
  median(settled.slice(-5).map(pick)) / Math.max(1, median(settled.slice(0, 5).map(pick)))
const kinds = Object.keys(samples.at(-1)?.megabytes ?? {})
const growth = {
  ...Object.fromEntries(kinds.map((kind) => [kind, growthOf(({ megabytes }) => megabytes[kind] ?? 0)])),
  files: growthOf(({ files }) => files),
}
for (const [what, factor] of Object.entries(growth)) {
  if (factor > GROWTH_MAX) isGood = false
  console.log(`${what}: ${factor.toFixed(2)} times as much at the end`)
}
process.exit(isGood ? 0 : 1)
