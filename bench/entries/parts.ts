import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Entry, Line } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { privateMb, rssMb } from '../process-stats.ts'
import { freshFolder } from '../processes.ts'
import { metricOf, startService } from '../targets/service.ts'

const DEFAULTS = 'embedded defaults'
const IDLE_AFTER_MS = 1_000
/** Nothing listens on this port: a part that is only opened does not need its server. */
const NOWHERE = '127.0.0.1:9'

type Settings = Record<string, string>

/** What an operator can switch on by settings. Features of projects need no setting, so they are part of the defaults. */
const PARTS: Record<string, Settings> = {
  SMTP: { SMTP_URL: `smtp://${NOWHERE}`, SVC_MAIL_FROM: 'svc@example.com' },
  Stripe: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
  S3: {
    SVC_BLOBS_URL: `s3://bucket?endpoint=http://${NOWHERE}&region=eu`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  },
  tracing: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${NOWHERE}` },
  'point in time': { SVC_BACKUP_WAL_SECONDS: '10' },
  'own TURN': { TURN_URLS: `turn:${NOWHERE}`, TURN_SECRET: 'secret' },
  'no billing': { SVC_BILLING: 'off' },
}

/** Writes what was loaded until the banner into a file. */
const recorder = (file: string) => `
import { statSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const files = new Set()
registerHooks({ load: (url, context, next) => (url.startsWith('file:') && files.add(url), next(url, context)) })
const print = console.log
console.log = (...values) => {
  const bytes = [...files].reduce((sum, url) => sum + statSync(new URL(url)).size, 0)
  writeFileSync(${JSON.stringify(file)}, JSON.stringify({ files: files.size, bytes, node: process.moduleLoadList.length }))
  print(...values)
}`

/** Memory and CPU time of a start, with each part switched on in turn. */
export function partEntries(opened: AsyncDisposableStack, { postgres }: { postgres: boolean }): Entry[] {
  const redis = lazy(async () => {
    const server = await startRedis()
    opened.defer(server.stop)
    return { REDIS_URL: server.url }
  })
  const database = lazy(async () => {
    const server = await startPostgres({ sync: true })
    opened.defer(server.stop)
    return { DATABASE_URL: server.url }
  })
  const lines: [string, () => Settings | Promise<Settings>][] = [
    [DEFAULTS, () => ({})],
    ...Object.entries(PARTS).map(([name, settings]): [string, () => Settings] => [name, () => settings]),
    ...(postgres
      ? (
          [
            ['Redis', redis],
            ['PostgreSQL', database],
          ] as const
        ).map(([name, open]): [string, typeof open] => [name, open])
      : []),
  ]
  return [
    {
      name: 'parts at the start',
      about:
        'A start on a used data folder, with one part switched on at a time: CPU time until the first response, memory a second later, and what was loaded until the banner.',
      comparedMetric: 'privateMb',
      baselines: [DEFAULTS],
      lines: lines.map(([name, settings]) => lineOf(name, settings)),
    },
  ]
}

function lineOf(name: string, settings: () => Settings | Promise<Settings>): Line {
  const dataDir = freshFolder()
  const loaded = lazy(async () => loadedBy(dataDir, await settings()))

  return {
    name,
    async measure() {
      const counts = await loaded()
      const { pid, port, startMs, startCpuMs, end } = await startService({
        dataDir,
        settings: await settings(),
      })
      await sleep(IDLE_AFTER_MS)
      const heapMb = (await metricOf(port, 'nodejs_heap_size_used_bytes')) / 1e6
      const memory = { rssMb: rssMb(pid), privateMb: privateMb(pid), heapMb }
      await end()
      return { startMs, cpuMs: startCpuMs, ...memory, ...counts }
    },
  }
}

async function loadedBy(dataDir: string, settings: Settings): Promise<Metrics> {
  const file = join(freshFolder(), 'loaded.json')
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(recorder(file))}`]
  const printed = Promise.withResolvers<void>()
  const { end } = await startService({
    dataDir,
    settings,
    nodeArgs,
    output: (text) => void (text.includes('ready in') && printed.resolve()),
  })
  await printed.promise
  await end()
  const { files, bytes, node } = JSON.parse(readFileSync(file, 'utf8')) as Record<
    'files' | 'bytes' | 'node',
    number
  >
  return { loadedFiles: files, loadedKb: bytes / 1e3, nodeParts: node }
}
