import type { ClientRequest } from 'node:http'
import { TLSSocket } from 'node:tls'

import { watchReceived } from '../../../../platform/network/received.ts'

/** A head with the interim answers (1xx) before it. */
const HEAD_BYTES_MAX = 64 * 1024
/** For a connection, and for a head from its first byte to its last. */
const HEAD_MS_MAX = 30_000
/** The part of a CPU that the answers to one process may cost without end, and what they may cost ahead of it. */
const CPU_PART_MAX = 0.25
const CPU_AHEAD_MS = 2_000
const SHARE_EVERY_MS = 50
/** Of one part of an answer: the clock may not show it. */
const HANDLED_MS_MIN = 0.005

const TOO_LONG = `the head of the answer has more than ${HEAD_BYTES_MAX} bytes`
const TOO_SLOW = 'the head of the answer takes too long'
const TOO_COSTLY = 'the answers to these functions take too much CPU time'

/** Tests make them small. */
export type AnswerTuning = { headMsMax?: number; cpuAheadMs?: number; cpuPartMax?: number }
/** What was handled for one process since the last share, and who pays for it. */
type Account = { handledMs: number; pay(ms: number): void }

const accounts = new Set<Account>()
let sharedMs = 0
let timer: NodeJS.Timeout | undefined

/**
 * Divides the CPU time of this thread between the processes that it was used for. Handling what arrives is measured for each of them;
 * reading and writing it is not, so all CPU time is divided in this proportion.
 */
function share() {
  const spentMs = threadMs() - sharedMs
  // The clock of CPU time may stand still for some milliseconds.
  if (spentMs <= 0) return
  sharedMs += spentMs
  let allMs = 0
  for (const { handledMs } of accounts) allMs += handledMs
  for (const account of accounts) {
    if (allMs > 0) account.pay((spentMs * account.handledMs) / allMs)
    account.handledMs = 0
  }
}

/**
 * Limits what a fetched server can make the service do: the bytes and the time of the head of its answer, and the CPU time that all
 * answers to one process cost. A body may be endless: what limits it is that it costs CPU time.
 */
export function createAnswerLimits(
  addCpuMs: (ms: number) => void,
  { headMsMax = HEAD_MS_MAX, cpuAheadMs = CPU_AHEAD_MS, cpuPartMax = CPU_PART_MAX }: AnswerTuning = {},
) {
  let leftMs = cpuAheadMs
  let paidAt = performance.now()
  const account: Account = {
    handledMs: 0,
    pay(ms) {
      const now = performance.now()
      leftMs = Math.min(cpuAheadMs, leftMs + (now - paidAt) * cpuPartMax) - ms
      paidAt = now
      addCpuMs(ms)
    },
  }
  if (accounts.size === 0) {
    sharedMs = threadMs()
    timer = setInterval(share, SHARE_EVERY_MS).unref()
  }
  accounts.add(account)

  return {
    limit(target: ClientRequest) {
      let startedMs = 0
      let headBytes = 0
      let isAnswered = false
      let headTimer: NodeJS.Timeout | undefined
      const limitTime = () => {
        clearTimeout(headTimer)
        if (!isAnswered) headTimer = setTimeout(() => target.destroy(new Error(TOO_SLOW)), headMsMax)
      }
      const noteAnswer = () => {
        isAnswered = true
        clearTimeout(headTimer)
      }
      target.on('socket', (socket) => {
        if (!socket.connecting) return
        limitTime()
        socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => clearTimeout(headTimer))
      })
      target.on('response', noteAnswer)
      target.on('upgrade', noteAnswer)
      target.on('close', () => clearTimeout(headTimer))
      watchReceived(
        target,
        (bytes) => {
          account.handledMs += HANDLED_MS_MIN + threadMs() - startedMs
          if (leftMs < 0) target.destroy(new Error(TOO_COSTLY))
          if (isAnswered) return
          if (headBytes === 0) limitTime()
          headBytes += bytes
          if (headBytes > HEAD_BYTES_MAX) target.destroy(new Error(TOO_LONG))
        },
        () => (startedMs = threadMs()),
      )
    },
    close() {
      accounts.delete(account)
      if (accounts.size === 0) clearInterval(timer)
    },
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
