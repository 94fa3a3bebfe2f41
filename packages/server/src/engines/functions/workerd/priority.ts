import { setClass } from './launcher.ts'

/** CPU time of a process that comes back with time, as a part of it, and at most so much. */
const PART = 0.1
const CREDIT_NS = 100e6

/**
 * A process that uses much CPU time gets only what all others leave, until it has used little for a while: many such processes would
 * delay the service for a slice each, however low their priority is.
 */
export function createPriority(pid: number) {
  let creditNs = 0
  let isIdle = true

  return {
    look(usedNs: number, elapsedNs: number) {
      creditNs = Math.max(0, Math.min(CREDIT_NS, creditNs - usedNs + elapsedNs * PART))
      if (isIdle ? creditNs < CREDIT_NS : creditNs > 0) return
      isIdle = !isIdle
      setClass(pid, isIdle ? 'idle' : 'other')
    },
  }
}
