import { parseArgs } from 'node:util'

import { idle } from './launch/idle.ts'
import { link } from './launch/link.ts'
import { midnight } from './launch/midnight.ts'
import { neighbours } from './launch/neighbours.ts'
import { removal } from './launch/removal.ts'
import type { Finding, Situation } from './launch/situation.ts'
import { slowDatabase } from './launch/slow-database.ts'

/**
 * What happens to an installation on the day when a game becomes a hit, against the figures that the project promises. Everything runs on
 * loopback, with PostgreSQL whose commits take 2 ms, and ends by itself.
 *
 *     node --conditions=source bench/launch.ts                          # all, about an hour
 *     node --conditions=source bench/launch.ts --only midnight --scale 0.2
 *     node --conditions=source bench/launch.ts --checkout ../before     # another checkout, with its own node_modules
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    checkout: { type: 'string' },
    scale: { type: 'string', default: '1' },
  },
})

const SITUATIONS: readonly Situation[] = [slowDatabase, idle, midnight, link, neighbours, removal]

const chosen = SITUATIONS.filter(
  ({ name }) => values.only.length === 0 || values.only.some((only) => name.startsWith(only)),
)
const findings: Finding[] = []
for (const { name, run } of chosen) {
  console.log(`\n${name}`)
  await using opened = new AsyncDisposableStack()
  const options = {
    checkout: values.checkout,
    scale: Number(values.scale),
    log: (line: string) => console.log(`  ${line}`),
  }
  findings.push(...(await run(opened, options)))
}
console.log('\n| What | Measured | Goal | |\n|---|--:|--:|---|')
for (const { what, measured, goal, isMet } of findings)
  console.log(`| ${what} | ${measured} | ${goal} | ${isMet ? 'met' : 'missed'} |`)
process.exit(findings.every(({ isMet }) => isMet) ? 0 : 1)
