import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../../platform/api-error.ts'
import { epochMs } from '../../../platform/clock.ts'
import { inNameOf } from '../../../platform/error-source.ts'
import type {
  FunctionRequest,
  FunctionResponse,
  FunctionsSpec,
  FunctionsUsage,
  MigrationResult,
  Running,
  ScheduledOutcome,
  SqlResult,
  UpgradeRequest,
} from '../../../platform/functions-engine.ts'
import { nextAlarmMs } from './alarms.ts'
import { ControlError, OperationError } from './control.ts'
import { BACKGROUND_CPU_NS, cpuLimitNs } from './cpu-watch.ts'
import { dataFolderOf } from './folders.ts'
import { HeldEvents } from './held-events.ts'
import { type CallLimits, type LiveOptions, type LiveProcess, startLive } from './live-process.ts'
import type { PrintedLine } from './log-lines.ts'
import type { Logs } from './logs.ts'
import { NotSentError } from './requests.ts'
import { StartError } from './start-error.ts'
import { storageBytes } from './stored-bytes.ts'
import { refuseUpgrade } from './upgrades.ts'

const WAITING_MAX = 1_000
const WAIT_MS = 10_000
const ATTEMPTS_MAX = 5
const END_WAIT_MS = 1_000
const LOCKED_RETRY_MS = 250
const WAKE_RETRY_MS = 5_000
const IDLE_MS = 5 * 60_000
/** A process is not stopped shortly before an alarm. */
const SOON_MS = 10_000
const CRASHES_MAX = 5
const CRASH_WINDOW_MS = 60_000
const START_AGAIN_MS = 30_000
const QUERY_TIMEOUT_MS = 30_000
/** CPU time of a query, where requests have less. Migrations have that of crons: they may rewrite a table. */
const QUERY_CPU_MS_MIN = 2_000
const SCHEDULED_TIMEOUT_MS = 15 * 60_000
const USAGE_TIMEOUT_MS = 5_000
const QUERY_LIMITS = { rowsMax: 10_000, bytesMax: 1024 * 1024 }
const DRAIN_MS = 5_000
const TIMER_MS_MAX = 2 ** 31 - 1

export type EnvironmentOptions = Omit<
  LiveOptions,
  'spec' | 'isFull' | 'onLine' | 'addEgressBytes' | 'isAlarmDue' | 'onTick'
> & {
  logs: Logs
  /** Resolves when one more process may run. Throws `functions_overloaded`. */
  reserve(): Promise<void>
  release(): void
  idleMs?: number | undefined
  /** How long events are held after the first process that has ended by itself. */
  heldMs?: number | undefined
  cronCpuMs?: number | undefined
  /** How long a request waits for a process. */
  waitMs?: number | undefined
  storageBytesMax: number
  storageLookMs: number
  onStopped(environment: Environment): void
}

/** The functions of one environment: at most one process, started and stopped as needed. */
export class Environment implements Running {
  #spec: FunctionsSpec
  readonly #options: EnvironmentOptions
  #live: LiveProcess | undefined
  #starting: Promise<LiveProcess> | undefined
  /** Set while a switch holds new work. */
  #held: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #waiting = 0
  #crashes: number[] = []
  readonly #heldEvents: HeldEvents
  #wakeTimer: NodeJS.Timeout | undefined
  #usage: FunctionsUsage = noUsage()
  #lastUsedAt = performance.now()
  /** The storage is over its limit. */
  #isFull = false
  #storageLookAt = 0

  constructor(spec: FunctionsSpec, options: EnvironmentOptions) {
    this.#spec = spec
    this.#options = options
    this.#heldEvents = new HeldEvents(options.heldMs)
    this.#scheduleWake()
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

  async fetch(request: FunctionRequest): Promise<FunctionResponse> {
    this.#usage.requests++
    try {
      const response = await this.#withProcess((live) => live.fetch(request))
      if (response.status >= 500) this.#usage.errors++
      return response
    } catch (error) {
      this.#countFailure(error, request.signal?.aborted ?? false)
      throw error
    }
  }

  async upgrade(request: UpgradeRequest, socket: Parameters<Running['upgrade']>[1], head: Buffer) {
    this.#usage.requests++
    // Without a listener, a client that resets the connection would end the service.
    socket.on('error', () => socket.destroy())
    try {
      await this.#inOwnName(() => this.#withProcess((live) => live.upgrade(request, socket, head)))
    } catch (error) {
      this.#countFailure(error, socket.destroyed)
      refuseUpgrade(
        socket,
        error instanceof ApiError ? error : new ApiError('function_failed'),
        request.requestId,
      )
    }
  }

  /** What the service itself refuses was not used. */
  #countFailure(error: unknown, isCallerGone: boolean) {
    if (error instanceof ApiError && REFUSALS.has(error.code)) this.#usage.requests--
    else if (!isCallerGone) this.#usage.errors++
  }

  async query(database: string, sql: string, params: readonly unknown[]): Promise<SqlResult> {
    const input = { database, sql, params, limits: QUERY_LIMITS }
    const limitNs = cpuLimitNs(Math.max(QUERY_CPU_MS_MIN, this.#spec.limits.cpuMs))
    const answer = await this.#call<SqlResult & { error?: string; tooLarge?: true }>('query', input, limitNs)
    if (answer.tooLarge) throw new ApiError('result_too_large')
    if (answer.error !== undefined) throw new ApiError('sql_error', { reason: answer.error })
    return answer
  }

  async migrate(
    database: string,
    migrations: readonly { name: string; sql: string }[],
    table = '_svc_migrations',
  ): Promise<MigrationResult> {
    return this.#call<MigrationResult>('migrate', { database, migrations, table }, BACKGROUND_CPU_NS)
  }

  async runScheduled(cron: string, at: Date): Promise<{ outcome: ScheduledOutcome; durationMs: number }> {
    const live = await this.#ready()
    const startedAt = performance.now()
    const finish = (outcome: ScheduledOutcome) => ({
      outcome,
      durationMs: Math.round(performance.now() - startedAt),
    })
    const { cronCpuMs } = this.#options
    const limitNs = cronCpuMs === undefined ? BACKGROUND_CPU_NS : cpuLimitNs(cronCpuMs)
    const limits = { cpuLimitNs: limitNs, timeoutMs: SCHEDULED_TIMEOUT_MS }
    try {
      const { outcome } = await live.call<{ outcome: string }>(
        'scheduled',
        { cron, at: at.getTime() },
        limits,
      )
      return finish(outcome === 'ok' ? 'ok' : 'exception')
    } catch (error) {
      if (live.endCode() === 'cpu_limit_exceeded' || isExceeded(error)) return finish('exceeded_cpu')
      return finish(error instanceof OperationError ? 'exception' : 'killed')
    }
  }

  async takeUsage(): Promise<FunctionsUsage> {
    if (this.#live && !this.#live.isEnding()) await this.#live.readCounts(USAGE_TIMEOUT_MS).catch(() => {})
    if (this.#live) this.#addUsage(this.#live)
    const taken = { ...this.#usage, cpuMs: Math.round(this.#usage.cpuMs) }
    this.#usage = noUsage()
    return taken
  }

  /** Held requests wait in `#ready`. Only one switch runs at a time. */
  async replace(spec: FunctionsSpec, drainMs: number) {
    while (this.#held) await this.#held
    if (this.#stopped) throw new ApiError('functions_unavailable')
    const hold = Promise.withResolvers<void>()
    this.#held = hold.promise
    try {
      const live = await (this.#starting?.catch(() => undefined) ?? this.#live)
      if (live) await this.#end(live, drainMs)
      this.#spec = spec
      this.#crashes = []
      this.#heldEvents.reset()
      if (live && !this.#stopped) await this.#start()
      else this.#scheduleWake()
    } finally {
      this.#held = undefined
      hold.resolve()
    }
  }

  stop(drainMs: number): Promise<void> {
    clearTimeout(this.#wakeTimer)
    return (this.#stopped ??= this.#stopNow(drainMs).finally(() => this.#options.onStopped(this)))
  }

  abandon() {
    this.#stopped ??= Promise.resolve()
    this.#options.onStopped(this)
    clearTimeout(this.#wakeTimer)
    this.#live?.kill('function_restarted')
    void this.#starting?.then((live) => live.kill('function_restarted')).catch(() => {})
  }

  /** Makes room for another environment. */
  async rest() {
    const live = this.#live
    if (!live || !live.isIdle()) return
    this.#live = undefined
    await this.#end(live, 0)
    this.#scheduleWake()
  }

  async #stopNow(drainMs: number) {
    await this.#held
    const live = await (this.#starting?.catch(() => undefined) ?? this.#live)
    if (live) await this.#end(live, drainMs)
  }

  async #end(live: LiveProcess, drainMs: number) {
    this.#live = undefined
    if (!live.isEnding()) await live.readCounts(USAGE_TIMEOUT_MS).catch(() => {})
    await live.stop(drainMs)
    this.#addUsage(live)
  }

  async #call<Result>(operation: string, input: object, limitNs: number): Promise<Result> {
    const limits: CallLimits = { cpuLimitNs: limitNs, timeoutMs: QUERY_TIMEOUT_MS }
    try {
      return await this.#withProcess((live) => live.call<Result>(operation, input, limits))
    } catch (error) {
      if (error instanceof ControlError) throw new ApiError('function_restarted', undefined, { cause: error })
      throw error
    }
  }

  /** Tries again with a new process if the old one has not received the request. */
  async #withProcess<Result>(work: (live: LiveProcess) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const live = this.#isFree() ? this.#live : await this.#ready()
      this.#lastUsedAt = performance.now()
      try {
        if (live) return await work(live)
      } catch (error) {
        if (!(error instanceof NotSentError)) throw error
        if (attempt === ATTEMPTS_MAX) throw new ApiError('functions_unavailable', undefined, { cause: error })
        // The process is gone, which is known a moment later.
        await Promise.race([live?.ended, pause(END_WAIT_MS, undefined, { ref: false })])
      }
    }
  }

  #isFree(): boolean {
    return this.#live !== undefined && !this.#held && !this.#live.isEnding()
  }

  /** Waits for a process. */
  async #ready(): Promise<LiveProcess> {
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
    this.#refuseAfterCrashes()
    // The old process still has the data until it is gone.
    await this.#live?.ended
    await this.#options.reserve()
    clearTimeout(this.#wakeTimer)
    try {
      const options = {
        ...this.#options,
        spec: { ...this.#spec, eventsAfterMs: this.#heldEvents.untilMs },
        isFull: this.#isFull,
        onLine: (line: PrintedLine) => this.#options.logs.add(line),
        addEgressBytes: (bytes: number) => (this.#usage.egressBytes += bytes),
        isAlarmDue: () => this.#isAlarmDue(),
        onTick: (quietMs: number) => this.#onTick(quietMs),
      }
      const live = await this.#inOwnName(() => startLive(options))
      this.#live = live
      void live.ended.then(() => this.#onEnded(live))
      this.#resumeQueues(live)
      return live
    } catch (error) {
      this.#options.release()
      if (!(error instanceof StartError && error.reason === 'locked')) this.#crashes.push(performance.now())
      if (!(error instanceof StartError)) throw error
      throw new ApiError('functions_unavailable', undefined, { cause: error })
    }
  }

  /** An error that escapes from this work ends the process, and counts as a crash. */
  #inOwnName<Result>(work: () => Result): Result {
    const end = () => this.#live?.kill('function_failed')
    return inNameOf({ environmentId: this.#spec.environmentId, end }, work)
  }

  /** A process that crashes again and again is started rarely. */
  #refuseAfterCrashes() {
    const now = performance.now()
    this.#crashes = this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS)
    const last = this.#crashes.at(-1) ?? -Infinity
    if (this.#crashes.length >= CRASHES_MAX && now - last < START_AGAIN_MS)
      throw new ApiError('functions_unavailable')
  }

  #onEnded(live: LiveProcess) {
    this.#options.release()
    if (this.#live === live) this.#live = undefined
    this.#addUsage(live)
    const code = live.endCode()
    if (code === 'function_restarted') this.#heldEvents.noteCleanEnd()
    // An alarm that was being handled is still due.
    else if (this.#isAlarmDue()) this.#heldEvents.noteUncleanEnd(live.isUnknownEnd())
    // A call of code that never ends has cost its limit already. Only code that fails by itself is started rarely.
    if (code !== 'function_restarted' && code !== 'cpu_limit_exceeded' && !live.isUnknownEnd())
      this.#crashes.push(performance.now())
    if (code === undefined)
      this.#options.logs.add({ level: 'error', message: 'The process ended unexpectedly.', requestId: null })
    this.#scheduleWake()
  }

  #onTick(quietMs: number) {
    const live = this.#live
    if (!live || this.#held || this.#stopped) return
    this.#lookAtStorage()
    if (!live.isIdle()) return
    const idleMs = this.#options.idleMs ?? IDLE_MS
    if (quietMs < idleMs) return
    const alarmMs = this.#nextAlarmMs()
    if (alarmMs === undefined || alarmMs > epochMs() + Math.min(SOON_MS, idleMs)) void this.rest()
  }

  /** Over the limit, the process is started again in a mode in which nothing grows, until it is under. */
  #lookAtStorage() {
    const now = performance.now()
    if (now < this.#storageLookAt) return
    this.#storageLookAt = now + this.#options.storageLookMs
    void storageBytes(dataFolderOf(this.#options.root, this.#spec.dataId))
      .then(async (bytes) => {
        const isFull = bytes > this.#options.storageBytesMax
        if (isFull === this.#isFull || this.#stopped) return
        this.#isFull = isFull
        const message = isFull
          ? `The storage is full: ${bytes} of ${this.#options.storageBytesMax} bytes. Only what makes it smaller is accepted.`
          : 'The storage is under its limit again.'
        this.#options.logs.add({ level: isFull ? 'error' : 'info', message, requestId: null })
        await this.replace(this.#spec, DRAIN_MS)
      })
      .catch(() => {})
  }

  #nextAlarmMs = () =>
    this.#spec.code ? nextAlarmMs(dataFolderOf(this.#options.root, this.#spec.dataId)) : undefined

  #isAlarmDue = () => (this.#nextAlarmMs() ?? Infinity) <= epochMs()

  /** Starts the process again when an alarm or a delayed message is due. */
  #scheduleWake(waitMsMin = 0) {
    clearTimeout(this.#wakeTimer)
    if (this.#stopped || this.#live) return
    const alarmMs = this.#nextAlarmMs()
    if (alarmMs === undefined) return
    const dueMs = Math.max(alarmMs, this.#heldEvents.untilMs) - epochMs()
    const waitMs = Math.min(Math.max(waitMsMin, dueMs), TIMER_MS_MAX)
    const wake = () => void this.#ready().catch(() => this.#scheduleWake(WAKE_RETRY_MS))
    this.#wakeTimer = setTimeout(wake, waitMs).unref()
  }

  /** Messages may have been sent while their queue had no consumer. */
  #resumeQueues(live: LiveProcess) {
    const queues = (this.#spec.code?.bindings ?? []).flatMap((binding) =>
      binding.type === 'queue' && binding.consumer ? [binding.queue] : [],
    )
    if (queues.length > 0) live.callIdle('resumeQueues', { queues }, QUERY_TIMEOUT_MS).catch(() => {})
  }

  /** Also of a process that has ended by itself: as far as it was read before. */
  #addUsage(live: LiveProcess) {
    this.#usage.cpuMs += live.takeCpuMs()
    const { rowsRead, rowsWritten } = live.takeRows()
    this.#usage.rowsRead += rowsRead
    this.#usage.rowsWritten += rowsWritten
  }
}

/** Answers of the service in place of the code. */
const REFUSALS: ReadonlySet<string> = new Set(['functions_unavailable', 'functions_overloaded'])

const isExceeded = (error: unknown) => error instanceof ApiError && error.code === 'cpu_limit_exceeded'

const isLocked = (error: unknown) =>
  error instanceof ApiError && error.cause instanceof StartError && error.cause.reason === 'locked'

const noUsage = (): FunctionsUsage => ({
  requests: 0,
  errors: 0,
  cpuMs: 0,
  rowsRead: 0,
  rowsWritten: 0,
  egressBytes: 0,
})

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ApiError('functions_unavailable')), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
