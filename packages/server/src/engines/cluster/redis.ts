import { DAY_MS } from '../../platform/clock.ts'
import { NODE_PROTOCOL, withoutVersion, withVersion } from '../../platform/node-protocol.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'
import { systemRandom } from '../../platform/random.ts'
import { openConnection } from '../redis/connection.ts'
import { type ClusterOptions, TIMINGS } from './cluster.ts'
import { createHandlers } from './handlers.ts'
import { createMembership, type HeartbeatReply, IncompatibleNodeError } from './membership.ts'
import { createOutbox, messagesOf } from './messages.ts'
import { createOwnership } from './ownership.ts'
import { scripts } from './scripts.ts'

const RECORD_MS = 7 * DAY_MS

export async function openRedisCluster(url: string, options: ClusterOptions = {}): Promise<Cluster> {
  const {
    prefix = 'svc:',
    random = systemRandom,
    log,
    now,
    openTimeoutMs = 5_000,
    protocol = NODE_PROTOCOL,
  } = options
  const timings = { ...TIMINGS, ...options.timings }
  const connectionOptions = { commandTimeoutMs: 1_000, ...options }
  const nodeId = random.bytes(9).toString('base64url')
  const keyOf = (name: string) => `${prefix}cluster:${name}`
  const channelOf = (id: string) => keyOf(`to:${id}`)
  const everyone = keyOf('everyone')
  const messages = createHandlers<[fromNodeId: string, message: string]>(log)

  const membership = createMembership({
    nodeId,
    timings,
    log,
    now,
    async heartbeat(incarnation, count) {
      const { lostAfterMs, recoveryMs } = timings
      const keys = ['nodes', 'fences', 'settling', 'protocols'].map(keyOf)
      const values = [nodeId, incarnation, count, lostAfterMs, recoveryMs, everyone, protocol]
      return parseHeartbeatReply(
        protocol,
        await commands.run((client) => scripts.heartbeat(client, keys, values)),
      )
    },
    checkMessaging: () =>
      Promise.all([publisher, subscriber].map(({ run }) => run((client) => client.ping()))),
  })

  function receive(payload: string, channel: string) {
    if (channel === everyone) {
      if (payload.startsWith('bye ')) membership.nodeLeft(payload.slice(4))
      return
    }
    const batch = withoutVersion(payload, protocol)
    if (batch === undefined) return
    const from = batch.slice(0, nodeId.length)
    membership.nodeSeen(from)
    for (const message of messagesOf(batch.slice(nodeId.length))) messages.call(from, message)
  }

  /** Messages in both directions were lost while Redis was disconnected. */
  function returned() {
    membership.messagesMayBeLost()
    membership.heartbeatNow()
  }

  await using opening = new AsyncDisposableStack()
  const connect = async (role: Omit<Parameters<typeof openConnection>[1], 'returned'>) => {
    const connection = await openConnection(url, { ...role, returned }, connectionOptions)
    opening.defer(connection.close)
    return connection
  }
  const commands = await connect({ name: 'cluster' })
  const publisher = await connect({ name: 'cluster-sender' })
  const subscriber = await connect({
    name: 'cluster-receiver',
    prepare: (client) => client.subscribe([everyone, channelOf(nodeId)], receive),
  })

  await membership.join(openTimeoutMs)
  const ownership = createOwnership({ nodeId, commands, membership, timings, keyOf, now })
  const outbox = createOutbox((to, batch) =>
    publisher
      .run((client) => client.publish(channelOf(to), withVersion(nodeId + batch, protocol)))
      .catch(membership.messagesMayBeLost),
  )
  const connections = opening.move()

  const recordOf = (name: string) => keyOf(`record:${name}`)
  const expiration = { type: 'PX', value: RECORD_MS } as const

  return {
    nodeId,
    shared: true,
    isLive: membership.isLive,
    nodes: membership.nodes,
    metrics: membership.metrics,
    onNodeLost: membership.onLost,
    onReconnected: membership.onReconnected,

    claim: ownership.claim,
    saveSnapshot: ownership.saveSnapshot,
    release: ownership.release,

    send: outbox.send,
    onMessage: messages.add,

    records: {
      async get(name) {
        return (await commands.run((client) => client.get(recordOf(name)))) ?? undefined
      },
      async swap(name, value) {
        const swap = { expiration, GET: true } as const
        return (await commands.run((client) => client.set(recordOf(name), value, swap))) ?? undefined
      },
      async add(name, value) {
        const add = { expiration, condition: 'NX' } as const
        return (await commands.run((client) => client.set(recordOf(name), value, add))) === 'OK'
      },
      async remove(name, value) {
        await commands.run((client) => scripts.remove(client, [recordOf(name)], [value]))
      },
    },

    async close() {
      await Promise.all([outbox.drained(), ownership.stop(), membership.stop()])
      // If this fails, the other nodes notice the missing heartbeats.
      await commands
        .run((client) => scripts.leave(client, ['nodes', 'protocols'].map(keyOf), [nodeId, everyone]))
        .catch(() => {})
      await connections.disposeAsync()
    },
  }
}

function parseHeartbeatReply(protocol: number, reply: string[]): HeartbeatReply {
  const [incarnation, lastFence, isRecovering, ...others] = reply
  if (incarnation === 'refused') throw new IncompatibleNodeError(protocol, Number(lastFence))
  if (incarnation === undefined) throw new Error('a later heartbeat is already counted')
  return {
    incarnation: Number(incarnation),
    lastFence: Number(lastFence),
    isRecovering: isRecovering === '1',
    others,
  }
}
