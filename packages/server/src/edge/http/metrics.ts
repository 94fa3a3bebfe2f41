import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { FastifyInstance } from 'fastify'

export type Metrics = { text(): string }

const BUCKETS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

type Meter = {
  method: string
  route: string
  status: number
  count: number
  seconds: number
  buckets: number[]
}

/** Counts and durations by route pattern, never by raw address: ids must not become labels. In the Prometheus text format. */
export function createMetrics(app: FastifyInstance): Metrics {
  const meters = new Map<string, Meter>()
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()

  function newMeter(method: string, route: string, status: number): Meter {
    const meter = { method, route, status, count: 0, seconds: 0, buckets: BUCKETS_SECONDS.map(() => 0) }
    meters.set(`${method} ${status} ${route}`, meter)
    return meter
  }

  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    const route = routeOptions.url ?? 'unknown'
    const meter = meters.get(`${method} ${statusCode} ${route}`) ?? newMeter(method, route, statusCode)
    const seconds = elapsedTime / 1_000
    meter.count++
    meter.seconds += seconds
    BUCKETS_SECONDS.forEach(
      (limit, i) => seconds <= limit && (meter.buckets[i] = (meter.buckets[i] ?? 0) + 1),
    )
    done()
  })

  return {
    text: () =>
      [
        ...family(
          'svc_http_requests_total',
          'counter',
          'Requests answered',
          [...meters.values()].map(countLine),
        ),
        ...family(
          'svc_http_request_duration_seconds',
          'histogram',
          'From the first byte of a request to the last of its answer',
          [...meters.values()].flatMap(durationLines),
        ),
        ...processLines(loopDelay.percentile(99) / 1e9),
        '',
      ].join('\n'),
  }
}

const family = (name: string, type: string, help: string, lines: string[]) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...lines,
]

const labels = ({ method, route, status }: Meter) => `method="${method}",route="${route}",status="${status}"`

const countLine = (meter: Meter) => `svc_http_requests_total{${labels(meter)}} ${meter.count}`

function durationLines(meter: Meter): string[] {
  const name = 'svc_http_request_duration_seconds'
  return [
    ...BUCKETS_SECONDS.map(
      (limit, i) => `${name}_bucket{${labels(meter)},le="${limit}"} ${meter.buckets[i]}`,
    ),
    `${name}_bucket{${labels(meter)},le="+Inf"} ${meter.count}`,
    `${name}_sum{${labels(meter)}} ${meter.seconds}`,
    `${name}_count{${labels(meter)}} ${meter.count}`,
  ]
}

/** Under the names that dashboards for Node already know. */
function processLines(loopDelaySeconds: number): string[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    ...gauge('process_cpu_seconds_total', 'counter', (user + system) / 1e6),
    ...gauge('process_resident_memory_bytes', 'gauge', rss),
    ...gauge('nodejs_heap_size_used_bytes', 'gauge', heapUsed),
    ...gauge('nodejs_eventloop_lag_p99_seconds', 'gauge', loopDelaySeconds),
  ]
}

const gauge = (name: string, type: string, value: number) => [`# TYPE ${name} ${type}`, `${name} ${value}`]
