import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from '@redis/client'

import type { Claim, Cluster, ClusterOptions, ClusterTimings } from '../engines/cluster/cluster.ts'
import { openCluster } from '../engines/cluster/open.ts'
import { WAIT_MAX_MS } from './in-time.ts'
import { startRedis } from './redis.ts'

/** A queue of events that a test awaits one by one. */
export function createQueue<T>() {
  const waiting: T[] = []
  const arrivals = new EventEmitter()

  return {
    waiting,
    push(item: T) {
      waiting.push(item)
      arrivals.emit('item')
    },
    async next(): Promise<T> {
      const signal = AbortSignal.timeout(WAIT_MAX_MS)
      for (;;) {
        const [item] = waiting.splice(0, 1)
        if (item !== undefined) return item
        await once(arrivals, 'item', { signal })
      }
    },
  }
}

/** The messages and events that a node receives. */
export function listenTo(cluster: Cluster) {
  const lost = createQueue<string>()
  const returns = createQueue<'returned'>()
  const messages = createQueue<[fromNodeId: string, message: string]>()
  cluster.onNodeLost(lost.push)
  cluster.onReconnected(() => returns.push('returned'))
  cluster.onMessage((...message) => messages.push(message))
  return { lost, returns, messages }
}

/** Polls until the condition is true, for changes without an event. */
export async function until<T>(ask: () => T | Promise<T>, isGood: (answer: Awaited<T>) => boolean) {
  const signal = AbortSignal.timeout(WAIT_MAX_MS)
  for (;;) {
    const answer = await ask()
    if (isGood(answer)) return answer
    await pause(10, undefined, { signal })
  }
}

/** `speaking` is a file: as long as the process may act for its name, it writes fence and time into it. */
export type NodeSettings = {
  redisUrl: string
  options: Pick<ClusterOptions, 'prefix' | 'timings' | 'commandTimeoutMs'>
  contendFor?: { name: string; speaking: string }
}

export type Call =
  | { call: 'claim'; args: Parameters<Cluster['claim']> }
  | { call: 'keep'; args: Parameters<Cluster['saveSnapshot']> }
  | { call: 'isLive'; args: Parameters<Cluster['isLive']> }

export type Told =
  | { received: 'ready'; nodeId: string }
  | { received: 'answer'; number: number; answer: unknown }
  | { received: 'returned' }

/** A node that can be killed and frozen. */
export async function startNodeProcess(settings: NodeSettings) {
  const child = fork(join(import.meta.dirname, 'cluster-node.ts'), [JSON.stringify(settings)], {
    execArgv: ['--conditions=source'],
  })
  const received = new EventEmitter()
  const returns = createQueue<'returned'>()
  child.on('message', (message: Told) => {
    if (message.received === 'answer') received.emit(`answer ${message.number}`, message.answer)
    else if (message.received === 'ready') received.emit('ready', message.nodeId)
    else returns.push('returned')
  })
  let count = 0

  async function ask(call: Call): Promise<unknown> {
    const number = ++count
    const answered = once(received, `answer ${number}`, { signal: AbortSignal.timeout(WAIT_MAX_MS) })
    child.send({ number, ...call })
    const [answer] = await answered
    return answer
  }

  const [nodeId] = await once(received, 'ready', { signal: AbortSignal.timeout(WAIT_MAX_MS) })

  return {
    nodeId: String(nodeId),
    returns,
    freeze: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
    kill: () => killProcess(child),
    claim: (...args: Parameters<Cluster['claim']>) => ask({ call: 'claim', args }) as Promise<Claim>,
    keep: (...args: Parameters<Cluster['saveSnapshot']>) => ask({ call: 'keep', args }),
    isLive: (...args: Parameters<Cluster['isLive']>) => ask({ call: 'isLive', args }),
  }
}

async function killProcess(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** As in service.ts: longer than a busy machine needs. Commands to a frozen Redis end sooner, with the connection. */
const REDIS_TIMEOUT_MS = 10_000

/** Short timings, so that tests are fast. */
export const FAST_TIMINGS = { heartbeatEveryMs: 300, lostAfterMs: 2_000, marginMs: 700 }

/** Nodes on a separate Redis, so that it can be stopped, frozen and flushed. */
export async function clusterOnOwnRedis(t: TestContext, timings: Partial<ClusterTimings> = FAST_TIMINGS) {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const operator = await createClient({ url: redis.url }).connect()
  operator.on('error', () => {})
  t.after(() => operator.destroy())

  async function startNode(options: ClusterOptions = {}, url = redis.url) {
    const events = new EventEmitter()
    // `cluster-sender: Redis at 127.0.0.1:1234 is disconnected: …` becomes the event `cluster-sender disconnected`.
    const log = (sentence: string) =>
      events.emit(sentence.replace(/^([\w-]+):.* is (disconnected|connected).*/, '$1 $2'), sentence)
    const cluster = await openCluster(url, {
      log,
      timings,
      commandTimeoutMs: REDIS_TIMEOUT_MS,
      ...options,
    })
    t.after(() => cluster.close())
    const logged = (event: string) => once(events, event, { signal: AbortSignal.timeout(WAIT_MAX_MS) })
    return { cluster, logged, ...listenTo(cluster) }
  }

  async function startProcess() {
    const node = await startNodeProcess({
      redisUrl: redis.url,
      options: { timings, commandTimeoutMs: REDIS_TIMEOUT_MS },
    })
    t.after(node.kill)
    return node
  }

  async function twoNodes() {
    const here = await startNode()
    const there = await startNode()
    await until(here.cluster.nodes, (nodes) => nodes.length === 2)
    return { here, there }
  }

  return { redis, operator, startNode, startProcess, twoNodes }
}

/** A claim that must succeed. */
export async function own(
  node: Pick<Cluster, 'claim'>,
  name: string,
  how: Parameters<Cluster['claim']>[1] = 'any',
) {
  const claim = await node.claim(name, how)
  assert(claim.owner === 'us', `${name} is ${claim.owner}'s`)
  return claim
}
