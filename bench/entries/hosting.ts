import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { upToDateFolder } from '../../packages/sdk/build.ts'
import type { Entry, Goal } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { cpuMs } from '../process-stats.ts'
import { FASTIFY_STATIC, NGINX, startFilePeers, startHosting } from '../targets/bare/file-servers.ts'
import { deploy, type FileName, newHosting } from '../targets/hosted-files.ts'
import { ON_SQLITE } from '../targets/services.ts'

const timesNginx = (atMost: number): Goal => ({ number: 9, baseline: NGINX, atMost })

const ABOUT: Record<FileName, { name: string; about: string; goal: Goal }> = {
  'index.html': { name: 'page', about: 'A page of 4 KB, not compressed.', goal: timesNginx(3) },
  'app.js': {
    name: 'script',
    about: 'A script of 100 KB, in brotli; all servers have the compressed file ready.',
    goal: timesNginx(2.5),
  },
  'picture.png': { name: 'picture', about: 'A picture of 1 MB.', goal: timesNginx(2) },
}
const [DEPLOYED_FILES, DEPLOYED_BYTES] = [1_000, 4_096]
const SDK = join(await upToDateFolder(), 'sdk.js')

export async function hostingEntries(
  opened: AsyncDisposableStack,
  { connections, withPeers }: { connections: number; withPeers: boolean },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const hosting = await startHosting(opened)
  // Deploys go to a separate project, so that they do not replace the files that are measured.
  const secret = await newHosting(hosting.port, 'Deploys')
  const servers = [hosting, ...(withPeers ? await startFilePeers(opened) : [])]

  const files = (Object.keys(ABOUT) as FileName[]).map((file): Entry => {
    const { name, about, goal } = ABOUT[file]
    return {
      name: `hosting ${name}`,
      about: `${about} The service finds the app by its host and the active version by its row.`,
      comparedMetric: 'cpuMicros',
      baselines: [NGINX, FASTIFY_STATIC],
      lines: servers.map((server) => ({
        name: server.name,
        measure: async (ms) => perCpuSecond(await load(server, [server.requests[file]], ms)),
        goals: server.name === ON_SQLITE ? [goal] : [],
      })),
    }
  })
  return [
    ...files,
    {
      name: 'hosting deploy',
      about: 'A deployment of 1,000 new files of 4 KB: created, uploaded 8 at a time, and activated.',
      comparedMetric: 'cpuMs',
      baselines: [],
      lines: [{ name: ON_SQLITE, measure: () => deployed(hosting, secret) }],
    },
  ]
}

/** Size of the script that every page loads, without the optional entries. */
export const sdkEntries = (): Entry[] => [
  {
    name: 'SDK size',
    about: 'sdk.js as it is served, compressed with gzip level 9.',
    comparedMetric: 'gzipBytes',
    baselines: [],
    lines: [
      {
        name: 'sdk.js',
        measure: () => Promise.resolve({ gzipBytes: gzipSync(readFileSync(SDK), { level: 9 }).length }),
      },
    ],
  },
]

const perCpuSecond = (metrics: Metrics): Metrics => ({
  ...metrics,
  perCpuSecond: 1e6 / (metrics.cpuMicros ?? Number.NaN),
})

async function deployed({ port, pid }: Target, secret: string): Promise<Metrics> {
  const names = Array.from({ length: DEPLOYED_FILES }, (_, i) => `assets/part-${i}.bin`)
  const files = Object.fromEntries(names.map((name) => [name, randomBytes(DEPLOYED_BYTES)]))
  const [startedAt, before] = [performance.now(), cpuMs(pid)]
  await deploy(port, secret, files)
  return { wallMs: performance.now() - startedAt, cpuMs: cpuMs(pid) - before }
}
