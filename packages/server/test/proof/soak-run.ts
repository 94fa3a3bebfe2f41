import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { ask } from '../faults/functions-nodes.ts'
import type { DeliveryCounts } from '../realtime/clients.ts'
import { newGameServer } from '../realtime/game-server.ts'
import { startClients, withServer } from '../realtime/load-run.ts'
import { callerOf, type ServerProcess, setUpCallerOf } from '../server-process.ts'
import { commandLineOf, descendantsOf, openFiles, residentMegabytes } from './processes.ts'

export type SoakOptions = {
  seconds: number
  /** Players in rooms of four, each of whom sends a message per second. */
  sockets: number
  /** Players who save, report, read and refresh. */
  players: number
  /** Environments with functions. */
  functions: number
  /** Between two samples. */
  sampleSeconds: number
}
/** Memory in MB by kind of process, and open files of the service. */
export type Sample = { second: number; megabytes: Record<string, number>; files: number }
export type SoakReport = {
  deliveries: DeliveryCounts
  statuses: Record<string, number>
  samples: Sample[]
  isRunning: boolean
}

const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true, hosting: true, realtimeChannels: true },
  stats: [{ key: 'points', aggregation: 'sum' }],
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }] },
  share: { images: { enabled: true }, links: { enabled: true } },
}
/** Refreshes happen more often than a game needs them. */
const REFRESH_MS = 30_000
/** A player may report 60 times per minute. */
const REPORT_MS = 2_000
const SAVE_BYTES_MAX = 2_000

/** Everything at once for a long time on one server program: what grows without end shows itself. */
export async function runSoak(
  { seconds, sockets, players, functions, sampleSeconds }: SoakOptions,
  log: (line: string) => void,
): Promise<SoakReport> {
  findOrInstall('bubblewrap')
  return withServer({ SVC_RATE_LIMITS: 'off', SVC_BILLING: 'off' }, async (server) => {
    let isRunning = true
    void server.ended.then(() => (isRunning = false))
    const { publishableKey, secretKey } = await newGameServer(server, CONFIG)
    const clients = await startClients({ port: server.port, publishableKey, secretKey })
    const hosts = await Promise.all(
      Array.from({ length: functions }, async () =>
        deployFunction(server, (await newGameServer(server, CONFIG)).secretKey),
      ),
    )
    await clients.order({ do: 'gather', count: sockets })
    await clients.order({ do: 'sitDown' })

    const statuses: Record<string, number> = {}
    const count = (what: string) => void (statuses[what] = (statuses[what] ?? 0) + 1)
    const endsAt = performance.now() + seconds * 1_000
    const whileRunning = async (pauseMs: number, work: () => Promise<unknown>) => {
      while (performance.now() < endsAt && isRunning) {
        await work().catch((error: unknown) => count(String(error)))
        await pause(pauseMs)
      }
    }
    const samples: Sample[] = []
    try {
      const [deliveries] = await Promise.all([
        clients.order({ do: 'play', seconds }),
        ...Array.from({ length: players }, () => play(server, publishableKey, count, whileRunning)),
        ...hosts.map((host) =>
          whileRunning(1_000, async () => count(`function ${(await ask(server.port, host, '/')).status}`)),
        ),
        whileRunning(1_000, () => drawCard(server, publishableKey, count)),
        whileRunning(sampleSeconds * 1_000, async () => {
          const second = Math.round(seconds - (endsAt - performance.now()) / 1_000)
          const sample = { second, ...sampleOf(server.pid) }
          samples.push(sample)
          log(JSON.stringify(sample))
        }),
      ])
      return { deliveries: deliveries as DeliveryCounts, statuses, samples, isRunning }
    } finally {
      await clients.end()
    }
  })
}

async function deployFunction(server: ServerProcess, key: string): Promise<string> {
  await setUpCallerOf(server)('POST', '/v1/admin/functions/enable', { key, body: {} })
  const { status, body } = await callerOf(server)('POST', '/v1/admin/functions/deployments', {
    key,
    body: deploymentOf(`export default { fetch: () => new Response('hello') }`),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return new URL(body.url).host
}

type Count = (what: string) => void
type WhileRunning = (pauseMs: number, work: () => Promise<unknown>) => Promise<void>

async function play(server: ServerProcess, key: string, count: Count, whileRunning: WhileRunning) {
  const call = callerOf(server)
  let session = (await setUpCallerOf(server)('POST', '/v1/auth/guest', { key, body: {} })).body
  let refreshAt = performance.now() + REFRESH_MS
  let reportAt = 0
  await whileRunning(50, async () => {
    const player = { key, token: session.accessToken as string }
    const data = { text: 'x'.repeat(randomInt(SAVE_BYTES_MAX)) }
    count(`save ${(await call('PUT', '/v1/saves/slot', { ...player, body: { data } })).status}`)
    count(`read ${(await call('GET', '/v1/saves/slot', player)).status}`)
    if (performance.now() > reportAt) {
      const body = { stats: { points: 1 } }
      count(`stats ${(await call('POST', '/v1/stats', { ...player, body })).status}`)
      reportAt = performance.now() + REPORT_MS
    }
    if (performance.now() < refreshAt) return
    const { refreshToken } = session
    const answer = await call('POST', '/v1/auth/refresh', { key, body: { refreshToken } })
    count(`refresh ${answer.status}`)
    if (answer.status === 200) session = answer.body
    refreshAt = performance.now() + REFRESH_MS
  })
}

async function drawCard(server: ServerProcess, key: string, count: Count) {
  const call = callerOf(server)
  const guest = await call('POST', '/v1/auth/guest', { key, body: {} })
  const link = await call('POST', '/v1/share/links', {
    key,
    token: guest.body.accessToken,
    body: { kind: 'plain' },
  })
  count(`share link ${link.status}`)
  const { pathname } = new URL(link.body.imageUrl)
  const answer = await fetch(`http://127.0.0.1:${server.port}${pathname}`)
  await answer.arrayBuffer()
  count(`card ${answer.status}`)
}

const KINDS = ['workerd', 'takumi', 'launcher', 'egress', 'relay']

function sampleOf(pid: number): Omit<Sample, 'second'> {
  const megabytes: Record<string, number> = { service: Math.round(residentMegabytes(pid)) }
  for (const child of descendantsOf(pid)) {
    const commandLine = commandLineOf(child)
    const kind = KINDS.find((each) => commandLine.includes(each)) ?? 'other'
    megabytes[kind] = Math.round((megabytes[kind] ?? 0) + residentMegabytes(child))
  }
  return { megabytes, files: openFiles(pid) }
}
