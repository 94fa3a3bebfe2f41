import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { startLoad, type Target } from './load.ts'
import { median } from './metrics.ts'
import type { Request } from './targets/requests.ts'
import { CONNECTIONS, SEEDERS } from './targets/seeders.ts'
import { startService } from './targets/service.ts'

/**
 * Compares the CPU cost of several checkouts with the first one, in short alternating runs. All checkouts are restarted several
 * times, because two processes of the same code differ by up to 4 %.
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

const seed = SEEDERS[values.of]
if (!seed || folders.length < 2)
  throw new Error(`two checkouts or more, and --of ${Object.keys(SEEDERS).join('|')}`)

/** Operation → for each checkout, its ratio to the first checkout in each start. */
const ratios = new Map<string, number[][]>(values.what.map((what) => [what, folders.map(() => [])]))

for (let start = 1; start <= Number(values.starts); start++) {
  await using opened = new AsyncDisposableStack()
  const load = startLoad(opened, Number(values.connections))
  const services: Measured[] = []
  for (const folder of folders) {
    const service = await startService({ checkout: resolve(folder) })
    opened.defer(service.end)
    services.push({ ...service, databases: [], requests: await seed(service) })
  }

  for (const [what, ratiosByCheckout] of ratios) {
    const measure = async ({ requests, ...target }: Measured, ms: number) => {
      const request = requests[what]
      if (!request) throw new Error(`--what ${Object.keys(requests).join('|')}`)
      return (await load(target, [request].flat(), ms)).cpuMicros ?? Number.NaN
    }
    for (const service of services) await measure(service, WARM_UP_MS)
    const micros: number[][] = services.map(() => [])
    for (let turn = 0; turn < Number(values.turns); turn++)
      for (const [index, service] of services.entries()) micros[index]?.push(await measure(service, TURN_MS))

    const [first = []] = micros
    const line = micros.map((each, index) => {
      const ratio = median(each.map((value, turn) => value / (first[turn] ?? Number.NaN)))
      ratiosByCheckout[index]?.push(ratio)
      return `${folders[index]} ${median(each).toFixed(1)} µs (${ratio.toFixed(3)})`
    })
    console.log(`start ${start}, ${what}: ${line.join(', ')}`)
  }
}

for (const [what, ratiosByCheckout] of ratios) {
  const means = ratiosByCheckout.map((each) => each.reduce((sum, ratio) => sum + ratio, 0) / each.length)
  console.log(`${what}: ${means.map((mean, index) => `${folders[index]} ${mean.toFixed(3)}`).join(', ')}`)
}
