import { existsSync } from 'node:fs'

import { setClass } from './launcher.ts'

/** Only root can give a process more than the class `idle` again. */
const startsIdle = process.getuid?.() === 0
const NICE = ['/usr/bin/nice', '-n', '10']
const IDLE = ['/usr/bin/chrt', '--idle', '0']

/** The command with which a program starts below the service: code of developers never delays the players of others. */
export const lowered: readonly string[] = [NICE, startsIdle ? IDLE : []]
  .filter(([program]) => program !== undefined && existsSync(program))
  .flat()

/** CPU time of a process that comes back with time, as a part of it, and at most so much. */
const PART = 0.1
const CREDIT_NS = 100e6

/**
 * A process that starts or uses much CPU time gets only what all others leave, until it has used little for a while. Many such processes
 * would delay the service for a slice each, however low their priority is.
 */
export function createPriority(pid: number) {
  let creditNs = startsIdle ? 0 : CREDIT_NS
  let isIdle = startsIdle

  return {
    look(usedNs: number, elapsedNs: number) {
      creditNs = Math.max(0, Math.min(CREDIT_NS, creditNs - usedNs + elapsedNs * PART))
      if (isIdle ? creditNs < CREDIT_NS : creditNs > 0) return
      isIdle = !isIdle
      setClass(pid, isIdle ? 'idle' : 'other')
    },
  }
}
