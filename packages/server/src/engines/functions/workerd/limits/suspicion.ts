/** New work is held for this many checks; the first one is for what was sent before and ends by itself. */
const CHECKS = 5
/** A process that wants the CPU for less than this part of the time is waiting for something. */
export const BUSY_PART_MIN = 0.6

/**
 * Nothing reports which of several pieces of work has used the CPU time that they share. So when one seems to be over its limit, nothing new is sent to the
 * process for a moment, neither requests nor messages of WebSockets. If it sleeps then, the work only waits, and others have used the
 * CPU time. If it is busy all the time, the work is.
 */
export function createSuspicion() {
  let checks: number | undefined

  return {
    isOpen: () => checks !== undefined,
    begin() {
      checks ??= 0
    },
    end() {
      checks = undefined
    },
    /** `demandNs` is CPU time, and time in which the process waited for a CPU. */
    check(demandNs: number, elapsedNs: number): 'busy' | 'sleeps' | undefined {
      if (checks === undefined) return undefined
      checks++
      if (checks <= 2) return undefined
      const isBusy = demandNs > elapsedNs * BUSY_PART_MIN
      if (isBusy && checks < CHECKS) return undefined
      checks = undefined
      return isBusy ? 'busy' : 'sleeps'
    },
  }
}
