import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import { ask } from '../faults/functions-nodes.ts'
import { ReconnectingPlayer } from '../realtime/reconnecting-player.ts'
import { type Send, sendTo, startSavers } from '../saving-players.ts'
import { callerOf } from '../server-process.ts'
import {
  canMount,
  type ChaosCluster,
  DISK_NODE,
  type NodeName,
  NODES,
  startChaosCluster,
} from './chaos-cluster.ts'

/** How long a server is away, frozen or full. */
const FAULT_MS = 10_000
const LIBFAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

type Fault = (cluster: ChaosCluster, node: NodeName, ms: number) => Promise<unknown>

/** Each resolves when the fault is over. */
export const FAULTS: Record<string, Fault> = {
  'kill -9 of a node': async (cluster, node) => {
    await cluster.kill(node)
    await cluster.start(node)
  },
  'a node frozen': async ({ nodes }, node, ms) => {
    nodes[node].signal('SIGSTOP')
    await pause(ms)
    nodes[node].signal('SIGCONT')
  },
  'Redis restarted': (cluster) => cluster.restartRedis(),
  'Redis flushed': (cluster) => cluster.flushRedis(),
  'PostgreSQL crashed': async (cluster) => cluster.crashPostgres(),
  'S3 away': async ({ s3 }, _node, ms) => {
    await s3.stop()
    await pause(ms)
    await s3.start()
  },
  'SMTP away': async ({ smtp, nodes }, node, ms) => {
    await smtp.stop()
    await signUp(nodes[node])
    await pause(ms)
    await smtp.start()
  },
  'processes of functions killed': async (cluster) => {
    for (const name of NODES) cluster.killProcesses(name, 'workerd')
  },
  'process of cards killed': async (cluster) => {
    for (const name of NODES) cluster.killProcesses(name, 'takumi')
  },
  ...(canMount && {
    'disk full': async (cluster: ChaosCluster, _node: NodeName, ms: number) => {
      const free = await cluster.fillDisk()
      await pause(ms)
      await free()
    },
  }),
  'clock of a node one hour ahead': async (cluster, node, ms) => {
    const ahead = { LD_PRELOAD: LIBFAKETIME, FAKETIME: '+1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    await cluster.kill(node)
    await cluster.start(node, ahead)
    await pause(ms)
    await cluster.kill(node)
    await cluster.start(node)
  },
}

export type ChaosOptions = {
  faults: string[]
  rounds: number
  /** Without a fault, after each. */
  quietMs: number
  faultMs?: number
  players?: number
}
export type ChaosReport = {
  acknowledged: number
  lost: number
  numbers: { acknowledged: number; lost: number }
  statuses: Record<string, number>
  /** By fault: time from its end until everything worked, in ms. */
  normalAfterMs: Record<string, number[]>
  /** Emails that were sent to nobody, or twice. */
  wrongMails: number
  logged: string[]
}

/** Faults of nodes and engines, one after the other, while players write. */
export async function runChaos(
  { faults, rounds, quietMs, faultMs = FAULT_MS, players = 8 }: ChaosOptions,
  log: (line: string) => void,
): Promise<ChaosReport> {
  const cluster = await startChaosCluster()
  try {
    const statuses: Record<string, number> = {}
    const savers = startSavers(sendInTurn(cluster, statuses), { players, pauseMs: 20 })
    const adders = startAdders(cluster)
    const normalAfterMs: Record<string, number[]> = {}
    await untilNormal(cluster)
    for (let round = 0; round < rounds; round++) {
      const name = faults[round % faults.length] ?? ''
      const node = NODES[Math.floor(round / faults.length) % 2] ?? DISK_NODE
      await FAULTS[name]?.(cluster, node, faultMs)
      const ms = await untilNormal(cluster)
      ;(normalAfterMs[name] ??= []).push(Math.round(ms))
      log(`${round + 1}: ${name} (${node}), normal after ${Math.round(ms)} ms`)
      await pause(quietMs)
    }
    const { acknowledged, lost } = await savers.stop()
    for (const line of lost) log(`lost: ${line}`)
    const numbers = await adders.stop()
    return {
      acknowledged,
      lost: lost.length,
      numbers,
      statuses,
      normalAfterMs,
      wrongMails: await wrongMails(cluster),
      logged: cluster.logged,
    }
  } finally {
    await cluster.stop()
  }
}

/** Each request goes to the next node, and its status is counted. */
function sendInTurn({ nodes, game }: ChaosCluster, statuses: Record<string, number>): Send {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  return async (method, path, options) => {
    const { port } = nodes[NODES[turn++ % NODES.length] ?? 'a']
    const sent = sendTo(agent, port, method, path, { key: game.publishableKey, ...options })
    const answer = await sent.catch(() => ({ status: 0, body: undefined }))
    const what = `${method} ${answer.status || 'without an answer'}`
    statuses[what] = (statuses[what] ?? 0) + 1
    return answer
  }
}

/** Writes numbers to the database of a function, and remembers which of them were acknowledged. */
function startAdders({ functionsHost, nodes }: ChaosCluster) {
  const acknowledged = new Set<number>()
  let isStopping = false
  const adding = (async () => {
    for (let i = 0; !isStopping; i++) {
      const { port } = nodes[NODES[i % 2] ?? 'a']
      const answer = await ask(port, functionsHost, `/add?i=${i}`).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(i)
      await pause(50)
    }
  })()
  return {
    async stop() {
      isStopping = true
      await adding
      const { text } = await ask(nodes.a.port, functionsHost, '/all')
      const stored = new Set(JSON.parse(text) as number[])
      return { acknowledged: acknowledged.size, lost: acknowledged.difference(stored).size }
    },
  }
}

const NORMAL_MAX_MS = 60_000
const POLL_MS = 100

/** Resolves with the time until every part works on both nodes. */
async function untilNormal(cluster: ChaosCluster): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const problem = await problemOf(cluster).catch(String)
    const ms = performance.now() - startedAt
    if (problem === undefined) return ms
    assert.ok(ms < NORMAL_MAX_MS, `not normal ${Math.round(ms)} ms after the fault: ${problem}`)
    await pause(POLL_MS)
  }
}

/** What does not work: one after the other on both nodes, and a room with a player on each of them. */
async function problemOf({ nodes, game, functionsHost }: ChaosCluster): Promise<string | undefined> {
  for (const name of NODES) {
    const call = callerOf(nodes[name])
    const ready = await call('GET', '/readyz')
    if (ready.status !== 200) return `${name}: /readyz ${JSON.stringify(ready.body)}`
    const { status } = await ask(nodes[name].port, functionsHost, '/')
    if (status !== 200) return `${name}: function ${status}`
    const guest = await call('POST', '/v1/auth/guest', { key: game.publishableKey, body: {} })
    if (guest.status !== 200) return `${name}: guest ${guest.status}`
    const player = { key: game.publishableKey, token: guest.body.accessToken as string }
    const saved = await call('PUT', '/v1/saves/probe', { ...player, body: { data: name } })
    if (saved.status !== 200) return `${name}: save ${saved.status}`
    const link = await call('POST', '/v1/share/links', { ...player, body: { kind: 'plain' } })
    if (link.status !== 201) return `${name}: share link ${link.status}`
  }
  const [host, guest] = await Promise.all(
    NODES.map(async (name) => {
      const player = new ReconnectingPlayer(game, await game.newPlayer(nodes[name]))
      await player.connect(nodes[name])
      return player
    }),
  )
  if (!host || !guest) return 'no players'
  try {
    const made = await host.must({ t: 'create' })
    await guest.must({ t: 'join', roomId: String(made['room'].id) })
    await host.must({ t: 'setState', patch: { probe: true } })
    for (let tries = 0; tries < 50; tries++) {
      if ('probe' in guest.roomState()) return undefined
      await pause(POLL_MS)
    }
    return 'a change of a room does not arrive'
  } finally {
    await Promise.all([host.close(), guest.close()])
  }
}

let signUps = 0

/** Its confirmation is sent by email. */
async function signUp(node: { port: number }) {
  const body = { email: `chaos${++signUps}@example.com`, password: 'correct horse' }
  const { status } = await callerOf(node)('POST', '/v1/developers/signup', { body })
  assert.equal(status, 200)
}

const MAIL_MAX_MS = 120_000

async function wrongMails({ smtp }: ChaosCluster): Promise<number> {
  const mailsTo = (number: number) =>
    smtp.received.filter(({ recipients }) => recipients.includes(`chaos${number}@example.com`)).length
  const numbers = Array.from({ length: signUps }, (_, i) => i + 1)
  const wrong = () => numbers.filter((number) => mailsTo(number) !== 1).length
  for (const endsAt = performance.now() + MAIL_MAX_MS; wrong() > 0 && performance.now() < endsAt;)
    await pause(POLL_MS)
  return wrong()
}
