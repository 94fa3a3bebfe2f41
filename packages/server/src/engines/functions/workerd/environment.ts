import { ApiError } from '../../../platform/api-error.ts'
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
} from '../../../platform/ports/functions-engine.ts'
import type { CallLimits } from './calls.ts'
import { ControlError, OperationError } from './control.ts'
import { BACKGROUND_CPU_NS, cpuLimitNs } from './cpu-watch.ts'
import type { EnvironmentProcess } from './environment-process.ts'
import { refuseUpgrade } from './upgrades.ts'
import type { UsageCount } from './usage-count.ts'

const QUERY_TIMEOUT_MS = 30_000
/** CPU time of a query, where requests have less. Migrations have that of crons: they may rewrite a table. */
const QUERY_CPU_MS_MIN = 2_000
const SCHEDULED_TIMEOUT_MS = 15 * 60_000
const QUERY_LIMITS = { rowsMax: 10_000, bytesMax: 1024 * 1024 }

/** The functions of one environment: passes requests and calls on to its process, and counts them. */
export class Environment implements Running {
  readonly #process: EnvironmentProcess
  readonly #usage: UsageCount
  readonly #cronCpuNs: number

  constructor(process: EnvironmentProcess, usage: UsageCount, cronCpuMs: number | undefined) {
    this.#process = process
    this.#usage = usage
    this.#cronCpuNs = cronCpuMs === undefined ? BACKGROUND_CPU_NS : cpuLimitNs(cronCpuMs)
  }

  async fetch(request: FunctionRequest): Promise<FunctionResponse> {
    this.#usage.addRequest()
    try {
      const response = await this.#process.use((live) => live.fetch(request))
      if (response.status >= 500) this.#usage.addError()
      return response
    } catch (error) {
      this.#usage.addFailure(error, request.signal?.aborted ?? false)
      throw error
    }
  }

  async upgrade(request: UpgradeRequest, socket: Parameters<Running['upgrade']>[1], head: Buffer) {
    this.#usage.addRequest()
    // Without a listener, a client that resets the connection would end the service.
    socket.on('error', () => socket.destroy())
    try {
      await this.#process.inOwnName(() => this.#process.use((live) => live.upgrade(request, socket, head)))
    } catch (error) {
      this.#usage.addFailure(error, socket.destroyed)
      refuseUpgrade(
        socket,
        error instanceof ApiError ? error : new ApiError('function_failed'),
        request.requestId,
      )
    }
  }

  async query(database: string, sql: string, params: readonly unknown[]): Promise<SqlResult> {
    const input = { database, sql, params, limits: QUERY_LIMITS }
    const limitNs = cpuLimitNs(Math.max(QUERY_CPU_MS_MIN, this.#process.spec.limits.cpuMs))
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
    const live = await this.#process.ready()
    const startedAt = performance.now()
    const finish = (outcome: ScheduledOutcome) => ({
      outcome,
      durationMs: Math.round(performance.now() - startedAt),
    })
    const limits = { cpuLimitNs: this.#cronCpuNs, timeoutMs: SCHEDULED_TIMEOUT_MS }
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
    await this.#process.readUsage()
    return this.#usage.take()
  }

  replace(spec: FunctionsSpec, drainMs: number) {
    return this.#process.replace(spec, drainMs)
  }

  stop(drainMs: number) {
    return this.#process.stop(drainMs)
  }

  abandon() {
    this.#process.abandon()
  }

  async #call<Result>(operation: string, input: object, limitNs: number): Promise<Result> {
    const limits: CallLimits = { cpuLimitNs: limitNs, timeoutMs: QUERY_TIMEOUT_MS }
    try {
      return await this.#process.use((live) => live.call<Result>(operation, input, limits))
    } catch (error) {
      if (error instanceof ControlError) throw new ApiError('function_restarted', undefined, { cause: error })
      throw error
    }
  }
}

const isExceeded = (error: unknown) => error instanceof ApiError && error.code === 'cpu_limit_exceeded'
