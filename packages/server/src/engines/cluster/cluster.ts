import type { Clock } from '../../platform/clock.ts'
import type { ConnectionOptions } from '../redis/connection.ts'

export type { Claim, Cluster } from '../../platform/cluster.ts'

export type ClusterOptions = ConnectionOptions & {
  /** Keeps services that share a Redis apart. */
  prefix?: string
  /** Where a single node keeps its snapshots during a restart. */
  snapshotFile?: string
  /** For the age of what is in that file. */
  clock?: Clock
  /** How many records, and how many snapshots, a single node keeps; the oldest are dropped. */
  entriesMax?: number
  timings?: Partial<ClusterTimings>
  /** For tests of other versions. */
  protocol?: number
}

export type ClusterTimings = {
  heartbeatEveryMs: number
  /** After this long without a heartbeat other nodes may take over what a node owns. */
  lostAfterMs: number
  /** Safety margin: a node stops acting as owner this long before its lease ends, to allow for clock drift. */
  marginMs: number
  /**
   * Recovery window: when all nodes were cut off together, only previous owners may claim a name for this long. Longer than a node may
   * still believe to be live, and than the slowest connection to a Redis that is back.
   */
  recoveryMs: number
  /** How long a claim waits during the recovery window, or while this node is not live. */
  claimWithinMs: number
  /** How often owned names and snapshots that do not change are saved from expiry. */
  refreshEveryMs: number
}

export const TIMINGS: ClusterTimings = {
  // Half of what the other limits would allow, so that a heartbeat may be more than a second late.
  heartbeatEveryMs: 500,
  lostAfterMs: 3_000,
  marginMs: 1_000,
  recoveryMs: 3_000,
  claimWithinMs: 5_000,
  refreshEveryMs: 180_000,
}
