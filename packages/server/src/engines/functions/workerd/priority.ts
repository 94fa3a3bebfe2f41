import { existsSync } from 'node:fs'

import { setClass } from './launcher.ts'

/** Only root can give a process more than the class `idle` again. */
const startsIdle = process.getuid?.() === 0
const IDLE = ['/usr/bin/chrt', '--idle', '0'] as const

/** The command with which a program starts below the service: code of developers never delays the players of others. */
export const lowered: readonly string[] = startsIdle && existsSync(IDLE[0]) ? IDLE : []

/** CPU time that a process may use before it is busy. It comes back with time, as a part of it. */
const CREDIT_NS = 10e6
const PART = 0.1
/** For a busy process at least: each change starts a program. */
const BUSY_NS_MIN = 3e9

/**
 * A process that starts or uses much CPU time gets only what all others leave, until it has used little for a while. Many such processes
 * would delay the service for a slice each, however low their priority is.
 */
export function createPriority(pid: number) {
  let creditNs = startsIdle ? 0 : CREDIT_NS
  let isBusy = startsIdle
  let sinceNs = 0

  return {
    /** Of processes that share a CPU, each uses little of it. So the time for which this one waited for a CPU does not count as time. */
    update(usedNs: number, waitedNs: number, elapsedNs: number) {
      sinceNs += elapsedNs
      creditNs = Math.max(0, Math.min(CREDIT_NS, creditNs - usedNs + (elapsedNs - waitedNs) * PART))
      if (isBusy ? creditNs < CREDIT_NS || sinceNs < BUSY_NS_MIN : creditNs > 0) return
      isBusy = !isBusy
      sinceNs = 0
      setClass(pid, isBusy ? 'idle' : 'other')
    },
  }
}
