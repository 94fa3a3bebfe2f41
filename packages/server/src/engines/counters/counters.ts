import type { ConnectionOptions } from '../redis/connection.ts'

export type Count = { count: number; resetsInMs: number }
export type Admission = { isAdmitted: boolean; retryInMs: number }

/**
 * How often something happened, counted by all nodes together. The windows of `hit` and `read` are fixed and begin at multiples of
 * `windowMs`, so that they are the same on every node.
 *
 * With Redis every call ends within `commandTimeoutMs` (250), if need be by `service_unavailable`. Whether that lets a request
 * pass or refuses it is for the caller to say.
 */
export type Counters = {
  hit(key: string, windowMs: number): Promise<Count>
  read(key: string, windowMs: number): Promise<Count>
  /** Undoes one hit of the current window, for an event that was counted before its outcome was known. */
  takeBack(key: string, windowMs: number): Promise<void>
  /**
   * Admits at most `max` within any `windowMs`, wherever that begins: the times of the last `max` are kept. What is refused does not
   * count. Costs more memory than `hit`, so it is for small limits.
   */
  admit(key: string, windowMs: number, max: number): Promise<Admission>
  /** Removes the hits of the key, in every window. */
  clear(key: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

export type CountersOptions = ConnectionOptions & {
  /** Separates services that share one Redis. */
  prefix?: string
  /** Maximum number of keys in memory; beyond it the least recently hit key is evicted. */
  keysMax?: number
}
