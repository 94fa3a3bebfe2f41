import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../../platform/api-error.ts'
import { epochMs } from '../../../platform/clock.ts'
import { inNameOf } from '../../../platform/error-source.ts'
import type { Counts } from '../../../platform/metrics/metrics.ts'
import type { FunctionsSpec } from '../../../platform/ports/functions-engine.ts'
import { nextAlarmMs } from './data/alarms.ts'
import { createStorageLimit } from './data/storage-limit.ts'
import { HeldEvents } from './limits/held-events.ts'
import type { UsageCount } from './limits/usage-count.ts'
import { type LiveOptions, type LiveProcess, startLive } from './live-process.ts'
import type { PrintedLine } from './logs/log-lines.ts'
import type { Logs } from './logs/logs.ts'
import { Crashes } from './process/crashes.ts'
import { dataFolderOf } from './process/folders.ts'
import { StartError } from './process/start-error.ts'
import { NotSentError } from './requests/sent-work.ts'

const WAITING_MAX = 1_000
const WAIT_MS = 10_000
const ATTEMPTS_MAX = 5
const END_WAIT_MS = 1_000
const LOCKED_RETRY_MS = 250
const WAKE_RETRY_MS = 5_000
const IDLE_MS = 5 * 60_000
/** A process is not stopped shortly before an alarm. */
const SOON_MS = 10_000
const DRAIN_MS = 5_000
const TIMER_MS_MAX = 2 ** 31 - 1

type EnvironmentProcessOptions = Omit<
  LiveOptions,
  'spec' | 'isFull' | 'onLine' | 'addEgressBytes' | 'addEgressCpuMs' | 'isAlarmDue' | 'onTick'
> & {
  logs: Logs
  starts: Counts
  /** Resolves when one more process may run. Throws `functions_overloaded`. */
  reserve(): Promise<void>
  release(): void
  idleMs?: number | undefined
  /** How long events are held after the first process that has ended by itself. */
  heldMs?: number | undefined
  /** How long a request waits for a process. */
  waitMs?: number | undefined
  storageBytesMax: number
  storageCheckMs: number
  onStopped(process: EnvironmentProcess): void
}

/** The process of one environment: there is at most one, started when it is needed and stopped when it is idle. */
export class EnvironmentProcess {
  #spec: FunctionsSpec
  readonly #usage: UsageCount
  readonly #options: EnvironmentProcessOptions
  readonly #dataFolder: string
  readonly #storage: ReturnType<typeof createStorageLimit>
  readonly #heldEvents: HeldEvents
  readonly #crashes = new Crashes()
  #live: LiveProcess | undefined
  #starting: Promise<LiveProcess> | undefined
  /** Set while a switch holds new work. */
  #held: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #waiting = 0
  #wakeTimer: NodeJS.Timeout | undefined
  #lastUsedAt = performance.now()

  constructor(spec: FunctionsSpec, usage: UsageCount, options: EnvironmentProcessOptions) {
    this.#spec = spec
    this.#usage = usage
    this.#options = options
    this.#dataFolder = dataFolderOf(options.root, spec.dataId)
    this.#heldEvents = new HeldEvents(options.heldMs)
    this.#storage = createStorageLimit({
      dataFolder: this.#dataFolder,
      bytesMax: options.storageBytesMax,
      checkMs: options.storageCheckMs,
      logs: options.logs,
      restart: () => this.replace(this.#spec, DRAIN_MS),
      isStopped: () => this.#stopped !== undefined,
    })
    this.#scheduleWake()
  }

  get spec(): FunctionsSpec {
    return this.#spec
  }

  get isRunning(): boolean {
    return this.#isFree()
  }

  /** Undefined while there is no process, or it is in use. */
  get idleSince(): number | undefined {
    return this.#live?.isIdle() && !this.#live.isEnding() ? this.#lastUsedAt : undefined
  }

  get developerId(): string | null {
    return this.#spec.developerId
  }

  get pid(): number | undefined {
    return this.#live?.pid
  }

  /** Runs work with the process. Tries again with a new one if the old one has not received the request. */
  async use<Result>(work: (live: LiveProcess) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const live = this.#isFree() ? this.#live : await this.ready()
      try {
        if (live) return await work(live)
      } catch (error) {
        if (!(error instanceof NotSentError)) throw error
        if (attempt === ATTEMPTS_MAX) throw new ApiError('functions_unavailable', undefined, { cause: error })
        // The process is gone, which is known a moment later.
        await Promise.race([live?.ended, pause(END_WAIT_MS, undefined, { ref: false })])
      } finally {
        this.#lastUsedAt = performance.now()
      }
    }
  }

  /** Waits for a process, and starts it if there is none. */
  async ready(): Promise<LiveProcess> {
    if (this.#waiting >= WAITING_MAX) throw new ApiError('functions_overloaded')
    this.#waiting++
    const endsAt = performance.now() + (this.#options.waitMs ?? WAIT_MS)
    try {
      for (;;) {
        if (this.#stopped) throw new ApiError('functions_unavailable')
        const leftMs = endsAt - performance.now()
        if (leftMs <= 0) throw new ApiError('functions_unavailable')
        if (this.#held) await within(this.#held, leftMs)
        else if (this.#live && !this.#live.isEnding()) return this.#live
        else await this.#startWithin(leftMs)
      }
    } finally {
      this.#waiting--
    }
  }

  /** An error that escapes from this work ends the process, and counts as a crash. */
  inOwnName<Result>(work: () => Result): Result {
    const end = () => this.#live?.kill('function_failed')
    return inNameOf({ environmentId: this.#spec.environmentId, end }, work)
  }

  /** Reads what the process has used and not reported yet. */
  async readUsage() {
    const live = this.#live
    if (live && !live.isEnding()) await live.readCounts()
    if (this.#live) this.#usage.addProcess(this.#live)
  }

  /** Held requests wait in `ready`. Only one switch runs at a time. */
  async replace(spec: FunctionsSpec, drainMs: number) {
    while (this.#held) await this.#held
    if (this.#stopped) throw new ApiError('functions_unavailable')
    const hold = Promise.withResolvers<void>()
    this.#held = hold.promise
    try {
      const live = await (this.#starting?.catch(() => undefined) ?? this.#live)
      if (live) await this.#end(live, drainMs)
      this.#spec = spec
      this.#crashes.reset()
      this.#heldEvents.reset()
      if (live && !this.#stopped) await this.#start()
      else this.#scheduleWake()
    } finally {
      this.#held = undefined
      hold.resolve()
    }
  }

  /** Resolves when the process has ended. There is no other afterwards. */
  stop(drainMs: number): Promise<void> {
    clearTimeout(this.#wakeTimer)
    return (this.#stopped ??= this.#stopNow(drainMs).finally(() => this.#options.onStopped(this)))
  }

  /** Ends the process immediately: another node may be the owner of the environment. */
  abandon() {
    this.#stopped ??= Promise.resolve()
    this.#options.onStopped(this)
    clearTimeout(this.#wakeTimer)
    this.#live?.kill('function_restarted')
    void this.#starting?.then((live) => live.kill('function_restarted')).catch(() => {})
  }

  /** Ends the process for another environment. Requests that come meanwhile wait, and start the next one. */
  async makeRoom(drainMs: number) {
    const live = this.#live
    if (!live || !this.#isFree()) return
    const hold = Promise.withResolvers<void>()
    this.#held = hold.promise
    try {
      await this.#end(live, drainMs)
    } finally {
      this.#held = undefined
      hold.resolve()
      this.#scheduleWake()
    }
  }

  async #stopNow(drainMs: number) {
    await this.#held
    const live = await (this.#starting?.catch(() => undefined) ?? this.#live)
    if (live) await this.#end(live, drainMs)
  }

  async #end(live: LiveProcess, drainMs: number) {
    this.#live = undefined
    await live.stop(drainMs)
    this.#usage.addProcess(live)
  }

  #isFree(): boolean {
    return this.#live !== undefined && !this.#held && !this.#live.isEnding()
  }

  /** A process of another node may have the data: it ends when that node notices that it is no longer the owner. */
  async #startWithin(leftMs: number) {
    try {
      await within(this.#start(), leftMs)
    } catch (error) {
      if (!isLocked(error)) throw error
      await pause(Math.min(LOCKED_RETRY_MS, leftMs))
    }
  }

  #start(): Promise<LiveProcess> {
    return (this.#starting ??= this.#startNow().finally(() => (this.#starting = undefined)))
  }

  async #startNow(): Promise<LiveProcess> {
    this.#crashes.assertMayStart()
    // The old process still has the data until it is gone.
    await this.#live?.ended
    await this.#options.reserve()
    clearTimeout(this.#wakeTimer)
    try {
      const options = {
        ...this.#options,
        spec: { ...this.#spec, eventsAfterMs: this.#heldEvents.untilMs },
        isFull: this.#storage.isFull(),
        onLine: (line: PrintedLine) => this.#options.logs.add(line),
        addEgressBytes: this.#usage.addEgressBytes,
        addEgressCpuMs: this.#usage.addEgressCpuMs,
        isAlarmDue: () => this.#isAlarmDue(),
        onTick: (quietMs: number) => this.#onTick(quietMs),
      }
      const live = await this.inOwnName(() => startLive(options))
      this.#options.starts.add('started')
      this.#live = live
      void live.ended.then(() => this.#onEnded(live))
      live.resumeQueues()
      return live
    } catch (error) {
      this.#options.starts.add('failed')
      this.#options.release()
      if (!(error instanceof StartError && error.reason === 'locked')) this.#crashes.note()
      if (!(error instanceof StartError)) throw error
      throw new ApiError('functions_unavailable', undefined, { cause: error })
    }
  }

  #onEnded(live: LiveProcess) {
    this.#options.release()
    if (this.#live === live) this.#live = undefined
    this.#usage.addProcess(live)
    const code = live.endCode()
    if (code === 'function_restarted') this.#heldEvents.noteCleanEnd()
    // An alarm that was being handled is still due.
    else if (this.#isAlarmDue()) this.#heldEvents.noteUncleanEnd(live.isUnknownEnd())
    // A call of code that never ends has cost its limit already. Only code that fails by itself is started rarely.
    if (code !== 'function_restarted' && code !== 'cpu_limit_exceeded' && !live.isUnknownEnd())
      this.#crashes.note()
    if (code === undefined)
      this.#options.logs.add({ level: 'error', message: 'The process ended unexpectedly.', requestId: null })
    this.#scheduleWake()
  }

  #onTick(quietMs: number) {
    const live = this.#live
    if (!live || this.#held || this.#stopped) return
    this.#storage.checkWhenDue()
    if (!live.isIdle()) return
    const idleMs = this.#options.idleMs ?? IDLE_MS
    if (quietMs < idleMs) return
    const alarmMs = this.#nextAlarmMs()
    if (alarmMs === undefined || alarmMs > epochMs() + Math.min(SOON_MS, idleMs)) void this.makeRoom(0)
  }

  #nextAlarmMs = () => (this.#spec.code ? nextAlarmMs(this.#dataFolder) : undefined)

  #isAlarmDue = () => (this.#nextAlarmMs() ?? Infinity) <= epochMs()

  /** Starts the process again when an alarm or a delayed message is due. */
  #scheduleWake(waitMsMin = 0) {
    clearTimeout(this.#wakeTimer)
    if (this.#stopped || this.#live) return
    const alarmMs = this.#nextAlarmMs()
    if (alarmMs === undefined) return
    const dueMs = Math.max(alarmMs, this.#heldEvents.untilMs) - epochMs()
    const waitMs = Math.min(Math.max(waitMsMin, dueMs), TIMER_MS_MAX)
    const wake = () => void this.ready().catch(() => this.#scheduleWake(WAKE_RETRY_MS))
    this.#wakeTimer = setTimeout(wake, waitMs).unref()
  }
}

const isLocked = (error: unknown) =>
  error instanceof ApiError && error.cause instanceof StartError && error.cause.reason === 'locked'

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ApiError('functions_unavailable')), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
