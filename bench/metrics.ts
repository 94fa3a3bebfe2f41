/** All metrics, in the order of the columns. */
export const METRICS = {
  cpuMicros: { title: 'CPU µs', digits: 1 },
  databaseCpuMicros: { title: 'database part', digits: 1 },
  serviceCpuMicros: { title: 'service part', digits: 1 },
  workerdCpuMicros: { title: 'workerd part', digits: 1 },
  perSecond: { title: 'per second', digits: 0 },
  perCpuSecond: { title: 'per CPU second', digits: 0 },
  writesEach: { title: 'writes per operation', digits: 2 },
  writesPerSync: { title: 'writes per sync', digits: 1 },
  p50Ms: { title: 'p50 ms', digits: 2 },
  p99Ms: { title: 'p99 ms', digits: 2 },
  readP50Ms: { title: 'read p50 ms', digits: 2 },
  readP99Ms: { title: 'read p99 ms', digits: 2 },
  gapP99Ms: { title: 'between changes p99 ms', digits: 1 },
  bytesPerPlayer: { title: 'bytes per player and second', digits: 0 },
  missingPercent: { title: 'missing ticks %', digits: 2 },
  latePercent: { title: 'late ticks %', digits: 2 },
  lost: { title: 'lost', digits: 0 },
  outOfOrder: { title: 'out of order', digits: 0 },
  corePercent: { title: '% of a core', digits: 1 },
  loopDelayMs: { title: 'loop delay ms', digits: 1 },
  tickP99Ms: { title: 'loop tick p99 ms', digits: 2 },
  blockedMs: { title: 'loop blocked ms', digits: 1 },
  startMs: { title: 'start ms', digits: 0 },
  wallMs: { title: 'wall ms', digits: 0 },
  cpuMs: { title: 'CPU ms', digits: 0 },
  rssMb: { title: 'RSS MB', digits: 0 },
  privateMb: { title: 'private MB', digits: 0 },
  heapMb: { title: 'heap MB', digits: 1 },
  bytesPerSocket: { title: 'private bytes per socket', digits: 0 },
  loadedFiles: { title: 'loaded files', digits: 0 },
  loadedKb: { title: 'loaded KB', digits: 0 },
  nodeParts: { title: 'loaded parts of Node', digits: 0 },
  grownMb: { title: 'RSS grown MB', digits: 1 },
  gzipBytes: { title: 'gzip bytes', digits: 0 },
} as const

export type MetricName = keyof typeof METRICS
export type Metrics = Partial<Record<MetricName, number>>

/** `count`: how many operations were done. */
export type Measured = Metrics & { count: number }

export const METRIC_NAMES = Object.keys(METRICS) as MetricName[]

/** Percentile of values in ascending order. */
export const percentile = (ascending: readonly number[], share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN

export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b)
  const middle = ascending.length >> 1
  const upper = ascending[middle] ?? Number.NaN
  return ascending.length % 2 === 1 ? upper : ((ascending[middle - 1] ?? Number.NaN) + upper) / 2
}
