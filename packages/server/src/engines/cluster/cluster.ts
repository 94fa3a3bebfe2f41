import type { Clock, Monotonic } from '../../platform/clock.ts'
import type { ConnectionOptions } from '../redis/connection.ts'

export type { Claim, Cluster } from '../../platform/ports/cluster.ts'

/** Options of both drivers; each driver uses only some of them. */
export type ClusterOptions = ConnectionOptions & {
  /** Separates services that share a Redis. */
  prefix?: string
  /** File in which a single node stores its snapshots during a restart. */
  snapshotFile?: string
  /** For the age of the snapshots in that file. */
  clock?: Clock
  /** How many records, and how many snapshots, a single node keeps; the oldest are dropped. */
  entriesMax?: number
  timings?: Partial<ClusterTimings>
  /** For leases and time-outs; replaced in tests. */
  now?: Monotonic
  /** For tests of other versions. */
  protocol?: number
}

/** The times of heartbeats, leases and claims, all in milliseconds. Tests may shorten them. */
export type ClusterTimings = {
  heartbeatEveryMs: number
  /** After this long without a heartbeat other nodes may take over what a node owns. */
  lostAfterMs: number
  /** Safety margin: a node stops acting as owner this long before its lease ends, to allow for clock drift. */
  marginMs: number
  /**
   * Recovery window: when all nodes were disconnected together, only previous owners may claim a name for this long. Longer than
   * `lostAfterMs`, which some of them have to wait, and longer than the slowest reconnect to Redis.
   */
  recoveryMs: number
  /** How long a claim waits during the recovery window, or while this node is not live. */
  claimWithinMs: number
  /** How often the expiry of owned names and unchanged snapshots is extended. */
  refreshEveryMs: number
}

/** The default times, for nodes that share a Redis. */
export const TIMINGS: ClusterTimings = {
  // Half of the value that the other limits would allow, so that a heartbeat may be more than a second late.
  heartbeatEveryMs: 500,
  lostAfterMs: 3_000,
  marginMs: 1_000,
  recoveryMs: 3_500,
  claimWithinMs: 5_000,
  refreshEveryMs: 180_000,
}
