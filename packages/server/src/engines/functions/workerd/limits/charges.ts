import { createSuspicion } from './suspicion.ts'
import type { Work, WorkInProgress } from './work.ts'

/**
 * CPU time is shared evenly, which can charge a request for others. So beside others it may use more, and a tenth of the CPU time is
 * forgiven: a response that is streamed for hours is not cancelled for the requests meanwhile.
 */
const SHARED_FACTOR = 3
const SHARED_FORGIVEN = 0.1
const SHARED_SLACK_NS = 200e6

/** What was charged between two checks. */
export type Charge = {
  usedNs: number
  /** How many pieces of work share it. */
  shares: number
  now: number
  /** A turn that takes long is judged by a ping. */
  isLongTurn: boolean
  hasSockets: boolean
}

/** Charges work with CPU time, and cancels what is over its limit. */
export function createCharges(work: WorkInProgress) {
  const suspicion = createSuspicion()

  return {
    /** While it is true, nothing is sent to the process. */
    isSuspecting: suspicion.isOpen,
    endSuspicion: suspicion.end,

    /** Divides CPU time between all work since the last check, also work that has ended. */
    charge({ usedNs, shares, now, isLongTurn, hasSockets }: Charge) {
      const share = usedNs / shares
      const forgivenNs = usedNs * SHARED_FORGIVEN
      for (const one of work.values()) {
        if (shares === 1) one.aloneNs += share
        else one.sharedNs = Math.max(Math.min(one.sharedNs, 0), one.sharedNs + share - forgivenNs)
        if (now > one.answerDueAt) one.cancel('function_timeout')
        else if (isLongTurn || !isOverLimit(one)) continue
        else if (one.aloneNs > one.cpuLimitNs && !hasSockets) one.cancel('cpu_limit_exceeded')
        else suspicion.begin()
      }
    },

    /** Work that was charged beside others is cancelled only if the process is busy although nothing new is sent to it. */
    judge(demandNs: number, elapsedNs: number) {
      const verdict = suspicion.check(demandNs, elapsedNs)
      if (verdict === undefined) return
      const suspects = [...work.values()].filter(isOverLimit)
      const requests = suspects.filter(({ isAfterAnswer }) => !isAfterAnswer)
      // What continues after an answer can only be ended with the process.
      const condemned = verdict === 'sleeps' ? [] : requests.length > 0 ? requests : suspects
      for (const one of suspects)
        if (condemned.includes(one)) one.cancel('cpu_limit_exceeded')
        else [one.aloneNs, one.sharedNs] = [0, -sharedLimitNs(one)]
    },
  }
}

const sharedLimitNs = ({ cpuLimitNs }: Work) =>
  Math.max(SHARED_FACTOR * cpuLimitNs, cpuLimitNs + SHARED_SLACK_NS)

const isOverLimit = (one: Work) => one.aloneNs > one.cpuLimitNs || one.sharedNs > sharedLimitNs(one)
