import { systemClock } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { single } from '../../platform/metrics/metrics.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'
import { systemRandom } from '../../platform/random.ts'
import type { ClusterOptions } from './cluster.ts'
import { createHandlers } from './handlers.ts'
import { KEPT_MS, type LeftSnapshot, readSnapshots, writeSnapshots } from './snapshot-file.ts'

/** Marks records in the snapshot file; no actor name begins with it. */
const RECORD = '='

/** A single node: always live, owner of every name. Snapshots are kept across a restart only in the file. */
export async function createMemoryCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { log = () => {}, clock = systemClock, random = systemRandom } = options
  const { entriesMax = 1_000_000, snapshotFile } = options
  // New at each start: stored connection refs must not match connections of a later run.
  const nodeId = random.bytes(9).toString('base64url')
  const messages = createHandlers<[fromNodeId: string, message: string]>(log)
  const fences = new Map<string, number>()
  const snapshots = new Map<string, LeftSnapshot>()
  const records = new Map<string, string>()
  let lastFence = 0

  const nowMs = () => clock.now().getTime()
  const isFresh = ({ leftAtMs }: LeftSnapshot) => nowMs() - leftAtMs < KEPT_MS
  const leave = (name: string, text: string) =>
    setBounded(snapshots, name, { text, leftAtMs: nowMs() }, entriesMax)

  /** Snapshots of owned names do not expire. */
  function snapshotOf(name: string): string | undefined {
    const snapshot = snapshots.get(name)
    if (!snapshot || fences.has(name) || isFresh(snapshot)) return snapshot?.text
    snapshots.delete(name)
    return undefined
  }

  if (snapshotFile !== undefined) {
    const left = await readSnapshots(snapshotFile, log)
    for (const [name, snapshot] of left.filter(([, each]) => isFresh(each))) {
      if (name.startsWith(RECORD)) records.set(name.slice(RECORD.length), snapshot.text)
      else snapshots.set(name, snapshot)
    }
  }

  return {
    nodeId,
    shared: false,
    isLive: () => true,
    nodes: () => [nodeId],
    metrics: [single('svc_cluster_nodes', () => 1), single('svc_cluster_lost_total', () => 0)],
    onNodeLost: () => {},
    onReconnected: () => {},

    async claim(name, how) {
      const snapshot = snapshotOf(name)
      const isKnown = snapshot !== undefined || fences.has(name)
      if (how !== 'any' && !isKnown) return { owner: 'nobody' }
      const fence = ++lastFence
      fences.set(name, fence)
      return { owner: 'us', fence, snapshot }
    },

    async saveSnapshot(name, fence, snapshot) {
      if (fences.get(name) !== fence) return false
      leave(name, snapshot)
      return true
    },

    async release(name, fence, { keepSnapshot: leaveSnapshot }) {
      if (fences.get(name) !== fence) return
      fences.delete(name)
      const snapshot = snapshots.get(name)
      if (leaveSnapshot && snapshot) leave(name, snapshot.text)
      else snapshots.delete(name)
    },

    send(to, message) {
      if (to === nodeId) setImmediate(() => messages.call(nodeId, message))
    },
    onMessage: messages.add,

    records: {
      get: async (name) => records.get(name),
      async swap(name, value) {
        const before = records.get(name)
        setBounded(records, name, value, entriesMax)
        return before
      },
      async add(name, value) {
        if (records.has(name)) return false
        setBounded(records, name, value, entriesMax)
        return true
      },
      async remove(name, value) {
        if (records.get(name) === value) records.delete(name)
      },
    },

    async close() {
      if (snapshotFile === undefined) return
      for (const name of fences.keys()) {
        const text = snapshotOf(name)
        if (text !== undefined) leave(name, text)
      }
      const left = [...snapshots].filter(([, snapshot]) => isFresh(snapshot))
      const leftAtMs = nowMs()
      for (const [name, text] of records) left.push([RECORD + name, { text, leftAtMs }])
      await writeSnapshots(snapshotFile, left, log)
    },
  }
}
