import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import type { Entry, Line } from '../harness.ts'
import { cpuMs, privateMb, rssMb } from '../process-stats.ts'
import type { Server } from '../processes.ts'
import { connectClients, participantsIn, type RealtimeTarget } from '../targets/client-groups.ts'
import { startNodes } from '../targets/nodes.ts'
import { signInGuests } from '../targets/realtime-targets.ts'
import { call, metricOf, newProject } from '../targets/service.ts'

/** Clients of one process: its own memory and time must not be what is measured. */
const PER_PROCESS = 2_500
const PER_GROUP = 8
const MESSAGES_PER_SECOND = 2
const MESSAGE_BYTES = 60

type Sockets = { nodes: number; idle: number; active: number; joins: 'room' | 'channel' }

export function socketEntries(opened: AsyncDisposableStack, { postgres }: { postgres: boolean }): Entry[] {
  const one = { nodes: 1, idle: 10_000, active: 2_000, joins: 'room' } as const
  const two = { nodes: 2, idle: 18_000, active: 2_000, joins: 'channel' } as const
  return [
    {
      name: 'sockets on one node',
      about:
        '10,000 authenticated sockets that send nothing, and 2,000 in rooms of 8 that send 2 messages a second each. CPU per delivered message, of all nodes and databases.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: linesOf(opened, one),
    },
    ...(postgres
      ? [
          {
            name: 'sockets on two nodes',
            about:
              '9,000 sockets on each node that send nothing, and 2,000 in channels of 8 with four members on each node, that send 2 messages a second each.',
            comparedMetric: 'cpuMicros' as const,
            baselines: [],
            lines: linesOf(opened, two),
          },
        ]
      : []),
  ]
}

/** One line per node. The first one sends the messages; the others then read the memory of their nodes. */
function linesOf(opened: AsyncDisposableStack, sockets: Sockets): Line[] {
  const started = lazy(() => connected(opened, sockets))
  return Array.from({ length: sockets.nodes }, (_, index) => ({
    name: `node ${index + 1}`,
    async measure(ms) {
      const { nodes, memoryBefore, send } = await started()
      const node = nodes[index] as Server
      const sent = index === 0 ? await send(ms) : {}
      const privateNow = privateMb(node.pid)
      const its = (sockets.idle + sockets.active) / sockets.nodes
      return {
        ...sent,
        rssMb: rssMb(node.pid),
        privateMb: privateNow,
        heapMb: (await metricOf(node.port, 'nodejs_heap_size_used_bytes')) / 1e6,
        bytesPerSocket: ((privateNow - (memoryBefore[index] ?? Number.NaN)) * 1e6) / its,
        loopDelayMs: (await metricOf(node.port, 'nodejs_eventloop_lag_p99_seconds')) * 1_000,
      }
    },
  }))
}

async function connected(opened: AsyncDisposableStack, { nodes: count, idle, active, joins }: Sockets) {
  const { nodes, databases } = await startNodes(opened, count)
  const [first] = nodes as [Server]
  const { publishable: key, secret } = await newProject(first.port, 'Sockets', 'development')
  const features = { multiplayer: true, realtimeChannels: true }
  await call(first.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features })
  const target: RealtimeTarget = {
    ...first,
    name: '',
    databases,
    dialect: 'svc',
    players: (amount) => signInGuests(first.port, key, amount),
  }
  const onNodes = (participants: Awaited<ReturnType<typeof participantsIn>>) =>
    participants.map((one, i) => ({ ...one, port: nodes[i % count]?.port ?? one.port }))
  const seats = await participantsIn(target, joins, {
    rooms: active / PER_GROUP,
    perRoom: PER_GROUP,
    name: joins === 'room' ? 'SOCK' : '@sock',
  })
  const idlers = await participantsIn(target, 'nothing', { rooms: 1, perRoom: idle, name: '' })
  // After the sign-ins, which are no part of a socket.
  const memoryBefore = nodes.map(({ pid }) => privateMb(pid))

  for (let i = 0; i < idle; i += PER_PROCESS)
    await connectClients(opened, target, onNodes(idlers.slice(i, i + PER_PROCESS)))
  const members = await connectClients(opened, target, onNodes(seats))
  const load = {
    senders: active,
    perSecond: MESSAGES_PER_SECOND,
    bytes: MESSAGE_BYTES,
    // The sender of a message in a channel gets it, too.
    receivers: joins === 'channel' ? PER_GROUP : PER_GROUP - 1,
    order: 'spread',
  } as const
  const pids = [...nodes.map(({ pid }) => pid), ...databases]
  const cpu = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0)

  return {
    nodes,
    memoryBefore,
    async send(ms: number) {
      const before = cpu()
      const { count: delivered, ...metrics } = await members.sendMessages(load, ms)
      return { ...metrics, cpuMicros: ((cpu() - before) * 1_000) / delivered }
    },
  }
}
