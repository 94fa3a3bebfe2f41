import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { openFiles } from '../../packages/server/src/engines/blobs/files.ts'
import { openWorkerd } from '../../packages/server/src/engines/functions/workerd/engine.ts'
import { findBinary } from '../../packages/server/src/engines/functions/workerd/process/binary.ts'
import { systemClock } from '../../packages/server/src/platform/clock.ts'
import type {
  FunctionBinding,
  FunctionsSpec,
  Running,
} from '../../packages/server/src/platform/ports/functions-engine.ts'
import { bodyText } from '../../packages/server/src/testing/body-text.ts'
import { median, type Metrics, percentile } from '../metrics.ts'
import { cpuMs, privateMb, rssMb } from '../process-stats.ts'
import { runWorkerLoop } from '../worker-loop.ts'

/** `…start…`: processes one after another, each to its first answer; `bareStart` without our code. `loop`: an endless loop, while requests go to another function. */
export type FunctionsTask = {
  what: 'bareStart' | 'start' | 'startWithBindings' | 'request' | 'databaseRead' | 'kvRead' | 'loop'
  ms: number
}

const CONCURRENT = 32
const CPU_LIMIT_MS = 200

const BINDINGS: FunctionBinding[] = [
  { type: 'db', name: 'DB', id: 'main' },
  { type: 'kv', name: 'KV', id: 'kv' },
  { type: 'files', name: 'FILES', id: 'files' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: null },
  { type: 'durable_object', name: 'ROOM', className: 'Room' },
]
const SCRIPT = `
import { DurableObject } from 'cloudflare:workers'
export class Room extends DurableObject {}
export default { async fetch(request, { DB, KV }) {
  switch (new URL(request.url).pathname) {
    case '/databaseRead': return Response.json(await DB.prepare('SELECT 1 AS one').all())
    case '/kvRead': return new Response(await KV.get('none'))
    case '/loop': for (;;) {}
    default: return new Response('ok')
  }
} }`

const { values } = parseArgs({ options: { data: { type: 'string', default: '' } } })
const engine = openWorkerd(
  { folder: join(values.data, 'functions'), sandbox: 'preferred', processesMax: 64, storageBytesMax: 1e9 },
  { clock: systemClock, log: () => {}, blobs: await openFiles(join(values.data, 'blobs')) },
)
let count = 0
const warm = await engine.start(specOf('warm', BINDINGS))

runWorkerLoop(({ what, ms }: FunctionsTask): Promise<Metrics> => {
  if (what === 'bareStart') return measureBareStarts(ms)
  if (what === 'start') return measureStarts([], ms)
  if (what === 'startWithBindings') return measureStarts(BINDINGS, ms)
  return what === 'loop' ? measureLoop() : measureRequests(`/${what}`, ms)
})

function specOf(dataId: string, bindings: FunctionBinding[], cpuMs = 30_000): FunctionsSpec {
  const modules = [{ name: 'main.js', type: 'esm' as const, content: Buffer.from(SCRIPT) }]
  return {
    environmentId: dataId,
    developerId: null,
    dataId,
    code: {
      mainModule: 'main.js',
      modules,
      bindings,
      vars: {},
      assets: null,
      compatibilityDate: engine.compatibilityDate,
    },
    limits: { cpuMs, subRequests: 50 },
    secrets: {},
    allowLoopback: false,
    onServiceCall: (_request, response) => void response.end(),
  }
}

async function ask(running: Running, path: string): Promise<string> {
  const requestId = `request-${++count}`
  const { body } = await running.fetch({
    method: 'GET',
    path,
    headers: { host: 'bench' },
    body: null,
    requestId,
  })
  return bodyText(body)
}

const memoryOf = (pid: number): Metrics => ({ rssMb: rssMb(pid), privateMb: privateMb(pid) })

async function measureStarts(bindings: FunctionBinding[], ms: number): Promise<Metrics> {
  const times: number[] = []
  const cpuTimes: number[] = []
  let memory = {}
  for (const until = performance.now() + ms; performance.now() < until;) {
    const running = await engine.start(specOf(`start-${++count}`, bindings))
    const startedAt = performance.now()
    await ask(running, bindings.length > 0 ? '/databaseRead' : '/')
    times.push(performance.now() - startedAt)
    const pid = engine.pids().at(-1) ?? 0
    cpuTimes.push(cpuMs(pid))
    memory = memoryOf(pid)
    await running.stop(0)
  }
  return { startMs: median(times), cpuMs: median(cpuTimes), ...memory }
}

const BARE_CONFIG = (socket: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "${engine.compatibilityDate}", modules = [
    (name = "main.js", esModule = "export default { fetch() { return new Response('ok') } }")]))],
  sockets = [(name = "http", address = "unix:${socket}", http = (), service = "main")]);`

/** workerd alone: no sandbox, one worker, no bindings. */
async function measureBareStarts(ms: number): Promise<Metrics> {
  const program = findBinary()?.path ?? ''
  const times: number[] = []
  const cpuTimes: number[] = []
  let memory = {}
  for (const until = performance.now() + ms; performance.now() < until;) {
    const folder = mkdtempSync(join(values.data, 'bare-'))
    const socketPath = join(folder, 'http.sock')
    writeFileSync(join(folder, 'config.capnp'), BARE_CONFIG(socketPath))
    const startedAt = performance.now()
    const child = spawn(program, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    const ended = once(child, 'close')
    await once(child.stdio[3] ?? child, 'data')
    const [response] = await once(request({ socketPath }).end(), 'response')
    await text(response)
    times.push(performance.now() - startedAt)
    cpuTimes.push(cpuMs(child.pid ?? 0))
    memory = memoryOf(child.pid ?? 0)
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  }
  return { startMs: median(times), cpuMs: median(cpuTimes), ...memory }
}

/** CPU time is that of this process, without workerd: what the service adds to each request. */
async function measureRequests(path: string, ms: number): Promise<Metrics> {
  const latencies: number[] = []
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const until = startedAt + ms; performance.now() < until;) {
        const sentAt = performance.now()
        await ask(warm, path)
        latencies.push(performance.now() - sentAt)
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  latencies.sort((a, b) => a - b)
  return {
    cpuMicros: (user + system) / latencies.length,
    perSecond: latencies.length / ((performance.now() - startedAt) / 1_000),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    // The process that was started first.
    ...memoryOf(engine.pids()[0] ?? 0),
  }
}

/** How long a loop runs until it is ended, and the 99th percentile of the answers of another function during that time. */
async function measureLoop(): Promise<Metrics> {
  await ask(warm, '/')
  const looping = await engine.start(specOf(`loop-${++count}`, [], CPU_LIMIT_MS))
  await ask(looping, '/')
  const startedAt = performance.now()
  const latencies: number[] = []
  let isOver = false
  const ended = ask(looping, '/loop').catch(() => (isOver = true))
  while (!isOver) {
    const sentAt = performance.now()
    await ask(warm, '/')
    latencies.push(performance.now() - sentAt)
  }
  await ended
  const wallMs = performance.now() - startedAt
  await looping.stop(0)
  latencies.sort((a, b) => a - b)
  return { wallMs, p99Ms: percentile(latencies, 0.99) }
}
