import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { FastifyInstance, FastifyRequest } from 'fastify'

import { monotonicMs } from '../../../platform/clock.ts'
import { asApiError } from '../errors.ts'

/** A metric with one line for each set of labels, such as `{mode="p2p"}`. */
export type Figure = {
  name: string
  type: 'gauge' | 'counter'
  help: string
  read(): readonly (readonly [labels: string, value: number])[]
}

/** Counts one response. */
export type Count = (status: number, startedAt: number) => void
/** `of`: for responses that belong to no route. */
export type Metrics = {
  text(): string
  of(method: string, route: string): Count
  /** The sums of all routes since the start. `buckets` are counts by `bucketsMs`, not cumulative. */
  totals(): { requests: number; failed: number; buckets: number[] }
  bucketsMs: readonly number[]
  eventLoopP99Ms(): number
  /** Adds a value that is read for each request of the metrics page; it is left out while it is undefined. */
  gauge(name: string, help: string, read: () => number | undefined): void
  /** Adds a metric with labels. */
  figure(figure: Figure): void
}

/** Records one request with a key and its response. Separate arguments avoid an object per request. */
type RecordRequest = (
  environmentId: string,
  id: string,
  method: string,
  route: string,
  status: number,
  code: string | null,
  ms: number,
  keyId: string,
  playerId: string | null,
) => void

const BUCKETS_MS = [1, 5, 20, 100, 500, 2_000, 10_000]

/** Counts of one method of one route; the buckets are not cumulative. */
type Meter = { method: string; route: string; byStatus: number[]; buckets: number[]; sumMs: number }

/**
 * Counts and durations by route pattern, never by URL: ids must not become labels. They are plain numbers that are formatted on
 * request: a metrics library would add 10 % to a small request.
 */
export function createMetrics(app: FastifyInstance, record?: RecordRequest): Metrics {
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
  const meters: Meter[] = []
  const figures: Figure[] = []
  const gauges: { name: string; help: string; read: () => number | undefined }[] = []

  function newMeter(method: string, route: string): Meter {
    const meter = { method, route, byStatus: [], buckets: [...BUCKETS_MS, 0].map(() => 0), sumMs: 0 }
    meters.push(meter)
    return meter
  }

  // One hook per route, which already has the meter of its route. `onSend` and not `onResponse`, which would add 10 % to a small
  // request.
  app.addHook('onRoute', (route) => {
    const meter = newMeter(String(route.method), route.url)
    route.onSend = (request, reply, payload, done) => {
      const ms = count(meter, reply.statusCode, request.startedAt)
      if (record && request.key) recordRequest(record, meter, request, reply.statusCode, ms)
      done(null, payload)
    }
  })
  const unknown = newMeter('any', 'unknown')
  app.addHook('onError', (request, _reply, error, done) => {
    if (request.is404) count(unknown, asApiError(error, request.id).status, request.startedAt)
    done()
  })

  return {
    of(method, route) {
      const meter = newMeter(method, route)
      return (status, startedAt) => void count(meter, status, startedAt)
    },
    totals: () => totalsOf(meters),
    bucketsMs: BUCKETS_MS,
    eventLoopP99Ms: () => loopDelay.percentile(99) / 1e6,
    gauge: (name, help, read) => void gauges.push({ name, help, read }),
    figure: (one) => void figures.push(one),
    text: () =>
      exposition(meters) +
      gaugeLines(gauges) +
      figureLines(figures) +
      processLines(loopDelay.percentile(99) / 1e9),
  }
}

/** Returns the duration. */
function count(meter: Meter, status: number, startedAt: number): number {
  const ms = monotonicMs() - startedAt
  let bucket = 0
  while (bucket < BUCKETS_MS.length && ms > (BUCKETS_MS[bucket] as number)) bucket++
  meter.buckets[bucket] = (meter.buckets[bucket] ?? 0) + 1
  meter.byStatus[status] = (meter.byStatus[status] ?? 0) + 1
  meter.sumMs += ms
  return ms
}

function recordRequest(
  record: RecordRequest,
  { method, route }: Meter,
  { id, key, caller, refusal }: FastifyRequest,
  status: number,
  ms: number,
) {
  if (!key) return
  const playerId = caller?.kind === 'player' ? caller.player.id : null
  record(key.environment.id, id, method, route, status, refusal, ms, key.id, playerId)
}

function totalsOf(meters: readonly Meter[]) {
  const totals = { requests: 0, failed: 0, buckets: [...BUCKETS_MS, 0].map(() => 0) }
  for (const { byStatus, buckets } of meters) {
    byStatus.forEach((count, status) => {
      totals.requests += count
      if (status >= 500) totals.failed += count
    })
    for (const [index, count] of buckets.entries())
      totals.buckets[index] = (totals.buckets[index] ?? 0) + count
  }
  return totals
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
function exposition(meters: readonly Meter[]): string {
  const [requests, seconds] = ['svc_http_requests_total', 'svc_http_request_duration_seconds']
  const used = meters.filter(({ byStatus }) => byStatus.length > 0)
  return [
    `# HELP ${requests} Requests answered`,
    `# TYPE ${requests} counter`,
    ...used.flatMap(({ method, route, byStatus }) =>
      Object.entries(byStatus).map(
        ([status, count]) => `${requests}{method="${method}",route="${route}",status="${status}"} ${count}`,
      ),
    ),
    `# HELP ${seconds} From the first byte of a request to the first of its answer`,
    `# TYPE ${seconds} histogram`,
    ...used.flatMap(({ method, route, buckets, sumMs }) => {
      const labels = `method="${method}",route="${route}"`
      let total = 0
      const lines = buckets.map((count, bucket) => {
        const bound = BUCKETS_MS[bucket]
        total += count
        return `${seconds}_bucket{${labels},le="${bound === undefined ? '+Inf' : bound / 1_000}"} ${total}`
      })
      return [...lines, `${seconds}_sum{${labels}} ${sumMs / 1_000}`, `${seconds}_count{${labels}} ${total}`]
    }),
    '',
  ].join('\n')
}

const figureLines = (figures: readonly Figure[]) =>
  figures
    .flatMap(({ name, type, help, read }) => {
      const lines = read().map(([labels, value]) => `${name}${labels} ${value}`)
      return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, '']
    })
    .join('\n')

const gaugeLines = (gauges: readonly { name: string; help: string; read: () => number | undefined }[]) =>
  gauges
    .flatMap(({ name, help, read }) => {
      const value = read()
      return value === undefined ? [] : [`# HELP ${name} ${help}`, ...figure(name, 'gauge', value), '']
    })
    .join('\n')

/** With the metric names that common dashboards for Node use. */
function processLines(loopDelaySeconds: number): string {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    ...figure('process_cpu_seconds_total', 'counter', (user + system) / 1e6),
    ...figure('process_resident_memory_bytes', 'gauge', rss),
    ...figure('nodejs_heap_size_used_bytes', 'gauge', heapUsed),
    ...figure('nodejs_eventloop_lag_p99_seconds', 'gauge', loopDelaySeconds),
    '',
  ].join('\n')
}

const figure = (name: string, type: string, value: number) => [`# TYPE ${name} ${type}`, `${name} ${value}`]
