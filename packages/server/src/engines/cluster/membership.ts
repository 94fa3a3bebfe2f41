import { setTimeout as pause } from 'node:timers/promises'

import { monotonicMs } from '../../platform/cache.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ClusterTimings } from './cluster.ts'
import { createHandlers } from './handlers.ts'

export type Beat = { incarnation: number; lastFence: number; isSettling: boolean; others: string[] }

export type MembershipNeeds = {
  nodeId: string
  timings: ClusterTimings
  log?: ((sentence: string) => void) | undefined
  /** Throws when Redis did not answer. */
  beat(incarnation: number, count: number): Promise<Beat>
  /** Throws while this node cannot send or hear messages. */
  canTalk(): Promise<unknown>
}

export type Membership = ReturnType<typeof createMembership>

/** Whether this node is there, and who else is. */
export function createMembership({ nodeId, timings, log, beat, canTalk }: MembershipNeeds) {
  const { heartbeatEveryMs, lostAfterMs, marginMs } = timings
  const lost = createHandlers<[string]>(log)
  const returned = createHandlers<[]>(log)
  const others = new Set<string>()
  /** Those who said goodbye; an answer that was under way may still name them. */
  const gone = new Set<string>()

  let incarnation = 0
  let count = 0
  /** Every fence up to this one was given before the present incarnation began. */
  let oldFence = 0
  /** When the last heartbeat that Redis answered was sent. */
  let beaten: Moment | undefined
  let mayHaveMissedMessages = false
  let isClosing = false
  let nap = new AbortController()
  let life: Promise<void> | undefined

  const isRecent = (sent: Moment | undefined) =>
    sent !== undefined && elapsedMs(sent) < lostAfterMs - marginMs
  const isLive = (fence = Infinity) => fence > oldFence && isRecent(beaten)

  async function beatOnce() {
    const sent = moment()
    const before = new Set(others)
    const answer = await beat(incarnation, ++count)

    const hasLapsed = !isLive() || answer.incarnation !== incarnation
    beaten = hasLapsed ? undefined : sent
    const isReturn = hasLapsed || mayHaveMissedMessages
    if (isReturn) {
      await canTalk()
      if (!isRecent(sent)) return
    }
    if (answer.incarnation !== incarnation) {
      if (incarnation > 0) log?.('cluster: this node was cut off and is back')
      incarnation = answer.incarnation
      oldFence = answer.lastFence
    }
    beaten = sent
    // Live again and told so in one go: nothing runs in between that could speak for a name that is another's by now.
    if (isReturn) {
      mayHaveMissedMessages = false
      returned.call()
    }
    notice(before, answer)
  }

  /** Only those known before the heartbeat was sent can be missed in its answer. */
  function notice(before: Set<string>, { others: there, isSettling }: Beat) {
    const present = new Set(there)
    for (const id of gone) if (!present.has(id)) gone.delete(id)
    for (const id of present) if (!gone.has(id)) others.add(id)
    // All were cut off, and not all are back yet.
    if (isSettling) return
    for (const id of before) if (!present.has(id) && others.delete(id)) lost.call(id)
  }

  const tryBeat = (): Promise<boolean> =>
    beatOnce().then(
      () => isLive(),
      () => false,
    )

  async function stay() {
    while (!isClosing) {
      nap = new AbortController()
      const isBeaten = await tryBeat()
      const napMs = isBeaten ? heartbeatEveryMs : heartbeatEveryMs / 4
      await pause(napMs, undefined, { signal: nap.signal }).catch(() => {})
    }
  }

  return {
    isLive,
    incarnation: () => incarnation,
    nodes: () => [nodeId, ...others],
    onLost: lost.add,
    onReturn: returned.add,

    /** Comes back when this node is there. */
    async enter(withinMs: number) {
      const entered = moment()
      while (!(await tryBeat())) {
        if (elapsedMs(entered) > withinMs) throw new Error('REDIS_URL: Redis does not let this node in')
        await pause(heartbeatEveryMs / 4)
      }
      life = stay()
    },

    /** Messages may be lost; told once they flow again. */
    missed: () => void (mayHaveMissedMessages = true),
    beatNow: () => nap.abort(),

    /** A node that nobody has noticed yet is one that can be lost, too. */
    heardFrom(id: string) {
      if (id !== nodeId && !gone.has(id)) others.add(id)
    },

    saidGoodbye(id: string) {
      gone.add(id)
      if (others.delete(id)) lost.call(id)
    },

    async stop() {
      isClosing = true
      nap.abort()
      await life
      beaten = undefined
    },
  }
}

/** By both clocks: one stands still while the machine sleeps, the other can be set back. */
type Moment = { monotonic: number; wall: number }

const moment = (): Moment => ({ monotonic: monotonicMs(), wall: systemClock.now().getTime() })

const elapsedMs = ({ monotonic, wall }: Moment): number =>
  Math.max(monotonicMs() - monotonic, systemClock.now().getTime() - wall)
