import { Counter, collectDefaultMetrics, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'

export type Metrics = { text(): Promise<string> }

/** Counts and durations by route pattern, never by raw address: ids must not become labels. */
export function createMetrics(app: FastifyInstance): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const labels = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered',
    labelNames: labels,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })

  /** Finding a counter by its labels costs more than counting: each is found once. */
  const known = new Map<string, { count: { inc(): void }; duration: { observe(value: number): void } }>()
  const meters = (method: string, route: string, status: number) => {
    const found = { count: requests.labels({ method, route, status }), duration: seconds.labels({ route }) }
    known.set(`${method} ${status} ${route}`, found)
    return found
  }

  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    const route = routeOptions.url ?? 'unknown'
    const { count, duration } =
      known.get(`${method} ${statusCode} ${route}`) ?? meters(method, route, statusCode)
    count.inc()
    duration.observe(elapsedTime / 1_000)
    done()
  })
  return { text: () => registry.metrics() }
}
