import { parseArgs } from 'node:util'

import { startLoad } from './load.ts'
import { cpuMs, rssMb } from './process-stats.ts'
import type { Server } from './processes.ts'
import { connectClients, participantsIn, type RealtimeTarget } from './targets/client-groups.ts'
import { newGuest } from './targets/guests.ts'
import { startNodes } from './targets/nodes.ts'
import type { Request } from './targets/requests.ts'
import { call, newProject } from './targets/service.ts'

/**
 * Measures a whole installation: players in rooms of four who send two messages a second, and requests beside them.
 *
 *     node --conditions=source bench/sizes.ts --players 3000 --requests 1000 --nodes 1
 *
 * One node runs on SQLite; two or more run on PostgreSQL and Redis, with the members of each room on different nodes. All programs and the
 * clients share this machine, so only CPU time and memory count, not latencies.
 */
const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '3000' },
    requests: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '40' },
  },
})
const PER_ROOM = 4
const MESSAGES_PER_SECOND = 2
const MESSAGE_BYTES = 60
const SAVERS = 200
const CONNECTIONS = 100
const SAVE_PATH = '/v1/saves/slot'
const SAVE = { data: 'x'.repeat(500) }
const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true },
  stats: [{ key: 'points', aggregation: 'sum' }],
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }] },
}
const [players, perSecond, count, seconds] = [
  values.players,
  values.requests,
  values.nodes,
  values.seconds,
].map(Number) as [number, number, number, number]

await using opened = new AsyncDisposableStack()
const { nodes, databases } = await startNodes(opened, count)
const [first] = nodes as [Server]
// In production a player who chooses codes of rooms is limited.
const { publishable: key, secret } = await newProject(first.port, 'Sizes', 'development')
await call(first.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, CONFIG)

const target: RealtimeTarget = {
  ...first,
  name: '',
  databases: [],
  dialect: 'svc',
  players: async (amount) => (await guests(amount)).map((token) => ({ key, token })),
}
const rooms = players / PER_ROOM
const seated = await participantsIn(target, 'room', { rooms, perRoom: PER_ROOM, name: 'ROOM' })
const participants = seated.map((one, i) => ({ ...one, port: nodes[i % count]?.port ?? one.port }))
const clients = await connectClients(opened, target, participants)
const send = startLoad(opened, CONNECTIONS)
const savers = await guests(SAVERS)
for (const token of savers)
  await call(first.port, 'PUT', SAVE_PATH, { 'x-svc-key': key, authorization: `Bearer ${token}` }, SAVE)
const requests = savers.flatMap(requestsOf)
// Compiles the code of the service.
await play(5)

const [beforeNodes, beforeDatabases] = [cpuOf(nodes.map(({ pid }) => pid)), cpuOf(databases)]
const [delivered, answered] = await play(seconds)
const shareOf = (before: number, pids: number[]) => (cpuOf(pids) - before) / (seconds * 1_000)
const [nodeCores, databaseCores] = [
  shareOf(
    beforeNodes,
    nodes.map(({ pid }) => pid),
  ),
  shareOf(beforeDatabases, databases),
]
console.log(
  `${players} players in rooms, ${Math.round(delivered.perSecond ?? 0)} deliveries and ${Math.round(answered.perSecond ?? 0)} requests a second on ${count} node(s): ` +
    `${nodeCores.toFixed(2)} cores of nodes, ${databaseCores.toFixed(2)} of databases, ${delivered.lost} lost, ` +
    `memory ${nodes.map(({ pid }) => Math.round(rssMb(pid))).join(' and ')} MB`,
)

function play(duration: number) {
  const messages = {
    senders: players,
    perSecond: MESSAGES_PER_SECOND,
    bytes: MESSAGE_BYTES,
    receivers: PER_ROOM - 1,
    order: 'spread' as const,
  }
  return Promise.all([
    clients.sendMessages(messages, duration * 1_000),
    send({ ...first, databases: [] }, requests, duration * 1_000, { perSecond }),
  ])
}

/** Half reads of saves, a quarter writes, a quarter reports of stats. */
function requestsOf(token: string): Request[] {
  const headers = { 'x-svc-key': key, authorization: `Bearer ${token}` }
  const read = { path: SAVE_PATH, headers, status: 200 }
  const write = { ...read, method: 'PUT' as const, body: JSON.stringify(SAVE) }
  const report = {
    method: 'POST' as const,
    path: '/v1/stats',
    headers,
    body: '{"stats":{"points":1}}',
    status: 200,
  }
  return [write, read, report, read]
}

async function guests(amount: number): Promise<string[]> {
  const tokens: string[] = []
  while (tokens.length < amount)
    tokens.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(16, amount - tokens.length) }, () => newGuest(first.port, key)),
      )),
    )
  return tokens
}

function cpuOf(pids: number[]) {
  return pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
}
