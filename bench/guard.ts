import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { memoryFolder } from '../scripts/memory-folder.ts'
import { guardedOperations, type Operation } from './guard-operations.ts'
import { readCalls, writeCalls } from './process-stats.ts'
import { freePort } from './processes.ts'
import { startWithFunctions } from './targets/function-calls.ts'
import { inspect } from './targets/profiler.ts'

/**
 * Without its compilers V8 allocates what the code says, the same in every run. Compiled code allocates less, but what is compiled when
 * depends on the time, and differs by a sixth from run to run.
 */
const SAME_IN_EVERY_RUN = ['--no-opt', '--no-maglev', '--no-lazy-feedback-allocation']
/** Room for the objects of a measurement, so that nothing is collected during it: then the used memory grows by what is allocated. */
const NOT_COLLECTED = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']
const [WARM_UP, COUNT, MEASUREMENTS] = [50, 100, 6]

/** Twice as much as runs of the same code differ, also on a busy machine (docs/decisions/0091). */
const [GROWTH_MAX, GROWTH_MAX_IF_VARIES, MORE_CALLS_MAX] = [1.08, 1.3, 0.5]
const UNITS = ['allocatedBytes', 'reads', 'writes'] as const

type Unit = (typeof UNITS)[number]
/** Per operation. Calls are system calls of the whole process; what threads allocate is not counted. */
type Cost = Partial<Record<Unit, number>>
type Costs = Partial<Record<string, Cost>>

const FILE = join(import.meta.dirname, 'guard.json')
const TO_KEEP = 'npm run bench -- --guard --keep'

/**
 * Compares what operations allocate, and how often they read and write, with the values of `guard.json`, or stores new ones there.
 * Returns false if one has grown.
 */
export async function compareWithKept(mayStore: boolean): Promise<boolean> {
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Costs
  const measured = await measureAll()
  const grown = Object.entries(measured).flatMap(([name, cost = {}]) => compare(name, cost, kept[name]))
  if (mayStore) writeFileSync(FILE, textOf(measured))
  if (mayStore || grown.length === 0) return true
  console.error(`\nAn operation costs more than bench/guard.json says:\n  ${grown.join('\n  ')}`)
  console.error(`Remove the reason. If it is worth its cost, keep the new values: ${TO_KEEP}`)
  return false
}

/** Prints a line; returns what has grown. */
function compare(name: string, cost: Cost, kept: Cost = {}): string[] {
  const units = UNITS.filter((unit) => cost[unit] !== undefined)
  // Calls are counted where they are the same in every run.
  const growthMax = units.length === 1 ? GROWTH_MAX_IF_VARIES : GROWTH_MAX
  const grown: string[] = []
  const parts = units.map((unit) => {
    const [value = 0, before = 0] = [cost[unit], kept[unit]]
    const change =
      before === 0 ? 'new' : `${value < before ? '' : '+'}${((value / before - 1) * 100).toFixed(1)} %`
    const most = unit === 'allocatedBytes' ? before * growthMax : before * GROWTH_MAX + MORE_CALLS_MAX
    if (value > most) grown.push(`${name}: ${unit} ${before} → ${value} (${change})`)
    return `${unit} ${value} (${change})`
  })
  console.log(`${name}: ${parts.join(', ')}`)
  return grown
}

const textOf = (costs: Costs): string => {
  const lines = Object.entries(costs).map(([name, cost = {}]) => {
    const members = Object.entries(cost).map(([unit, value]) => `"${unit}": ${value}`)
    return `  "${name}": { ${members.join(', ')} }`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

async function measureAll(): Promise<Costs> {
  await using opened = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(memoryFolder(), 'svc-guard-'))
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  // The account of the sandbox must be able to enter it.
  chmodSync(dataDir, 0o755)
  const port = await freePort()
  const nodeArgs = [`--inspect=127.0.0.1:${port}`, ...SAME_IN_EVERY_RUN, ...NOT_COLLECTED]
  const service = await startWithFunctions({ dataDir, nodeArgs })
  opened.defer(service.end)
  const operations = await guardedOperations(opened, service)
  const session = await inspect(port)
  opened.defer(session.close)

  async function evaluate(expression: string): Promise<number> {
    const { result } = (await session.ask('Runtime.evaluate', { expression })) as {
      result: { value: number }
    }
    return result.value
  }

  async function measure(operation: Operation) {
    await evaluate("gc({ type: 'minor' })")
    const used = () => evaluate("process.getBuiltinModule('node:v8').getHeapStatistics().used_heap_size")
    const count = async () => [await used(), readCalls(service.pid), writeCalls(service.pid)] as const
    const before = await count()
    await operation.run(COUNT)
    const after = await count()
    const [bytes = 0, reads = 0, writes = 0] = after.map((value, at) => (value - (before[at] ?? 0)) / COUNT)
    return { bytes, reads, writes }
  }

  const costs: Costs = {}
  for (const operation of operations) {
    await operation.run(WARM_UP)
    const all = []
    for (let n = 0; n < MEASUREMENTS; n++) all.push(await measure(operation))
    costs[operation.name] = {
      allocatedBytes: Math.round(steady(all.map(({ bytes }) => bytes))),
      ...(!operation.varies && {
        reads: Number(steady(all.map(({ reads }) => reads)).toFixed(1)),
        writes: Number(steady(all.map(({ writes }) => writes)).toFixed(1)),
      }),
    }
  }
  return costs
}

/** The second least: work in the background adds to some measurements, and a collection would take from one. */
const steady = (values: number[]): number => values.toSorted((a, b) => a - b)[1] ?? Number.NaN
