import type { Admission } from '../../platform/time/sliding-limit.ts'
import type { ConnectionOptions } from '../redis/connection.ts'

/** Hits in the current window, and when it ends. */
export type Count = { count: number; resetsInMs: number }

/**
 * Counters that all nodes share. The windows of `hit` and `read` are fixed and begin at multiples of `windowMs`: by the time of day, so
 * that they are the same on every node, or in memory, where setting the clock must not change them, by the elapsed time.
 *
 * With Redis every call ends within `commandTimeoutMs` (250), with `service_unavailable` if Redis does not answer. The caller decides
 * whether the request is then allowed.
 */
export type Counters = {
  /** Counts one hit, and returns the number of hits of this window. */
  hit(key: string, windowMs: number): Promise<Count>
  /** The number of hits of this window, without counting one. */
  read(key: string, windowMs: number): Promise<Count>
  /** Undoes one hit of the current window, for an event that was counted before its outcome was known. */
  takeBack(key: string, windowMs: number): Promise<void>
  /**
   * Admits at most `max` hits within any period of `windowMs`: the times of the last `max` hits are kept. Rejected hits do not
   * count. It needs more memory than `hit`, so use it for small limits.
   */
  admit(key: string, windowMs: number, max: number): Promise<Admission>
  /** Removes the hits of the key, in every window. */
  clear(key: string): Promise<void>
  /** Throws `service_unavailable` if Redis does not answer. */
  ping(): Promise<void>
  /** Ends the connection. */
  close(): Promise<void>
}

/** How counters are opened. */
export type CountersOptions = ConnectionOptions & {
  /** Separates services that share one Redis. */
  prefix?: string
  /** Maximum number of keys in memory; beyond it the least recently hit key is evicted. */
  keysMax?: number
}
