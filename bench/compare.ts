import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { LOAD_GROUPS, type Loads, loadsOf, startFor } from './loads.ts'
import { median } from './metrics.ts'
import { CONNECTIONS } from './targets/seeders.ts'

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
    postgres: { type: 'boolean', default: false },
    connections: { type: 'string', default: String(CONNECTIONS) },
    starts: { type: 'string', default: '3' },
    turns: { type: 'string', default: '30' },
    ms: { type: 'string', default: '300' },
    rows: { type: 'string', default: '100000' },
  },
})
const WARM_UP_MS = 6_000

if (!LOAD_GROUPS.includes(values.of) || folders.length < 2)
  throw new Error(`two checkouts or more, and --of ${LOAD_GROUPS.join('|')}`)

/** Operation → for each checkout, its ratio to the first checkout in each start. */
const ratios = new Map<string, number[][]>(values.what.map((what) => [what, folders.map(() => [])]))

for (let start = 1; start <= Number(values.starts); start++) {
  await using opened = new AsyncDisposableStack()
  const services: Loads[] = []
  for (const folder of folders) {
    const service = await startFor(opened, values.of, {
      checkout: resolve(folder),
      postgres: values.postgres,
      rows: Number(values.rows),
      what: values.what,
    })
    services.push(await loadsOf(opened, values.of, service, Number(values.connections)))
  }

  for (const [what, ratiosByCheckout] of ratios) {
    const measure = async (loads: Loads, ms: number) => {
      const load = loads[what]
      if (!load) throw new Error(`--what ${Object.keys(loads).join('|')}`)
      return (await load(ms)).cpuMicros ?? Number.NaN
    }
    for (const service of services) await measure(service, WARM_UP_MS)
    const micros: number[][] = services.map(() => [])
    for (let turn = 0; turn < Number(values.turns); turn++)
      for (const [index, service] of services.entries())
        micros[index]?.push(await measure(service, Number(values.ms)))

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
