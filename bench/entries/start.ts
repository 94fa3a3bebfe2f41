import { setTimeout as sleep } from 'node:timers/promises'

import type { Entry, Goal } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { rssMb } from '../process-stats.ts'
import { freshFolder, type Server } from '../processes.ts'
import { startBare } from '../targets/bare/bare.ts'
import type { StoredResponse } from '../targets/requests.ts'
import { startService } from '../targets/service.ts'

const BARE = 'bare Fastify'
const HEALTH: StoredResponse = { path: '/healthz', status: 200, headers: {}, body: '{"status":"ok"}' }
const IDLE_AFTER_MS = 500
/** Three quarters of the CPU time of 61c2ae4, which was 2.5 times that of the bare server at the first start and 2.25 at the next. */
const goals = (cpuAtMost: number): Goal[] => [
  { number: 7, metric: 'startMs', atMost: 1_000 },
  { number: 7, baseline: BARE, atMost: cpuAtMost },
]

export function startEntries(): Entry[] {
  const usedFolder = freshFolder()

  return [
    {
      name: 'start',
      about:
        'From the start of the process to the first response on /healthz, the CPU time until then, and the memory half a second later.',
      comparedMetric: 'cpuMs',
      baselines: [BARE],
      lines: [
        { name: 'svc, first start', measure: () => measured(startService()), goals: goals(0.75 * 2.5) },
        {
          name: 'svc, next start',
          measure: () => measured(startService({ dataDir: usedFolder })),
          goals: goals(0.75 * 2.25),
        },
        { name: BARE, measure: () => measured(startBare('fastify', HEALTH)) },
      ],
    },
  ]
}

async function measured(starting: Promise<Server>): Promise<Metrics> {
  const { pid, startMs, startCpuMs, end } = await starting
  await sleep(IDLE_AFTER_MS)
  const metrics = { startMs, cpuMs: startCpuMs, rssMb: rssMb(pid) }
  await end()
  return metrics
}
