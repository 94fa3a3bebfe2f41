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

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    seconds.observe({ route }, reply.elapsedTime / 1_000)
  })
  return { text: () => registry.metrics() }
}
