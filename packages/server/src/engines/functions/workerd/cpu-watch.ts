import { mainThreadNs, processNs, privateBytes } from './proc.ts'
import type { CancelCode, Work, WorkInProgress } from './work.ts'

const MS_NS = 1e6
const MIB = 1024 * 1024
const TICK_MS = 25
/** Without work, and without CPU time since the last look. */
const QUIET_TICK_MS = 500
/**
 * CPU time is shared evenly, which can charge a request for others. So beside others it may use more, and a tenth of the CPU time is
 * forgiven: a response that is streamed for hours is not cancelled for the requests meanwhile.
 */
const SHARED_FACTOR = 3
const SHARED_FORGIVEN = 0.1
const SHARED_SLACK_NS = 200 * MS_NS
/** For crons, queues and alarms. */
export const BACKGROUND_CPU_NS = 30_000 * MS_NS
const STALL_NS_MAX = 5_000 * MS_NS
/** Less CPU time since the last look, or since the last ping was answered, means that the process is idle. */
const ACTIVE_NS = 1 * MS_NS
/** After this much CPU time an unanswered ping means that one turn takes long. */
const STALLING_NS = 10 * MS_NS
const PRIVATE_BYTES_MAX = 256 * MIB
const MEMORY_EVERY_TICKS = 4
/**
 * V8 does not count the memory of workerd's own objects, several kilobytes per request, and collects them late. So a process that works
 * collects after this CPU time per byte of its memory, because a collection of a larger heap takes longer. A process that used databases
 * and KV had 73 MB without it, and has 38 (decision 0040). A small process need not collect, and one that is larger than
 * `COLLECT_BYTES_MAX` has more live objects than garbage: V8 decides alone. One that may stay below 40 MB collects earlier.
 */
const COLLECT_NS_PER_BYTE = 8
const COLLECT_BYTES_MIN = 28 * MIB
const COLLECT_BYTES_MAX = 64 * MIB
const COLLECT_EARLIER = { bytesMin: 34 * MIB, bytesMax: 44 * MIB, nsPerByte: 5 }
/** For a collection, beside the limits of requests. */
const COLLECT_NS_MAX = 300 * MS_NS

export type WatchOptions = {
  pid: number
  work: WorkInProgress
  /** While there are WebSockets, CPU time may be that of their messages. Then only a turn that does not end is noticed. */
  hasSockets(): boolean
  /** Resolves when the event loop of the process turns. */
  ping(): Promise<unknown>
  /** Resolves when the process has collected its garbage. */
  collect(): Promise<unknown>
  /** Ends the process: it does not answer, or it is too large. */
  onExceeded(code: CancelCode): void
  /** Called with each look: the time since the last work in ms. */
  onTick(quietMs: number): void
}

export type CpuWatch = {
  /** Something came out of the process: its event loop turns. */
  noteProgress(): void
  /** Called before each piece of work. */
  noteWork(): void
  /** CPU time of the whole process since the last call. */
  takeCpuMs(): number
  stop(): void
}

/**
 * Enforces the limits of CPU time and memory of one process, which open-source workerd does not. A request with many short turns is
 * cancelled alone. One turn that never ends blocks the process: a ping stays unanswered while CPU time is used, and the process is ended.
 */
export function watchCpu(options: WatchOptions): CpuWatch {
  const { pid, work, hasSockets, ping, collect, onExceeded, onTick } = options
  let lastMainNs = mainThreadNs(pid) ?? 0
  let lastProcessNs = processNs(pid) ?? 0
  /** When the last ping was answered. The CPU time of a ping is not a reason for the next one. */
  let answeredNs = lastMainNs
  let collectedNs = lastMainNs
  /** No request is charged for a time in which the process collected. */
  let isCollecting = false
  let hasCollected = false
  /** Work that was in progress at some time since the last look. */
  let sharers = work.size
  let lastWorkAt = performance.now()
  let hasProgress = false
  let isQuiet = false
  let ticks = 0
  let strikes = 0
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  /** An unanswered ping. `isEvent`: there was no request when it was sent, so an event is being handled. */
  let pending: { sinceNs: number; isEvent: boolean } | undefined

  function look() {
    const now = performance.now()
    const mainNs = mainThreadNs(pid) ?? lastMainNs
    const usedNs = mainNs - lastMainNs
    adoptPing(lastMainNs)
    lastMainNs = mainNs
    ticks++
    if (work.size > 0) lastWorkAt = now

    const isStalling = pending !== undefined && mainNs - pending.sinceNs > STALLING_NS
    const isKnown = !hasCollected && !hasSockets()
    if (work.size > 0) charge(isKnown ? usedNs : 0, now, isStalling)
    sharers = work.size
    hasCollected = isCollecting
    if (hasProgress && pending) pending.sinceNs = mainNs
    hasProgress = false

    if (!pending && mainNs - answeredNs > ACTIVE_NS) sendPing(mainNs)
    if (isStalled(mainNs)) return onExceeded('cpu_limit_exceeded')
    if (ticks % MEMORY_EVERY_TICKS === 0) {
      const bytes = privateBytes(pid)
      if (bytes > PRIVATE_BYTES_MAX) return onExceeded('memory_limit_exceeded')
      if (!isStalling && needsCollection(bytes, mainNs)) startCollection(mainNs)
    }
    isQuiet = work.size === 0 && !pending && usedNs < ACTIVE_NS
    onTick(now - lastWorkAt)
  }

  /** Shares CPU time out over all work since the last look, also over work that has ended, and cancels what is over its limit. */
  function charge(usedNs: number, now: number, isStalling: boolean) {
    const share = usedNs / sharers
    const forgivenNs = usedNs * SHARED_FORGIVEN
    for (const one of work.values()) {
      if (sharers === 1) one.aloneNs += share
      else one.sharedNs = Math.max(0, one.sharedNs + share - forgivenNs)
      if (now > one.answerDueAt) one.cancel('function_timeout')
      else if (!isStalling && isOverLimit(one)) one.cancel('cpu_limit_exceeded')
    }
  }

  const needsCollection = (bytes: number, mainNs: number) =>
    !isCollecting &&
    bytes > COLLECT_BYTES_MIN &&
    bytes < COLLECT_BYTES_MAX &&
    mainNs - collectedNs > bytes * collectNsPerByte(bytes)

  function startCollection(mainNs: number) {
    collectedNs = mainNs
    isCollecting = hasCollected = true
    void collect()
      .catch(() => {})
      .finally(() => {
        isCollecting = false
        if (pending) pending.sinceNs = mainThreadNs(pid) ?? pending.sinceNs
      })
  }

  function sendPing(mainNs: number) {
    const sent = (pending = { sinceNs: mainNs, isEvent: work.size === 0 })
    void ping()
      .catch(() => {})
      .finally(() => {
        if (pending === sent) pending = undefined
        answeredNs = mainThreadNs(pid) ?? answeredNs
      })
  }

  /** The process was not busy yet when a request came: what is used from now on is the request's. */
  function adoptPing(mainNs: number) {
    if (!pending?.isEvent || work.size === 0 || mainNs - pending.sinceNs > STALLING_NS) return
    pending.isEvent = false
    pending.sinceNs = mainNs
  }

  /** workerd may run the code of all waiting requests before it writes any answer, so each may use its limit. */
  function stallBudgetNs(isEvent: boolean): number {
    if (isEvent || work.size === 0) return BACKGROUND_CPU_NS
    let sum = 0
    let largest = STALL_NS_MAX
    for (const one of work.values()) {
      sum += one.cpuLimitNs
      largest = Math.max(largest, one.cpuLimitNs)
    }
    return Math.min(sum, largest)
  }

  /** Seen twice: our own event loop may be late, and the answers still unread. */
  function isStalled(mainNs: number): boolean {
    const isOver =
      pending !== undefined &&
      mainNs - pending.sinceNs > stallBudgetNs(pending.isEvent) + (isCollecting ? COLLECT_NS_MAX : 0)
    strikes = isOver ? strikes + 1 : 0
    return strikes >= 2
  }

  function schedule() {
    timer = setTimeout(
      () => {
        look()
        if (!stopped) schedule()
      },
      isQuiet ? QUIET_TICK_MS : TICK_MS,
    ).unref()
  }
  schedule()

  return {
    noteProgress() {
      hasProgress = true
    },
    noteWork() {
      sharers++
      lastWorkAt = performance.now()
      if (!isQuiet || stopped) return
      isQuiet = false
      // CPU time that was used before is charged to no request.
      lastMainNs = mainThreadNs(pid) ?? lastMainNs
      answeredNs = lastMainNs
      clearTimeout(timer)
      schedule()
    },
    takeCpuMs() {
      const now = processNs(pid) ?? lastProcessNs
      const used = Math.max(0, now - lastProcessNs)
      lastProcessNs = now
      return used / MS_NS
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

const collectNsPerByte = (bytes: number) =>
  bytes > COLLECT_EARLIER.bytesMin && bytes < COLLECT_EARLIER.bytesMax
    ? COLLECT_EARLIER.nsPerByte
    : COLLECT_NS_PER_BYTE

const isOverLimit = ({ aloneNs, sharedNs, cpuLimitNs }: Work) =>
  aloneNs > cpuLimitNs || sharedNs > Math.max(SHARED_FACTOR * cpuLimitNs, cpuLimitNs + SHARED_SLACK_NS)

export const cpuLimitNs = (cpuMs: number) => cpuMs * MS_NS
