import { type Clock, millisecondsOf } from '../../../platform/clock.ts'

/**
 * When a value was reached, in 1/1024 ms: of two equal values the one that was reached first is better, and no two values of a node
 * have the same time. Boards on which the highest value is first store it negated, so that one index has both orders.
 */
const PER_MS = 1_024

export function createTies(clock: Clock) {
  let last = 0
  return (): number => (last = Math.max(millisecondsOf(clock) * PER_MS, last + 1))
}

export const tieAt = (reachedAtMs: number): number => reachedAtMs * PER_MS

export const reachedAtOf = (tie: number): string => new Date(Math.floor(Math.abs(tie) / PER_MS)).toISOString()
