import { setTimeout as sleep } from 'node:timers/promises'

import type { Figures } from '../figures.ts'
import type { Entry, Goal } from '../harness.ts'
import { rssMb } from '../proc.ts'
import { freshFolder, type Server } from '../processes.ts'
import { startBare } from '../targets/bare.ts'
import type { Answer } from '../targets/requests.ts'
import { startService } from '../targets/service.ts'

const BARE = 'bare Fastify'
const HEALTH: Answer = { path: '/healthz', status: 200, headers: {}, body: '{"status":"ok"}' }
const IDLE_AFTER_MS = 500
const WITHIN_A_SECOND: Goal = { number: 7, figure: 'startMs', atMost: 1_000 }

export function startEntries(): Entry[] {
  const kept = freshFolder()

  return [
    {
      name: 'start',
      about:
        'From the start of the process to the first answer on /healthz, the CPU spent until then, and the memory half a second later.',
      compared: 'startMs',
      against: [BARE],
      lines: [
        { name: 'svc, first start', measure: () => measured(startService()), goals: [WITHIN_A_SECOND] },
        {
          name: 'svc, next start',
          measure: () => measured(startService({ dataDir: kept })),
          goals: [WITHIN_A_SECOND],
        },
        { name: BARE, measure: () => measured(startBare('fastify', HEALTH)) },
      ],
    },
  ]
}

async function measured(starting: Promise<Server>): Promise<Figures> {
  const { pid, startMs, startCpuMs, end } = await starting
  await sleep(IDLE_AFTER_MS)
  const figures = { startMs, cpuMs: startCpuMs, rssMb: rssMb(pid) }
  await end()
  return figures
}
