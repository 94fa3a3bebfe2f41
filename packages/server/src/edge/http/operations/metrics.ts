import type { FastifyInstance, FastifyRequest } from 'fastify'

import { monotonicMs } from '../../../platform/clock.ts'
import { measureEventLoop } from '../../../platform/metrics/event-loop.ts'
import { exposition } from '../../../platform/metrics/exposition.ts'
import { histogramSamples, type Metric, type Sample } from '../../../platform/metrics/metrics.ts'
import { processMetrics } from '../../../platform/metrics/process.ts'
import type { AgentCall } from '../callers/agents.ts'
import { asApiError } from '../errors.ts'

/** Counts one response. */
export type Count = (status: number, startedAt: number) => void
/** `of`: for responses that belong to no route. */
export type Metrics = {
  text(): Promise<string>
  of(method: string, route: string): Count
  /** The sums of all routes since the start. `buckets` are counts by `bucketsMs`, not cumulative. */
  totals(): { requests: number; failed: number; buckets: number[] }
  bucketsMs: readonly number[]
  eventLoopP99Ms(): number
  /** Call every minute. */
  endMinute(): void
  /** Adds a metric to the page. */
  add(metric: Metric): void
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
export function createMetrics(
  app: FastifyInstance,
  record?: RecordRequest,
  recordAgentCall?: (call: AgentCall, refusal: string | null) => void,
): Metrics {
  const { p99Ms: eventLoopP99Ms, endMinute } = measureEventLoop()
  const meters: Meter[] = []
  const metrics: Metric[] = [...httpMetrics(meters), ...processMetrics(eventLoopP99Ms)]

  function newMeter(method: string, route: string): Meter {
    const meter = { method, route, byStatus: [], buckets: [...BUCKETS_MS, 0].map(() => 0), sumMs: 0 }
    meters.push(meter)
    return meter
  }

  const unknown = newMeter('any', 'unknown')
  // One hook per route, which already has the meters of its route. `onSend` and not `onResponse`, which would add 10 % to a small
  // request.
  app.addHook('onRoute', (route) => {
    const ofMethods = new Map([route.method].flat().map((method) => [method, newMeter(method, route.url)]))
    route.onSend = (request, reply, payload, done) => {
      const meter = ofMethods.get(request.method) ?? unknown
      const ms = count(meter, reply.statusCode, request.startedAt)
      if (record && request.key) recordRequest(record, meter, request, reply.statusCode, ms)
      if (request.agentCall) recordAgentCall?.(request.agentCall, request.refusal)
      done(null, payload)
    }
  })
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
    eventLoopP99Ms,
    endMinute,
    add: (metric) => void metrics.push(metric),
    text: () => exposition(metrics),
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

/** By route pattern; routes that were not used yet are left out. */
function httpMetrics(meters: readonly Meter[]): Metric[] {
  const labelsOf = ({ method, route }: Meter) => `method="${method}",route="${route}"`
  return [
    {
      name: 'svc_http_requests_total',
      read: () =>
        meters.flatMap((meter) =>
          Object.entries(meter.byStatus).map(([status, count]): Sample => [
            `{${labelsOf(meter)},status="${status}"}`,
            count,
          ]),
        ),
    },
    {
      name: 'svc_http_request_duration_seconds',
      read: () =>
        meters.flatMap((meter) => histogramSamples(labelsOf(meter), BUCKETS_MS, meter.buckets, meter.sumMs)),
    },
  ]
}
