import { createCollector } from '../limits/collector.ts'
import { createProcessMeter } from '../limits/process-meter.ts'
import { createPriority } from '../process/priority.ts'
import { mainThreadNs, mainThreadTimes, privateBytes } from '../process/proc.ts'

const MS_NS = 1e6
const TICK_MS = 25
/** Without anything sent, and without CPU time since the last check. */
const QUIET_TICK_MS = 500
/** Less CPU time than this is no reason for a ping. */
const ACTIVE_NS = 1 * MS_NS
/** A batch has turns of many rooms: it may use this much where a request may use less. */
const STALL_NS_MIN = 100 * MS_NS
/**
 * A collection takes 15 to 20 ms of CPU time with 200 rooms, so it begins when a batch was answered and the next one is not due, and is
 * half as frequent as in functions: 44 MB instead of 68 (decision 0075).
 */
const COLLECT_FACTOR = 2
/** For a collection, beside the limit. */
const COLLECT_NS_MAX = 300 * MS_NS
/** A process that neither answers nor uses or waits for a CPU: something has stopped it. */
const SILENT_MS_MAX = 30_000
/** Beside the heap of V8, which has a limit of its own. */
const PRIVATE_BYTES_MAX = 256 * 1024 * 1024
const MEMORY_EVERY_TICKS = 4
/** The CPU time of all threads is read this often, for the bill of a process that ends by itself. */
const PROCESS_EVERY_TICKS = 40
/**
 * A process that has not answered for this long has the priority of the service until it answers, for at most so much CPU time: on a busy
 * machine, where the lowest priority gets 1 % of a core, an endless loop would reach its limit after minutes, and all rooms in it wait.
 */
const OVERDUE_MS = 5_000
const OVERDUE_NS_MAX = 1_200 * MS_NS
/** The part of a CPU that rooms may use without end before they run with the lowest priority. */
const BUSY_PART = 0.6

type WatchOptions = {
  pid: number
  /** CPU time for which the event loop of the process may not turn. */
  cpuMs: number
  ping(): void
  /** Resolves when the process has collected its garbage. */
  collect(): Promise<unknown>
  onExceeded(end: 'cpu_limit_exceeded' | 'memory_limit_exceeded' | 'failed', reason: string): void
}

/**
 * Enforces the limits of a process of rooms. A turn that never ends is seen by a ping that is not answered while the thread of the code
 * uses CPU time. Whatever comes out of the process shows that its event loop turns, so one that answers its batches is hardly ever pinged.
 */
export function watchRooms({ pid, cpuMs, ping, collect, onExceeded }: WatchOptions) {
  const limitNs = Math.max(cpuMs * MS_NS, STALL_NS_MIN)
  let last = mainThreadTimes(pid) ?? { usedNs: 0, waitedNs: 0 }
  let lastAt = performance.now()
  /** When the event loop was last known to turn. */
  let turnedNs = last.usedNs
  let hasProgress = false
  /** Something was sent, and nothing has come since. */
  let isWaiting = false
  let pending: { at: number; usedNs: number; waitedNs: number; overdueNs?: number } | undefined
  let strikes = 0
  /** Own memory at the last look. */
  let ownBytes = 0
  let ticks = 0
  let isQuiet = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const meter = createProcessMeter(pid, last.usedNs)
  const priority = createPriority(pid, BUSY_PART)
  const collector = createCollector(
    collect,
    last.usedNs,
    () => {
      if (pending) pending.usedNs = last.usedNs
    },
    COLLECT_FACTOR,
  )

  function read() {
    last = mainThreadTimes(pid) ?? last
    lastAt = performance.now()
  }

  function check() {
    const [before, beforeAt] = [last, lastAt]
    read()
    const usedNs = last.usedNs - before.usedNs
    priority.update(usedNs, last.waitedNs - before.waitedNs, (lastAt - beforeAt) * MS_NS, isOverdue())
    ticks++
    if (ticks % PROCESS_EVERY_TICKS === 0) meter.read(last.usedNs)
    if (hasProgress) {
      hasProgress = false
      turnedNs = last.usedNs
      if (pending) pending = { at: lastAt, ...last }
    }
    if (!pending && (isWaiting || last.usedNs - turnedNs > ACTIVE_NS)) {
      pending = { at: lastAt, ...last }
      ping()
    }
    // Seen twice: our own event loop may be late, and the answers still unread.
    const end = endOf()
    strikes = end ? strikes + 1 : 0
    if (end && strikes >= 2) return onExceeded(...end)
    if (ticks % MEMORY_EVERY_TICKS === 0) {
      ownBytes = privateBytes(pid)
      if (ownBytes > PRIVATE_BYTES_MAX) return onExceeded('memory_limit_exceeded', 'its memory was full')
      if (!pending && !isWaiting) collector.check(ownBytes, last.usedNs)
    }
    isQuiet = !pending && usedNs < ACTIVE_NS
  }

  function isOverdue(): boolean {
    if (!pending || lastAt - pending.at < OVERDUE_MS) return false
    pending.overdueNs ??= last.usedNs
    return last.usedNs - pending.overdueNs < OVERDUE_NS_MAX
  }

  function endOf(): Parameters<WatchOptions['onExceeded']> | undefined {
    if (!pending) return undefined
    const usedNs = last.usedNs - pending.usedNs
    if (usedNs > limitNs + (collector.isCollecting() ? COLLECT_NS_MAX : 0))
      return [
        'cpu_limit_exceeded',
        `its code used more than ${limitNs / MS_NS} ms of CPU time without a pause`,
      ]
    const silentMs = lastAt - pending.at - (usedNs + last.waitedNs - pending.waitedNs) / MS_NS
    return silentMs > SILENT_MS_MAX ? ['failed', 'it did nothing at all'] : undefined
  }

  function schedule() {
    timer = setTimeout(
      () => {
        check()
        if (!isStopped) schedule()
      },
      isQuiet ? QUIET_TICK_MS : TICK_MS,
    ).unref()
  }
  schedule()

  return {
    /** Called before each batch. */
    noteSent() {
      isWaiting = true
      if (!isQuiet || isStopped) return
      isQuiet = false
      clearTimeout(timer)
      schedule()
    },
    /** Something came out of the process: its event loop turns. */
    noteProgress() {
      hasProgress = true
      isWaiting = false
      collector.check(ownBytes, last.usedNs)
    },
    notePong() {
      hasProgress = true
      isWaiting = false
      pending = undefined
    },
    /** CPU time of the thread that runs the rooms. */
    cpuMs(): number {
      const isOld = !isStopped && performance.now() - lastAt > TICK_MS
      return ((isOld ? mainThreadNs(pid) : undefined) ?? last.usedNs) / MS_NS
    },
    /** CPU time of the whole process since the last call, also after its end. */
    takeCpuMs: () => meter.takeCpuMs(last.usedNs),
    /** Reads the CPU time a last time, before the process is killed. */
    readCpu: () => meter.read(last.usedNs),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
