import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Figures } from '../figures.ts'
import type { Entry } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import { cpuMs } from '../proc.ts'
import { FASTIFY_STATIC, NGINX, startFilePeers, startHosting } from '../targets/file-servers.ts'
import { deploy, type FileName, newHosting } from '../targets/hosted-files.ts'
import { ON_SQLITE } from '../targets/services.ts'

const ABOUT: Record<FileName, { name: string; about: string }> = {
  'index.html': { name: 'page', about: 'A page of 4 KB, as it is.' },
  'app.js': { name: 'script', about: 'A script of 100 KB, in brotli; all servers have the copy ready.' },
  'picture.png': { name: 'picture', about: 'A picture of 1 MB.' },
}
const [DEPLOYED_FILES, DEPLOYED_BYTES] = [1_000, 4_096]
const SDK = join(import.meta.dirname, '../../packages/sdk/built/sdk.js')

export async function hostingEntries(
  opened: AsyncDisposableStack,
  { connections, withPeers }: { connections: number; withPeers: boolean },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const hosting = await startHosting(opened)
  // Of another project: what is deployed there takes no other file's place.
  const secret = await newHosting(hosting.port, 'Deploys')
  const servers = [hosting, ...(withPeers ? await startFilePeers(opened) : [])]

  const files = (Object.keys(ABOUT) as FileName[]).map((file): Entry => {
    const { name, about } = ABOUT[file]
    return {
      name: `hosting ${name}`,
      about: `${about} The service finds the app by its host and the live version by its row.`,
      compared: 'cpuMicros',
      against: [NGINX, FASTIFY_STATIC],
      lines: servers.map((server) => ({
        name: server.name,
        measure: async (ms) => perCpuSecond(await load(server, [server.requests[file]], ms)),
      })),
    }
  })
  return [
    ...files,
    {
      name: 'hosting deploy',
      about: '1,000 files of 4 KB that nobody has seen before, told, uploaded by 8 at once, and made live.',
      compared: 'cpuMs',
      against: [],
      lines: [{ name: ON_SQLITE, measure: () => deployed(hosting, secret) }],
    },
  ]
}

/** What a page loads, without what only some need. */
export const sdkEntries = (): Entry[] => [
  {
    name: 'SDK size',
    about: 'sdk.js as it is served, packed by gzip at its best.',
    compared: 'gzipBytes',
    against: [],
    lines: [
      {
        name: 'sdk.js',
        measure: () => Promise.resolve({ gzipBytes: gzipSync(readFileSync(SDK), { level: 9 }).length }),
      },
    ],
  },
]

const perCpuSecond = (figures: Figures): Figures => ({
  ...figures,
  perCpuSecond: 1e6 / (figures.cpuMicros ?? Number.NaN),
})

async function deployed({ port, pid }: Target, secret: string): Promise<Figures> {
  const names = Array.from({ length: DEPLOYED_FILES }, (_, i) => `assets/part-${i}.bin`)
  const files = Object.fromEntries(names.map((name) => [name, randomBytes(DEPLOYED_BYTES)]))
  const [startedAt, before] = [performance.now(), cpuMs(pid)]
  await deploy(port, secret, files)
  return { wallMs: performance.now() - startedAt, cpuMs: cpuMs(pid) - before }
}
