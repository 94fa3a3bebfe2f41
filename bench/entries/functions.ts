import { chmodSync } from 'node:fs'

import type { Entry, Goal } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { freshFolder, startScript } from '../processes.ts'
import type { FunctionsTask } from '../targets/functions.ts'

const START: Goal = { number: 8, metric: 'startMs', atMost: 250 }
const OWN_COST: Goal = { number: 8, metric: 'cpuMicros', atMost: 180 }
/** A CPU limit of 200 ms and 400 ms more. */
const LOOP: Goal = { number: 8, metric: 'wallMs', atMost: 600 }
const NEIGHBOUR: Goal = { number: 8, metric: 'p99Ms', atMost: 50 }

const BARE = 'workerd alone, without sandbox'

/** The engine of functions: workerd in its sandbox. */
export function functionsEntries(opened: AsyncDisposableStack): Entry[] {
  const folder = freshFolder()
  // The account of the sandbox must be able to enter it.
  chmodSync(folder, 0o755)
  const script = startScript<FunctionsTask, Metrics>('targets/functions.ts', ['--data', folder])
  opened.defer(script.end)
  const measure = (what: FunctionsTask['what']) => (ms: number) => script.ask({ what, ms }, ms)

  return [
    {
      name: 'functions start',
      about:
        'From no process to the first answer, in the best sandbox of this machine; CPU time and memory of the process then.',
      comparedMetric: 'startMs',
      baselines: [BARE],
      lines: [
        { name: BARE, measure: measure('bareStart') },
        { name: 'without bindings', measure: measure('start') },
        { name: 'all bindings and a query', measure: measure('startWithBindings'), goals: [START] },
      ],
    },
    {
      name: 'functions request',
      about:
        'Requests through the engine, 32 at the same time. CPU time is that of the service, without workerd.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: [
        { name: 'fixed answer', measure: measure('request'), goals: [OWN_COST] },
        { name: 'read of a database', measure: measure('databaseRead') },
        { name: 'read of a key', measure: measure('kvRead') },
      ],
    },
    {
      name: 'functions loop',
      about:
        'An endless loop with a CPU limit of 200 ms: the time until it is ended, and the answers of a neighbour meanwhile.',
      comparedMetric: 'wallMs',
      baselines: [],
      lines: [{ name: 'endless loop', measure: measure('loop'), goals: [LOOP, NEIGHBOUR] }],
    },
  ]
}
