import { setTimeout as pause } from 'node:timers/promises'

import { monotonicMs } from '../../platform/cache.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ClusterTimings } from './cluster.ts'
import { createHandlers } from './handlers.ts'

export type HeartbeatReply = {
  incarnation: number
  lastFence: number
  isRecovering: boolean
  others: string[]
}

export type MembershipNeeds = {
  nodeId: string
  timings: ClusterTimings
  log?: ((sentence: string) => void) | undefined
  /** Throws when Redis did not answer. */
  heartbeat(incarnation: number, count: number): Promise<HeartbeatReply>
  /** Throws while this node cannot send or hear messages. */
  checkMessaging(): Promise<unknown>
}

export type Membership = ReturnType<typeof createMembership>

/** Whether this node is there, and who else is. */
export function createMembership({
  nodeId,
  timings,
  log,
  heartbeat: heartbeat,
  checkMessaging: checkMessaging,
}: MembershipNeeds) {
  const { heartbeatEveryMs, lostAfterMs, marginMs } = timings
  const lost = createHandlers<[string]>(log)
  const reconnected = createHandlers<[]>(log)
  const others = new Set<string>()
  /** Those who said goodbye; an answer that was under way may still name them. */
  const leftNodes = new Set<string>()

  let incarnation = 0
  let count = 0
  /** Every fence up to this one was given before the present incarnation began. */
  let lastStaleFence = 0
  /** When the last heartbeat that Redis answered was sent. */
  let lastHeartbeat: Moment | undefined
  let mayHaveMissedMessages = false
  let isClosing = false
  let sleepAbort = new AbortController()
  let loop: Promise<void> | undefined

  const isRecent = (sent: Moment | undefined) =>
    sent !== undefined && elapsedMs(sent) < lostAfterMs - marginMs
  const isLive = (fence = Infinity) => fence > lastStaleFence && isRecent(lastHeartbeat)

  async function heartbeatOnce() {
    const sent = moment()
    const before = new Set(others)
    const answer = await heartbeat(incarnation, ++count)

    const hasLapsed = !isLive() || answer.incarnation !== incarnation
    lastHeartbeat = hasLapsed ? undefined : sent
    const isReconnect = hasLapsed || mayHaveMissedMessages
    if (isReconnect) {
      await checkMessaging()
      if (!isRecent(sent)) return
    }
    if (answer.incarnation !== incarnation) {
      if (incarnation > 0) log?.('cluster: this node was cut off and is back')
      incarnation = answer.incarnation
      lastStaleFence = answer.lastFence
    }
    lastHeartbeat = sent
    // Live again and told so in one go: nothing runs in between that could speak for a name that is another's by now.
    if (isReconnect) {
      mayHaveMissedMessages = false
      reconnected.call()
    }
    updateNodes(before, answer)
  }

  /** Only those known before the heartbeat was sent can be missed in its answer. */
  function updateNodes(before: Set<string>, { others: there, isRecovering: isRecovering }: HeartbeatReply) {
    const present = new Set(there)
    for (const id of leftNodes) if (!present.has(id)) leftNodes.delete(id)
    for (const id of present) if (!leftNodes.has(id)) others.add(id)
    // All were cut off, and not all are back yet.
    if (isRecovering) return
    for (const id of before) if (!present.has(id) && others.delete(id)) lost.call(id)
  }

  const tryHeartbeat = (): Promise<boolean> =>
    heartbeatOnce().then(
      () => isLive(),
      () => false,
    )

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
    nodes: () => [nodeId, ...others],
    onLost: lost.add,
    onReconnected: reconnected.add,

    /** Comes back when this node is there. */
    async join(withinMs: number) {
      const startedAt = moment()
      while (!(await tryHeartbeat())) {
        if (elapsedMs(startedAt) > withinMs) throw new Error('REDIS_URL: Redis does not let this node in')
        await pause(heartbeatEveryMs / 4)
      }
      loop = heartbeatLoop()
    },

    /** Messages may be lost; told once they flow again. */
    messagesMayBeLost: () => void (mayHaveMissedMessages = true),
    heartbeatNow: () => sleepAbort.abort(),

    /** A node that nobody has noticed yet is one that can be lost, too. */
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

/** By both clocks: one stands still while the machine sleeps, the other can be set back. */
type Moment = { monotonic: number; wall: number }

const moment = (): Moment => ({ monotonic: monotonicMs(), wall: systemClock.now().getTime() })

const elapsedMs = ({ monotonic, wall }: Moment): number =>
  Math.max(monotonicMs() - monotonic, systemClock.now().getTime() - wall)
