import { setTimeout as pause } from 'node:timers/promises'

import { type Monotonic, monotonicMs, systemClock, type WallClock } from '../../platform/clock.ts'
import { type Metric, single } from '../../platform/metrics/metrics.ts'
import type { ClusterTimings } from './cluster.ts'
import { createHandlers } from './handlers.ts'

export type HeartbeatReply = {
  incarnation: number
  lastFence: number
  isRecovering: boolean
  others: string[]
}

/** A node of another protocol version is running. */
export class IncompatibleNodeError extends Error {
  constructor(ours: number, theirs: number) {
    super(
      `REDIS_URL: this version of svc cannot run together with a running node (protocol ${ours} here, ${theirs || 'none'} there). ` +
        'Nodes can run together only if their protocols differ by at most one: upgrade release by release, or stop all nodes first.',
    )
  }
}

export type MembershipDeps = {
  nodeId: string
  timings: ClusterTimings
  log?: ((sentence: string) => void) | undefined
  /** Throws when Redis did not answer. */
  heartbeat(incarnation: number, count: number): Promise<HeartbeatReply>
  /** Throws while this node cannot send or receive messages. */
  checkMessaging(): Promise<unknown>
  /** Replaced in tests. The system clock is not that of the service, which `POST /v1/dev/clock` may move. */
  now?: Monotonic | undefined
  systemTime?: WallClock | undefined
}

export type Membership = ReturnType<typeof createMembership>

/** Heartbeats of this node, and the set of live nodes. */
export function createMembership(deps: MembershipDeps) {
  const {
    nodeId,
    timings,
    log,
    heartbeat,
    checkMessaging,
    now = monotonicMs,
    systemTime = systemClock,
  } = deps
  const { heartbeatEveryMs, lostAfterMs, marginMs } = timings
  const lost = createHandlers<[string]>(log)
  const reconnected = createHandlers<[]>(log)
  const others = new Set<string>()
  /** Nodes that announced their shutdown; a heartbeat reply already in flight may still list them. */
  const leftNodes = new Set<string>()

  let incarnation = 0
  /** The incarnation before, if this node was live until Redis did not know it any more: then no other node could own its names. */
  let continuedFrom: number | undefined
  let count = 0
  /** Fences up to this one were issued before the present incarnation. */
  let lastStaleFence = 0
  /** When the last heartbeat that Redis confirmed was sent. */
  let lastHeartbeat: Moment | undefined
  let mayHaveMissedMessages = false
  let isClosing = false
  let lostCount = 0
  let sleepAbort = new AbortController()
  let loop: Promise<void> | undefined
  let refusal: string | undefined

  const moment = (): Moment => ({ monotonic: now(), wall: systemTime.now().getTime() })
  const elapsedMs = ({ monotonic, wall }: Moment): number =>
    Math.max(now() - monotonic, systemTime.now().getTime() - wall)
  const isRecent = (sent: Moment | undefined) =>
    sent !== undefined && elapsedMs(sent) < lostAfterMs - marginMs
  const isLive = (fence = Infinity) => fence > lastStaleFence && isRecent(lastHeartbeat)

  async function heartbeatOnce() {
    const sent = moment()
    const before = new Set(others)
    const answer = await heartbeat(incarnation, ++count)

    const wasLive = isLive()
    const hasLapsed = !wasLive || answer.incarnation !== incarnation
    lastHeartbeat = hasLapsed ? undefined : sent
    const isReconnect = hasLapsed || mayHaveMissedMessages
    if (isReconnect) {
      await checkMessaging()
      if (!isRecent(sent)) return
    }
    if (answer.incarnation !== incarnation) {
      if (incarnation > 0) log?.('cluster: this node was disconnected and is connected again')
      continuedFrom = wasLive ? incarnation : undefined
      incarnation = answer.incarnation
      lastStaleFence = answer.lastFence
    }
    lastHeartbeat = sent
    // `isLive` becomes true and handlers run in the same tick, so no code can act for a name that another node took.
    if (isReconnect) {
      mayHaveMissedMessages = false
      reconnected.call()
    }
    updateNodes(before, answer)
  }

  /** Only nodes that were known before the heartbeat was sent can be missing in its reply. */
  function updateNodes(before: Set<string>, { others: there, isRecovering }: HeartbeatReply) {
    const present = new Set(there)
    for (const id of leftNodes) if (!present.has(id)) leftNodes.delete(id)
    for (const id of present) if (!leftNodes.has(id)) others.add(id)
    // All nodes were disconnected, and some are not back yet.
    if (isRecovering) return
    for (const id of before) {
      if (present.has(id) || !others.delete(id)) continue
      lostCount++
      lost.call(id)
    }
  }

  async function tryHeartbeat(): Promise<boolean> {
    try {
      await heartbeatOnce()
      refusal = undefined
      return isLive()
    } catch (error) {
      if (error instanceof IncompatibleNodeError) refused(error.message)
      return false
    }
  }

  /** A start fails with this message. A running node that was disconnected while the others were upgraded continues to try. */
  function refused(sentence: string) {
    if (incarnation > 0 && refusal === undefined) log?.(`cluster: ${sentence}`)
    refusal = sentence
  }

  async function heartbeatLoop() {
    while (!isClosing) {
      sleepAbort = new AbortController()
      const isLiveNow = await tryHeartbeat()
      const delayMs = isLiveNow ? heartbeatEveryMs : heartbeatEveryMs / 4
      await pause(delayMs, undefined, { signal: sleepAbort.signal }).catch(() => {})
    }
  }

  return {
    isLive,
    incarnation: () => incarnation,
    /** Whether this node has been live since then, except for Redis losing its data at most once. */
    isContinuousSince: (earlier: number) => earlier === incarnation || earlier === continuedFrom,
    nodes: () => [nodeId, ...others],
    metrics: [
      single('svc_cluster_nodes', () => others.size + 1),
      single('svc_cluster_lost_total', () => lostCount),
    ] satisfies Metric[],
    onLost: lost.add,
    onReconnected: reconnected.add,

    /** Resolves when this node is live. Throws when Redis or an incompatible node prevents it for too long. */
    async join(withinMs: number) {
      const startedAt = moment()
      while (!(await tryHeartbeat())) {
        if (elapsedMs(startedAt) > withinMs)
          throw new Error(refusal ?? 'REDIS_URL: this node could not join through Redis in time')
        await pause(heartbeatEveryMs / 4)
      }
      loop = heartbeatLoop()
    },

    /** Messages may have been lost: handlers of `onReconnected` run once messaging works again. */
    messagesMayBeLost: () => void (mayHaveMissedMessages = true),
    heartbeatNow: () => sleepAbort.abort(),

    /** A node that sends a message is known from then on, so that its loss is noticed. */
    nodeSeen(id: string) {
      if (id !== nodeId && !leftNodes.has(id)) others.add(id)
    },

    nodeLeft(id: string) {
      leftNodes.add(id)
      if (others.delete(id)) lost.call(id)
    },

    async stop() {
      isClosing = true
      sleepAbort.abort()
      await loop
      lastHeartbeat = undefined
    },
  }
}

/** The larger of both differences counts: the monotonic clock stops during suspend, the wall clock can be set back. */
type Moment = { monotonic: number; wall: number }
