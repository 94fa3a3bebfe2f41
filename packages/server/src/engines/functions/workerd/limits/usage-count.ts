import { ApiError } from '../../../../platform/api-error.ts'
import type { FunctionsUsage } from '../../../../platform/ports/functions-engine.ts'
import type { LiveProcess } from '../live-process.ts'

export type UsageCount = ReturnType<typeof createUsageCount>

/** Answers of the service in place of the code. */
const REFUSALS: ReadonlySet<string> = new Set(['functions_unavailable', 'functions_overloaded'])

/** The usage of an environment since it was last taken, by all its processes. */
export function createUsageCount() {
  let usage = noUsage()

  return {
    addRequest() {
      usage.requests++
    },
    addError() {
      usage.errors++
    },
    /** What the service itself refuses was not used. */
    addFailure(error: unknown, isCallerGone: boolean) {
      if (error instanceof ApiError && REFUSALS.has(error.code)) usage.requests--
      else if (!isCallerGone) usage.errors++
    },
    addEgressBytes(bytes: number) {
      usage.egressBytes += bytes
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
