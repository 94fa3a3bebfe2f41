import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { privateMb, rssMb, threadsCpuMs } from './process-stats.ts'
import { connectClients, type RealtimeTarget } from './targets/client-groups.ts'
import { newGuest } from './targets/guests.ts'
import { call, metricOf, newProject, startService } from './targets/service.ts'

/**
 * Adds idle sockets to one node until one is refused, then shows how the node behaves, and whether it recovers.
 *
 *     node --conditions=source bench/grow.ts --files 4096 --to 30000
 *
 * `--files` is the limit of open files of the service. The clients are several processes with several addresses, because each has limits of its
 * own. It ends at `--to` sockets if nothing breaks.
 */
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: '30000' },
    files: { type: 'string', default: '4096' },
    step: { type: 'string', default: '1000' },
  },
})
const [to, filesMax, step] = [values.to, values.files, values.step].map(Number) as [number, number, number]
const PER_ADDRESS = 20_000
const WATCHED_MS = 3_000

await using opened = new AsyncDisposableStack()
const log: string[] = []
const service = await startService({ filesMax, output: (text) => log.push(text) })
opened.defer(service.end)
const { port, pid } = service
const { publishable: key, secret } = await newProject(port, 'Grow', 'development')
await call(
  port,
  'PUT',
  '/v1/config',
  { 'x-svc-key': secret },
  { features: { realtimeChannels: true, saves: true } },
)
const headers = { 'x-svc-key': key, authorization: `Bearer ${await newGuest(port, key)}` }
// Their connection stays open for the requests below.
await answered()
const target: RealtimeTarget = {
  ...service,
  name: '',
  databases: [],
  dialect: 'svc',
  players: async () => [],
}
const groups: Awaited<ReturnType<typeof connectClients>>[] = []

let open = 0
let refusal: Error | undefined
while (open < to && refusal === undefined) {
  try {
    groups.push(await connectClients(opened, target, participants(open)))
    open += step
    console.log(`${open} sockets: ${await state()}`)
  } catch (error) {
    refusal = error as Error
  }
}
console.log(
  refusal === undefined ? `${open} sockets, nothing broke` : `after ${open} sockets: ${refusal.message}`,
)
if (refusal !== undefined) await observe()

async function observe() {
  const before = threadsCpuMs(pid)
  await sleep(WATCHED_MS)
  console.log(
    `CPU of ${WATCHED_MS / 1_000} s of refusing: ${Math.round(threadsCpuMs(pid) - before)} ms, ${await state()}`,
  )
  console.log(`an open connection writes a save: ${await answered()}`)
  console.log(`log: ${log.join('').trim().split('\n').slice(-1).join('')}`)
  await groups.shift()?.leave(step)
  await sleep(1_000)
  const again = connectClients(opened, target, participants(open).slice(0, step / 2))
  console.log(`after ${step} have left, ${step / 2} new ones: ${await again.then(() => 'connected', String)}`)
}

function participants(from: number) {
  return Array.from({ length: step }, (_, i) => ({
    port,
    joins: 'nothing' as const,
    name: '',
    isFirst: false,
    from: `127.0.0.${2 + Math.floor((from + i) / PER_ADDRESS)}`,
    key,
    token: '',
  }))
}

async function answered(): Promise<string> {
  const write = call(port, 'PUT', '/v1/saves/slot', headers, { data: 1 })
  return write.then(() => 'yes', String)
}

async function state(): Promise<string> {
  const [heap, lag] = await Promise.all([
    metricOf(port, 'nodejs_heap_size_used_bytes'),
    metricOf(port, 'nodejs_eventloop_lag_p99_seconds'),
  ]).catch(() => [Number.NaN, Number.NaN])
  return `${Math.round(rssMb(pid))} MB resident, ${Math.round(privateMb(pid))} private, ${Math.round((heap ?? 0) / 1e6)} heap, loop p99 ${((lag ?? 0) * 1_000).toFixed(0)} ms`
}
