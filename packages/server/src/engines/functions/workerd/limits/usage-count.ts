import { ApiError } from '../../../../platform/api-error.ts'
import { Counts } from '../../../../platform/metrics/metrics.ts'
import type { FunctionsUsage } from '../../../../platform/ports/functions-engine.ts'
import type { LiveProcess } from '../live-process.ts'

export type UsageCount = ReturnType<typeof createUsageCount>

/** Answers of the service in place of the code. */
const REFUSALS: ReadonlySet<string> = new Set(['functions_unavailable', 'functions_overloaded'])

const LIMITS: Readonly<Record<string, string>> = {
  cpu_limit_exceeded: 'cpu',
  memory_limit_exceeded: 'memory',
  function_timeout: 'time',
  functions_overloaded: 'processes',
}

export type FunctionsCounts = ReturnType<typeof createFunctionsCounts>

/** Counts of all environments of this node, for its metrics. */
export const createFunctionsCounts = () => ({
  starts: new Counts('svc_functions_starts_total', 'outcome', ['started', 'failed']),
  requests: new Counts('svc_functions_requests_total', 'outcome', [
    'answered',
    'error',
    'refused',
    'aborted',
  ]),
  limits: new Counts('svc_functions_limits_total', 'limit', Object.values(LIMITS)),
})

/** The usage of an environment since it was last taken, by all its processes. */
export function createUsageCount(counts: FunctionsCounts) {
  let usage = noUsage()

  return {
    addRequest() {
      usage.requests++
    },
    addAnswer() {
      counts.requests.add('answered')
    },
    addError() {
      usage.errors++
      counts.requests.add('error')
    },
    /** What the service itself refuses was not used. */
    addFailure(error: unknown, isCallerGone: boolean) {
      const code = error instanceof ApiError ? error.code : ''
      const isRefused = REFUSALS.has(code)
      if (isRefused) usage.requests--
      else if (!isCallerGone) usage.errors++
      counts.requests.add(isRefused ? 'refused' : isCallerGone ? 'aborted' : 'error')
      const limit = LIMITS[code]
      if (limit !== undefined) counts.limits.add(limit)
    },
    addEgressBytes(bytes: number) {
      usage.egressBytes += bytes
    },
    /** What the answers to outgoing requests have cost. */
    addEgressCpuMs(ms: number) {
      usage.cpuMs += ms
    },
    /** What a process has used since the last call. After its end: as far as it was read before. */
    addProcess(live: LiveProcess) {
      usage.cpuMs += live.takeCpuMs()
      const { rowsRead, rowsWritten } = live.takeRows()
      usage.rowsRead += rowsRead
      usage.rowsWritten += rowsWritten
    },
    take(): FunctionsUsage {
      const taken = { ...usage, cpuMs: Math.round(usage.cpuMs) }
      usage = noUsage()
      return taken
    },
  }
}

const noUsage = (): FunctionsUsage => ({
  requests: 0,
  errors: 0,
  cpuMs: 0,
  rowsRead: 0,
  rowsWritten: 0,
  egressBytes: 0,
})
