import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { loadsOf, startFor } from './loads.ts'
import { writeCalls } from './process-stats.ts'
import { freePort } from './processes.ts'
import { inspect } from './targets/profiler.ts'
import { CONNECTIONS } from './targets/seeders.ts'

/** Costs that hardly depend on other load of the machine, unlike CPU time. */
const GUARDED: Record<string, readonly string[]> = {
  saves: ['read', 'write'],
  stats: ['read', 'submit'],
  players: ['profile', 'guest'],
  hosting: ['index.html'],
  functions: ['get'],
  realtime: ['relay'],
}
/** What is written together, by the database and to sockets, depends on the load: counted where every answer is one write. */
const ONE_WRITE = ['saves read', 'stats read', 'players profile', 'hosting index.html']

const [WARM_UP_MS, MEASURE_MS, MEASUREMENTS] = [3_000, 400, 3]
/** Measurements of the same code differ by up to 16 %. */
const GROWTH_MAX = 1.3

type Cost = { allocatedBytes: number; writes?: number }
type Kept = Partial<Record<string, Cost>>

const FILE = join(import.meta.dirname, 'guard.json')
/**
 * Compares what an operation allocates, and how often it writes, with the values of `guard.json`, or stores new ones there. Returns
 * false if one has grown.
 */
export async function compareWithKept(mayStore: boolean): Promise<boolean> {
  const kept: Kept = mayStore ? {} : JSON.parse(readFileSync(FILE, 'utf8'))
  const measured: Kept = {}
  for (const [group, names] of Object.entries(GUARDED)) Object.assign(measured, await costsOf(group, names))
  const grown = Object.keys(measured).filter((name) => hasGrown(name, measured[name], kept[name]))
  if (mayStore) writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`)
  if (grown.length === 0) return true
  console.error(
    `${grown.join(', ')}: more than the kept value. Find the reason, or keep the new values with: npm run bench -- --guard --keep`,
  )
  return false
}

function hasGrown(name: string, cost: Cost | undefined, kept: Cost | undefined): boolean {
  let isGrown = false
  for (const unit of ['allocatedBytes', 'writes'] as const) {
    const [value, before] = [cost?.[unit], kept?.[unit]]
    if (value === undefined) continue
    const ratio = value / (before ?? value)
    isGrown ||= ratio > GROWTH_MAX
    console.log(`${name}: ${unit} ${value} (${before === undefined ? 'new' : ratio.toFixed(2)})`)
  }
  return isGrown
}

/** The least of several measurements: code that V8 has not compiled yet, or compiles again, allocates more. */
async function costsOf(group: string, names: readonly string[]): Promise<Kept> {
  await using opened = new AsyncDisposableStack()
  const port = await freePort()
  const service = await startFor(opened, group, { nodeArgs: [`--inspect=127.0.0.1:${port}`] })
  const loads = await loadsOf(opened, group, service, CONNECTIONS)
  const session = await inspect(port)
  opened.defer(session.close)

  async function allocated(): Promise<number> {
    const expression = "process.getBuiltinModule('node:v8').getHeapStatistics().total_allocated_bytes"
    const { result } = (await session.ask('Runtime.evaluate', { expression })) as {
      result: { value: number }
    }
    return result.value
  }

  const costs: Kept = {}
  for (const name of names) {
    const load = loads[name]
    if (!load) throw new Error(`${group} has ${Object.keys(loads).join(', ')}, not ${name}`)
    await load(WARM_UP_MS)
    const [allocations, writes]: [number[], number[]] = [[], []]
    for (let n = 0; n < MEASUREMENTS; n++) {
      const [bytesBefore, writesBefore] = [await allocated(), writeCalls(service.pid)]
      const { count } = await load(MEASURE_MS)
      allocations.push(((await allocated()) - bytesBefore) / count)
      writes.push((writeCalls(service.pid) - writesBefore) / count)
    }
    const operation = `${group} ${name}`
    costs[operation] = {
      allocatedBytes: Math.round(Math.min(...allocations)),
      ...(ONE_WRITE.includes(operation) && { writes: Number(Math.min(...writes).toFixed(2)) }),
    }
  }
  return costs
}
