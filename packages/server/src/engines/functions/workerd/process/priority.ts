import { existsSync, readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const NICE = '/usr/bin/nice'
/** The command with which a program starts below the service: code of developers must not delay the players of others. */
export const lowered: readonly string[] = existsSync(NICE) ? [NICE, '-n', '10'] : []

/** As `nice` counts it: 19 is the lowest priority. */
const NORMAL = getPriority()
const LOWERED = Math.min(NORMAL + 10, 19)
const LOWEST = 19
/** Others can lower the priority of a process, but never raise it again. */
const canRaise = process.getuid?.() === 0

/** CPU time that a process may use before it is busy. It comes back with time, as a part of it. */
const CREDIT_NS = 10e6
const PART = 0.1
const BUSY_NS_MIN = 1e9

/**
 * A process that uses much CPU time gets the lowest priority, until it has used little for a while. Many such processes would delay the
 * service for a slice each.
 */
export function createPriority(pid: number, part = PART) {
  let creditNs = 0
  let isBusy = false
  let sinceNs = 0
  let level = LOWERED

  return {
    /**
     * Called with the times since the last call. Processes that share a CPU use little of it each, so time in which this one waited for a CPU
     * does not count. `isOverdue`: the process has not answered for long, and must reach its limit of CPU time soon.
     */
    update(usedNs: number, waitedNs: number, elapsedNs: number, isOverdue = false) {
      sinceNs += elapsedNs
      creditNs = Math.max(0, Math.min(CREDIT_NS, creditNs - usedNs + (elapsedNs - waitedNs) * part))
      if (isBusy ? creditNs >= CREDIT_NS && sinceNs >= BUSY_NS_MIN : creditNs <= 0) {
        isBusy = !isBusy
        sinceNs = 0
      }
      const wanted = isOverdue ? NORMAL : isBusy ? LOWEST : LOWERED
      if (wanted === level || !canRaise) return
      level = wanted
      setPriorities(pid, level)
    },
  }
}

/** Linux has a priority per thread. */
function setPriorities(pid: number, priority: number) {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), priority)
  } catch {
    // The process or a thread has ended.
  }
}
