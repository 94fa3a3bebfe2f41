import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import type {
  MigrationResult,
  Running,
  ScheduledOutcome,
  SqlResult,
} from '../../../platform/ports/functions-engine.ts'
import { storeTypesOf } from './config/config.ts'
import type { EnvironmentProcess } from './environment-process.ts'
import { BACKGROUND_CPU_NS, cpuLimitNs } from './limits/cpu-watch.ts'
import type { UsageCount } from './limits/usage-count.ts'
import { ControlError, OperationError } from './requests/control.ts'
import { refuseUpgrade } from './requests/upgrades.ts'

const QUERY_MS_MAX = 30_000
/** CPU time of a query, where requests have less. Migrations have that of crons: they may rewrite a table. */
const QUERY_CPU_MS_MIN = 2_000
const SCHEDULED_TIMEOUT_MS = 15 * 60_000
const QUERY_LIMITS = {
  rowsMax: LIMITS.functionsResultRowsMax,
  bytesMax: LIMITS.functionsResultBytesMax,
}

/** The functions of one environment: passes requests and calls on to its process, and counts them. */
export function createEnvironment(
  process: EnvironmentProcess,
  usage: UsageCount,
  { cronCpuMs, queryMs = QUERY_MS_MAX }: { cronCpuMs?: number; queryMs?: number },
): Running {
  const cronCpuNs = cronCpuMs === undefined ? BACKGROUND_CPU_NS : cpuLimitNs(cronCpuMs)

  const queryLimitNs = () => cpuLimitNs(Math.max(QUERY_CPU_MS_MIN, process.spec.limits.cpuMs))

  async function call<Result>(operation: string, input: object, limitNs: number): Promise<Result> {
    const limits = { cpuLimitNs: limitNs, timeoutMs: queryMs }
    try {
      return await process.use((live) => live.call<Result>(operation, input, limits))
    } catch (error) {
      if (error instanceof ControlError) throw new ApiError('function_restarted', undefined, { cause: error })
      throw error
    }
  }

  return {
    async fetch(request) {
      usage.addRequest()
      try {
        const response = await process.use((live) => live.fetch(request))
        if (response.status >= 500) usage.addError()
        else usage.addAnswer()
        return response
      } catch (error) {
        usage.addFailure(error, request.signal?.aborted ?? false)
        throw error
      }
    },

    async fetchBinding(binding, request) {
      const bindings = process.spec.code?.bindings ?? []
      if (!storeTypesOf(bindings).includes(binding.type)) throw new ApiError('binding_not_found')
      return process.use((live) => live.fetchBinding(binding, request, queryLimitNs()))
    },

    async upgrade(request, socket, head) {
      usage.addRequest()
      // Without a listener, a client that resets the connection would end the service.
      socket.on('error', () => socket.destroy())
      try {
        await process.inOwnName(() => process.use((live) => live.upgrade(request, socket, head)))
      } catch (error) {
        usage.addFailure(error, socket.destroyed)
        const reason = error instanceof ApiError ? error : new ApiError('function_failed')
        refuseUpgrade(socket, reason, request.requestId)
      }
    },

    async query(database, sql, params) {
      const input = { database, sql, params, limits: QUERY_LIMITS }
      const answer = await call<SqlResult & { error?: string; tooLarge?: true }>(
        'query',
        input,
        queryLimitNs(),
      )
      if (answer.tooLarge) throw new ApiError('result_too_large')
      if (answer.error !== undefined) throw new ApiError('sql_error', { reason: answer.error })
      return answer
    },

    migrate: (database, migrations, table = '_svc_migrations') =>
      call<MigrationResult>('migrate', { database, migrations, table }, BACKGROUND_CPU_NS),

    async runScheduled(cron, at) {
      const live = await process.ready()
      const startedAt = performance.now()
      const finish = (outcome: ScheduledOutcome) => ({
        outcome,
        durationMs: Math.round(performance.now() - startedAt),
      })
      const limits = { cpuLimitNs: cronCpuNs, timeoutMs: SCHEDULED_TIMEOUT_MS }
      try {
        const event = { cron, at: at.getTime() }
        const { outcome } = await live.call<{ outcome: string }>('scheduled', event, limits)
        return finish(outcome === 'ok' ? 'ok' : 'exception')
      } catch (error) {
        if (live.endCode() === 'cpu_limit_exceeded' || isExceeded(error)) return finish('exceeded_cpu')
        return finish(error instanceof OperationError ? 'exception' : 'killed')
      }
    },

    async takeUsage() {
      await process.readUsage()
      return usage.take()
    },

    replace: (spec, drainMs) => process.replace(spec, drainMs),
    stop: (drainMs) => process.stop(drainMs),
    abandon: () => process.abandon(),
  }
}

const isExceeded = (error: unknown) => error instanceof ApiError && error.code === 'cpu_limit_exceeded'
