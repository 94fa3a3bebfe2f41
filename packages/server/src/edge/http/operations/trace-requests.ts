import type { FastifyInstance, FastifyRequest } from 'fastify'

import { readTraceparent } from '../../../platform/tracing/traceparent.ts'
import type { Span, Tracer } from '../../../platform/tracing/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
    /** Another node has sent the request: its trace continues. Undefined: this service records no traces. */
    continueTrace?: () => void
  }
}

/** One span per request, by the pattern of its route: a URL may contain ids and secrets. */
export function traceRequests(app: FastifyInstance, tracer: Tracer) {
  app.addHook('onRequest', (request, reply, done) => {
    const attributes = { 'http.request.method': request.method, 'svc.request_id': request.id }
    const span = tracer.beginRequest(request.method, attributes)
    request.span = span
    request.traceId = span.traceId
    request.continueTrace = () => {
      const parent = readTraceparent(request.headers.traceparent)
      if (!parent) return
      tracer.continueTrace(span, parent)
      request.traceId = span.traceId
    }
    // Answers of apps and functions bypass the router: whatever route it has found is not theirs.
    const { hijack } = reply
    reply.hijack = () => {
      span.attributes['http.route'] = 'app'
      return hijack.call(reply)
    }
    tracer.run(span, done)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    continueTraceOfServer(request)
    // The body arrives in events of the socket, which know no request.
    tracer.run(request.span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    if (!span) return done()
    continueTraceOfServer(request)
    const { statusCode: status } = reply.raw
    const route = (span.attributes['http.route'] ??= request.routeOptions.url ?? 'unknown')
    span.name = `${request.method} ${route}`
    span.attributes['http.response.status_code'] = status
    tracer.endRequest(span, status >= 500)
    done()
  })
}

/** Only of a developer's server: anybody else could have all their requests recorded. */
function continueTraceOfServer(request: FastifyRequest) {
  if (request.key?.type === 'secret') request.continueTrace?.()
}
