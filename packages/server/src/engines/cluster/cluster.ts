import type { Clock } from '../../platform/clock.ts'
import type { ConnectionOptions } from '../redis/connection.ts'

export type { Claim, Cluster } from '../../platform/cluster.ts'

export type ClusterOptions = ConnectionOptions & {
  /** Keeps services that share a Redis apart. */
  prefix?: string
  /** Where one node alone keeps its snapshots while it restarts. */
  snapshotFile?: string
  /** For the age of what is in that file. */
  clock?: Clock
  /** How many records, and how many snapshots, one node alone remembers; the oldest are forgotten. */
  entriesMax?: number
  timings?: Partial<ClusterTimings>
}

export type ClusterTimings = {
  heartbeatEveryMs: number
  /** Others may take what a node owns when they have not heard its heartbeat for so long. */
  lostAfterMs: number
  /** By so much earlier a node itself stops speaking for what it owns, because clocks do not run equally fast. */
  marginMs: number
  /**
   * When all nodes were cut off at once, so long only those who owned a name may claim it: longer than a node may still take
   * itself for live, and than the slowest connection to a Redis that is back.
   */
  recoveryMs: number
  /** How long a claim waits while names are being settled or this node is not live. */
  claimWithinMs: number
  /** What is owned but does not change is kept from being forgotten. */
  refreshEveryMs: number
}

export const TIMINGS: ClusterTimings = {
  // Half of what the others would do with, so that a busy machine may be late by more than a second.
  heartbeatEveryMs: 500,
  lostAfterMs: 3_000,
  marginMs: 1_000,
  recoveryMs: 3_000,
  claimWithinMs: 5_000,
  refreshEveryMs: 180_000,
}
