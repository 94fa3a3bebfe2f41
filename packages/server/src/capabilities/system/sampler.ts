import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, millisecondsOf, type Monotonic, monotonicMs } from '../../platform/clock.ts'

/** Totals since the start of the process. `buckets` are counts of responses by duration, not cumulative. */
type Totals = { requests: number; failed: number; buckets: readonly number[] }

type SamplerDeps = {
  clock: Clock
  totals(): Totals
  /** Upper bounds of the buckets; the last one is unbounded. */
  bucketsMs: readonly number[]
  connections(): number
  usage(): { cpuMicros: number; memoryBytes: number }
  now?: Monotonic
}

export type Figures = {
  cpu: number
  memoryBytes: number
  connections: number
  requests: number
  failed: number
  p95Ms: number | null
}
export type Sample = Figures & { at: string }
export type Sampler = ReturnType<typeof createSampler>

/** The metrics of this node per minute, and of the current minute. */
export function createSampler(deps: SamplerDeps) {
  const { clock, totals, bucketsMs, connections, usage, now = monotonicMs } = deps
  const samples: Sample[] = []
  let last = read()

  function read() {
    return { ...totals(), cpuMicros: usage().cpuMicros, atMs: now() }
  }

  function figures(from: typeof last, to: typeof last): Figures {
    const seconds = Math.max(0.001, (to.atMs - from.atMs) / 1_000)
    const buckets = to.buckets.map((count, index) => count - (from.buckets[index] ?? 0))
    return {
      cpu: Math.round((to.cpuMicros - from.cpuMicros) / seconds / 10_000) / 100,
      memoryBytes: usage().memoryBytes,
      connections: connections(),
      requests: to.requests - from.requests,
      failed: to.failed - from.failed,
      p95Ms: percentile(buckets, 0.95),
    }
  }

  /** The bound of the bucket in which this share of all responses is reached. */
  function percentile(buckets: readonly number[], share: number): number | null {
    const count = buckets.reduce((sum, one) => sum + one, 0)
    if (count === 0) return null
    let seen = 0
    const index = buckets.findIndex((one) => (seen += one) >= count * share)
    return bucketsMs[Math.min(index, bucketsMs.length - 1)] ?? null
  }

  return {
    current: (): Figures => figures(last, read()),

    /** Call it once a minute. */
    async sample(): Promise<void> {
      const next = read()
      samples.push({ at: new Date(millisecondsOf(clock)).toISOString(), ...figures(last, next) })
      if (samples.length > LIMITS.systemSeriesMinutesMax) samples.shift()
      last = next
    },

    last: (minutes: number): Sample[] => samples.slice(-minutes),
  }
}
