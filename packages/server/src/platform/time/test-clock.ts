import { setTimeout as pause } from 'node:timers/promises'

import type { MovableClock } from '../clock.ts'
import type { Cluster } from '../ports/cluster.ts'

type Messages = {
  publish(topic: string, message: string): Promise<void>
  subscribe(topic: string, handler: (message: string) => void): unknown
  onGap(handler: () => void): unknown
}
/** `records` keep the total advance of the clock; `bus` announces it to the other nodes. */
export type TestClockDeps = { cluster: Pick<Cluster, 'nodeId' | 'nodes' | 'records'>; bus: Messages }

/** The clock of a test service, as one node moves it. It never goes back. */
export type TestClock = ReturnType<typeof createTestClock>

/** Total advance of the clock since the service started, in milliseconds. */
const RECORD = 'test-clock'
const MOVED = 'test-clock-moved'
const FOLLOWED = 'test-clock-followed'
const FOLLOW_TIMEOUT_MS = 2_000

/** The clock of SVC_TEST_CLOCK, which all nodes of a service share. */
export function createTestClock(clock: MovableClock, { cluster, bus }: TestClockDeps) {
  const { nodeId, nodes, records } = cluster
  /** Which other nodes have followed to which total. */
  const followed = new Map<string, number>()
  let onFollowed = () => {}

  bus.subscribe(MOVED, (totalMs) => {
    clock.advanceTo(Number(totalMs))
    void bus.publish(FOLLOWED, `${nodeId} ${totalMs}`)
  })
  bus.subscribe(FOLLOWED, (message) => {
    const [id = '', totalMs] = message.split(' ')
    followed.set(id, Math.max(followed.get(id) ?? 0, Number(totalMs)))
    onFollowed()
  })
  bus.onGap(() => void reread().catch(() => {}))

  const recorded = async () => Number((await records.get(RECORD)) ?? 0)
  const reread = async () => clock.advanceTo(await recorded())

  /** If two nodes add at the same time, the later one sees the total that it has overwritten, and adds that again. */
  async function add(ms: number): Promise<number> {
    const before = await recorded()
    const overwritten = Number((await records.swap(RECORD, String(before + ms))) ?? 0)
    return overwritten === before ? before + ms : add(overwritten - before)
  }

  async function waitForOthers(totalMs: number) {
    const isFollowed = () => nodes().every((id) => id === nodeId || (followed.get(id) ?? 0) >= totalMs)
    if (isFollowed()) return
    const late = pause(FOLLOW_TIMEOUT_MS, 'late', { ref: false })
    while (!isFollowed()) {
      const more = new Promise<void>((resolve) => (onFollowed = resolve))
      if ((await Promise.race([more, late])) === 'late') return
    }
  }

  return {
    now: () => clock.now(),
    reread,

    /** Resolves when every reachable node has moved its clock. */
    async advance(ms: number): Promise<void> {
      const totalMs = await add(ms)
      clock.advanceTo(totalMs)
      await bus.publish(MOVED, String(totalMs))
      await waitForOthers(totalMs)
    },
  }
}
