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
const WITHIN_A_SECOND: Goal = { number: 7, metric: 'startMs', atMost: 1_000 }

export function startEntries(): Entry[] {
  const usedFolder = freshFolder()

  return [
    {
      name: 'start',
      about:
        'From the start of the process to the first response on /healthz, the CPU time until then, and the memory half a second later.',
      comparedMetric: 'startMs',
      baselines: [BARE],
      lines: [
        { name: 'svc, first start', measure: () => measured(startService()), goals: [WITHIN_A_SECOND] },
        {
          name: 'svc, next start',
          measure: () => measured(startService({ dataDir: usedFolder })),
          goals: [WITHIN_A_SECOND],
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
