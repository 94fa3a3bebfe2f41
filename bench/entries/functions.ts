import { chmodSync } from 'node:fs'

import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { freshFolder, startScript } from '../processes.ts'
import {
  seedDeployments,
  seedFunctions,
  seedSavesAndFunctions,
  startBareWorkerd,
  startWithFunctions,
} from '../targets/function-calls.ts'
import type { FunctionsTask } from '../targets/functions.ts'
import { MINIFLARE, openMiniflare } from '../targets/miniflare.ts'
import { seedSaves } from '../targets/saves.ts'
import { ON_SQLITE } from '../targets/services.ts'

const START: Goal = { number: 8, metric: 'startMs', atMost: 250 }
const OWN_COST: Goal = { number: 8, metric: 'cpuMicros', atMost: 180 }
/** A CPU limit of 200 ms and 400 ms more. */
const LOOP: Goal = { number: 8, metric: 'wallMs', atMost: 600 }
const NEIGHBOUR: Goal = { number: 8, metric: 'p99Ms', atMost: 50 }

const MEMORY: Goal = { number: 8, metric: 'privateMb', atMost: 40 }
const WITHOUT = 'without functions'
const IDLE: Goal = { number: 8, baseline: WITHOUT, atMost: 1.05 }

const BARE = 'workerd alone, without sandbox'
/** Beside workerd's part. */
const CALL: Goal = { number: 10, metric: 'serviceCpuMicros', atMost: 180 }

/** The engine of functions: workerd in its sandbox; and a service whose functions are idle. */
export async function functionsEntries(
  opened: AsyncDisposableStack,
  options: { connections: number; withPeers: boolean },
): Promise<Entry[]> {
  return [
    ...engineEntries(opened, options),
    await callEntry(opened, options),
    await deployEntry(opened, options),
    await idleEntry(opened, options),
  ]
}

async function callEntry(
  opened: AsyncDisposableStack,
  { connections, withPeers }: { connections: number; withPeers: boolean },
): Promise<Entry> {
  const load = startLoad(opened, connections)
  const [service, bare] = [await startWithFunctions(), await startBareWorkerd()]
  opened.defer(service.end)
  opened.defer(bare.end)
  const target = { ...service, databases: [], hasWorkers: true as const }
  const { get, post } = await seedFunctions(service)
  const plain = { path: '/', headers: {}, status: 200 }
  const miniflare = withPeers ? await openMiniflare(opened).serve() : undefined
  return {
    name: 'functions call',
    about:
      'A request over HTTP to functions with a fixed answer. The CPU time of workerd is a part of its own.',
    comparedMetric: 'cpuMicros',
    baselines: [BARE, MINIFLARE],
    lines: [
      { name: BARE, measure: (ms) => load({ ...bare, databases: [] }, [plain], ms) },
      ...(miniflare ? [{ name: MINIFLARE, measure: (ms: number) => load(miniflare, [plain], ms) }] : []),
      { name: ON_SQLITE, measure: (ms) => load(target, [get], ms), goals: [CALL] },
      { name: `${ON_SQLITE}, with a body of 1 KB`, measure: (ms) => load(target, [post], ms) },
    ],
  }
}

async function deployEntry(
  opened: AsyncDisposableStack,
  { withPeers }: { withPeers: boolean },
): Promise<Entry> {
  const service = await startWithFunctions()
  opened.defer(service.end)
  const deploy = await seedDeployments(service)
  const miniflare = withPeers ? openMiniflare(opened) : undefined
  await miniflare?.serve()
  return {
    name: 'functions deploy',
    about:
      'From the request with new code to its first answer, while the code before it runs. CPU time includes workerd.',
    comparedMetric: 'wallMs',
    baselines: [MINIFLARE],
    lines: [
      { name: ON_SQLITE, measure: deploy },
      ...(miniflare ? [{ name: MINIFLARE, measure: miniflare.measureDeploy }] : []),
    ],
  }
}

async function idleEntry(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry> {
  const load = startLoad(opened, connections)
  const start = async () => {
    const service = await startWithFunctions()
    opened.defer(service.end)
    return { ...service, databases: [] }
  }
  const without = await start()
  const withFunctions = await start()
  const saves = await seedSaves(without)
  const { read, wake } = await seedSavesAndFunctions(withFunctions)
  return {
    name: 'functions idle',
    about: 'Reads of saves while functions of another project are deployed, and their process waits.',
    comparedMetric: 'cpuMicros',
    baselines: [WITHOUT],
    lines: [
      { name: WITHOUT, measure: (ms) => load(without, saves.read, ms) },
      {
        name: 'functions deployed and idle',
        async measure(ms) {
          await wake()
          return load(withFunctions, read, ms)
        },
        goals: [IDLE],
      },
    ],
  }
}

function engineEntries(opened: AsyncDisposableStack, { withPeers }: { withPeers: boolean }): Entry[] {
  const folder = freshFolder()
  // The account of the sandbox must be able to enter it.
  chmodSync(folder, 0o755)
  const script = startScript<FunctionsTask, Metrics>('targets/functions.ts', ['--data', folder])
  opened.defer(script.end)
  const miniflare = withPeers ? openMiniflare(opened) : undefined
  const measure = (what: FunctionsTask['what']) => (ms: number) => script.ask({ what, ms }, ms)

  return [
    {
      name: 'functions start',
      about:
        'From no process to the first answer, in the best sandbox of this machine; CPU time and memory of the process then.',
      comparedMetric: 'startMs',
      baselines: [BARE, MINIFLARE],
      lines: [
        { name: BARE, measure: measure('bareStart') },
        ...(miniflare ? [{ name: MINIFLARE, measure: miniflare.measureStarts }] : []),
        { name: 'without bindings', measure: measure('start') },
        { name: 'all bindings and a query', measure: measure('startWithBindings'), goals: [START, MEMORY] },
      ],
    },
    {
      name: 'functions request',
      about:
        'Requests through the engine, 32 at the same time. CPU time is that of the service, without workerd.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: [
        { name: 'fixed answer', measure: measure('request'), goals: [OWN_COST, MEMORY] },
        { name: 'read of a database', measure: measure('databaseRead'), goals: [MEMORY] },
        { name: 'read of a key', measure: measure('kvRead'), goals: [MEMORY] },
      ],
    },
    {
      name: 'functions loop',
      about:
        'An endless loop with a CPU limit of 200 ms: the time until it is ended, and the answers of another function during that time.',
      comparedMetric: 'wallMs',
      baselines: [],
      lines: [{ name: 'endless loop', measure: measure('loop'), goals: [LOOP, NEIGHBOUR] }],
    },
  ]
}
