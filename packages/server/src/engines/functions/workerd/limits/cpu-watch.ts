import { createPriority } from '../process/priority.ts'
import { mainThreadNs, mainThreadTimes, privateBytes } from '../process/proc.ts'
import type { Counts } from '../requests/control.ts'
import { createCharges } from './charges.ts'
import { createCollector } from './collector.ts'
import { createProcessMeter } from './process-meter.ts'
import { BUSY_PART_MIN } from './suspicion.ts'
import type { CancelCode, WorkInProgress } from './work.ts'

const MS_NS = 1e6
const TICK_MS = 25
/** Without work, and without CPU time since the last check. */
const QUIET_TICK_MS = 500
/** For crons, queues and alarms. */
export const BACKGROUND_CPU_NS = 30_000 * MS_NS
const STALL_NS_MAX = 5_000 * MS_NS
/** Less CPU time since the last check, or since the last ping was answered, means that the process is idle. */
const ACTIVE_NS = 1 * MS_NS
/** After this much CPU time an unanswered ping means that one turn takes long. */
const STALLING_NS = 10 * MS_NS
/** CPU time of no known work (timers of objects) may be this part of the time without end. */
const UNKNOWN_PART_MAX = 0.5
const PRIVATE_BYTES_MAX = 256 * 1024 * 1024
const MEMORY_EVERY_TICKS = 4
/** Messages of WebSockets may use CPU time for this long after they came, or as long as the process does not sleep. */
const TRAFFIC_CHECKS = 4
/** The CPU time of all threads is read this often, for the bill of a process that ends by itself. */
const PROCESS_EVERY_TICKS = 40
/** For a collection, beside the limits of requests. */
const COLLECT_NS_MAX = 300 * MS_NS

type WatchOptions = {
  pid: number
  work: WorkInProgress
  /** Whether WebSockets are open, and bytes have passed since the last call: CPU time may be that of their messages. */
  takeTraffic(): 'none' | 'silent' | 'passing'
  /** Whether an alarm of an object is due, or being handled. */
  isAlarmDue(): boolean
  /** Resolves when the event loop of the process turns. */
  ping(): Promise<Counts>
  /** Resolves when the process has collected its garbage. */
  collect(): Promise<unknown>
  /** While it is true, nothing is sent to the process. */
  onHold(isHeld: boolean): void
  /** Ends the process: it does not answer, or it is too large. `isUnknown`: the reason may be no work that is in progress. */
  onExceeded(code: CancelCode, isUnknown: boolean): void
  /** Ends the process when its requests are answered: turns of no request use the CPU without end. */
  onUnknownExceeded(): void
  /** Called with each check: the time since the last work in ms. */
  onTick(quietMs: number): void
}

export type CpuWatch = ReturnType<typeof watchCpu>

/**
 * Enforces the limits of CPU time and memory of one process, which open-source workerd does not. A request with many short turns is
 * cancelled alone. One turn that never ends blocks the process: a ping stays unanswered while CPU time is used, and the process is ended.
 */
export function watchCpu(options: WatchOptions) {
  const { pid, work, takeTraffic, ping, collect, onHold, onExceeded, onTick } = options
  let lastMainNs = mainThreadNs(pid) ?? 0
  let lastWaitedNs = 0
  let lastCheckAt = performance.now()
  /** When the last ping was answered. The CPU time of a ping is not a reason for the next one. */
  let answeredNs = lastMainNs
  /** No request is charged for a time in which the process collected, or did something else for the service. */
  let hasOwnCall = false
  /** Work that was in progress at some time since the last check. */
  let sharers = work.size
  let lastWorkAt = performance.now()
  let hasProgress = false
  let isQuiet = false
  let isHeld = false
  let ticks = 0
  let strikes = 0
  let unknownNs = 0
  let trafficChecks = 0
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  /**
   * An unanswered ping. `isUnknown`: messages of WebSockets or queues came in the meantime. `isEvent`: there was no request when it was
   * sent. `isProbe`: a request waits for its answer.
   */
  let pending: { sinceNs: number; isEvent: boolean; isUnknown: boolean; isProbe: boolean } | undefined
  const charges = createCharges(work)
  const priority = createPriority(pid)
  const meter = createProcessMeter(pid, lastMainNs)
  const collector = createCollector(collect, lastMainNs, () => {
    if (pending) pending.sinceNs = mainThreadNs(pid) ?? pending.sinceNs
  })

  function check() {
    const now = performance.now()
    const { usedNs: mainNs, waitedNs } = mainThreadTimes(pid) ?? {
      usedNs: lastMainNs,
      waitedNs: lastWaitedNs,
    }
    const usedNs = mainNs - lastMainNs
    const demandNs = usedNs + waitedNs - lastWaitedNs
    const elapsedNs = (now - lastCheckAt) * MS_NS
    adoptPing(lastMainNs)
    lastMainNs = mainNs
    lastWaitedNs = waitedNs
    lastCheckAt = now
    ticks++
    if (work.size > 0) lastWorkAt = now
    if (ticks % PROCESS_EVERY_TICKS === 0) meter.read(lastMainNs)

    const traffic = takeTraffic()
    priority.update(usedNs, demandNs - usedNs, elapsedNs)
    const hasTraffic = isWithTraffic(traffic === 'passing', demandNs > elapsedNs * BUSY_PART_MIN)
    const hasDeliveries = meter.isDelivering()
    if (pending && (hasTraffic || hasDeliveries)) pending.isUnknown = true
    const isLong = isLongTurn(mainNs)
    if (work.size > 0) {
      const isKnown = !hasOwnCall && !hasDeliveries
      charges.charge({
        usedNs: isKnown ? usedNs : 0,
        shares: sharers + (hasTraffic ? 1 : 0),
        now,
        isLongTurn: isLong,
        hasSockets: traffic !== 'none',
      })
      charges.judge(demandNs, elapsedNs)
    } else charges.endSuspicion()
    chargeUnknown(sharers === 0 && !hasTraffic && !hasDeliveries ? usedNs : 0, elapsedNs)
    sharers = work.size
    hasOwnCall = collector.isCollecting()
    if (hasProgress && pending) pending.sinceNs = mainNs
    hasProgress = false
    hold(charges.isSuspecting() || isLongTurn(mainNs) || pending?.isProbe === true)

    if (!pending && mainNs - answeredNs > ACTIVE_NS) sendPing(mainNs, hasTraffic || hasDeliveries)
    if (isStalled(mainNs))
      return onExceeded('cpu_limit_exceeded', pending?.isEvent || pending?.isUnknown || false)
    if (ticks % MEMORY_EVERY_TICKS === 0) {
      const bytes = privateBytes(pid)
      if (bytes > PRIVATE_BYTES_MAX) return onExceeded('memory_limit_exceeded', hasTraffic || hasDeliveries)
      if (!isLong) collector.check(bytes, mainNs)
      hasOwnCall ||= collector.isCollecting()
    }
    isQuiet = work.size === 0 && !pending && usedNs < ACTIVE_NS
    onTick(now - lastWorkAt)
  }

  function isWithTraffic(isPassing: boolean, isBusy: boolean): boolean {
    if (isPassing) trafficChecks = TRAFFIC_CHECKS
    else if (!isBusy && trafficChecks > 0) trafficChecks--
    return trafficChecks > 0
  }

  const isLongTurn = (mainNs: number) => pending !== undefined && mainNs - pending.sinceNs > STALLING_NS

  function hold(shouldHold: boolean) {
    if (shouldHold === isHeld) return
    isHeld = shouldHold
    onHold(shouldHold)
  }

  /** Alarms may use as much as they need: each has its own limit. */
  function chargeUnknown(usedNs: number, elapsedNs: number) {
    unknownNs = Math.max(0, unknownNs + usedNs - elapsedNs * UNKNOWN_PART_MAX)
    if (unknownNs < BACKGROUND_CPU_NS) return
    unknownNs = 0
    if (!options.isAlarmDue()) options.onUnknownExceeded()
  }

  function sendPing(mainNs: number, isUnknown: boolean) {
    const sent = (pending = { sinceNs: mainNs, isEvent: work.size === 0, isUnknown, isProbe: false })
    void ping()
      .then(meter.noteCounts)
      .catch(() => {})
      .finally(() => {
        if (pending === sent) pending = undefined
        answeredNs = mainThreadNs(pid) ?? answeredNs
        hold(charges.isSuspecting())
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
      mainNs - pending.sinceNs >
        stallBudgetNs(pending.isEvent) + (collector.isCollecting() ? COLLECT_NS_MAX : 0)
    strikes = isOver ? strikes + 1 : 0
    return strikes >= 2
  }

  /** When the process was quiet, the next check may be far. */
  function checkSoon() {
    if (!isQuiet || stopped) return
    isQuiet = false
    // CPU time that was used before is charged to no request.
    lastMainNs = mainThreadNs(pid) ?? lastMainNs
    answeredNs = lastMainNs
    clearTimeout(timer)
    schedule()
  }

  function schedule() {
    timer = setTimeout(
      () => {
        check()
        if (!stopped) schedule()
      },
      isQuiet ? QUIET_TICK_MS : TICK_MS,
    ).unref()
  }
  schedule()

  return {
    /** Something came out of the process: its event loop turns. */
    noteProgress() {
      hasProgress = true
    },
    /** Called before each piece of work. */
    noteWork() {
      sharers++
      lastWorkAt = performance.now()
      checkSoon()
    },
    /** Asks whether the event loop turns. Nothing is sent before the answer. */
    probe() {
      checkSoon()
      if (!pending) sendPing(mainThreadNs(pid) ?? lastMainNs, false)
      if (pending) pending.isProbe = true
      hold(true)
    },
    /** The process does something for the service: no work is charged for it. */
    noteOwnCall() {
      hasOwnCall = true
    },
    /** CPU time of the whole process since the last call, also after its end. */
    takeCpuMs: () => meter.takeCpuMs(lastMainNs),
    /** Reads the CPU time a last time, before the process is killed. */
    readCpu: () => meter.read(lastMainNs),
    takeRows: meter.takeRows,
    noteCounts: meter.noteCounts,
    isDelivering: meter.isDelivering,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

export const cpuLimitNs = (cpuMs: number) => cpuMs * MS_NS
