import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { median } from './figures.ts'
import { startLoad, type Target } from './load.ts'
import { CONNECTIONS, FURNISHERS } from './targets/furnishers.ts'
import type { Request } from './targets/requests.ts'
import { startService } from './targets/service.ts'

/**
 * Whether a change makes the service cheaper: checkouts of it against the first of them, in short turns. All are started anew several
 * times, because one process differs from the next of the same code by up to 4 %.
 *
 *     node --conditions=source bench/compare.ts ../before . --of saves --what read --what write
 */
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    of: { type: 'string', default: 'saves' },
    what: { type: 'string', multiple: true, default: ['read'] },
    connections: { type: 'string', default: String(CONNECTIONS) },
    starts: { type: 'string', default: '3' },
    turns: { type: 'string', default: '30' },
  },
})
type Measured = Target & { requests: Record<string, Request | Request[]> }

const WARM_UP_MS = 6_000
const TURN_MS = 300

const furnish = FURNISHERS[values.of]
if (!furnish || folders.length < 2)
  throw new Error(`two checkouts or more, and --of ${Object.keys(FURNISHERS).join('|')}`)

/** By what is asked, then by checkout: the ratio to the first one, of each start. */
const ratios = new Map<string, number[][]>(values.what.map((what) => [what, folders.map(() => [])]))

for (let start = 1; start <= Number(values.starts); start++) {
  await using opened = new AsyncDisposableStack()
  const load = startLoad(opened, Number(values.connections))
  const services: Measured[] = []
  for (const folder of folders) {
    const service = await startService({ checkout: resolve(folder) })
    opened.defer(service.end)
    services.push({ ...service, databases: [], requests: await furnish(service) })
  }

  for (const [what, known] of ratios) {
    const measure = async ({ requests, ...target }: Measured, ms: number) => {
      const asked = requests[what]
      if (!asked) throw new Error(`--what ${Object.keys(requests).join('|')}`)
      return (await load(target, [asked].flat(), ms)).cpuMicros ?? Number.NaN
    }
    for (const service of services) await measure(service, WARM_UP_MS)
    const micros: number[][] = services.map(() => [])
    for (let turn = 0; turn < Number(values.turns); turn++)
      for (const [index, service] of services.entries()) micros[index]?.push(await measure(service, TURN_MS))

    const [first = []] = micros
    const line = micros.map((each, index) => {
      const ratio = median(each.map((value, turn) => value / (first[turn] ?? Number.NaN)))
      known[index]?.push(ratio)
      return `${folders[index]} ${median(each).toFixed(1)} µs (${ratio.toFixed(3)})`
    })
    console.log(`start ${start}, ${what}: ${line.join(', ')}`)
  }
}

for (const [what, known] of ratios) {
  const means = known.map((each) => each.reduce((sum, ratio) => sum + ratio, 0) / each.length)
  console.log(`${what}: ${means.map((mean, index) => `${folders[index]} ${mean.toFixed(3)}`).join(', ')}`)
}
