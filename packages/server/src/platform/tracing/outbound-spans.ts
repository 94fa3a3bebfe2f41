import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'

import { type Span, traceparentOf, type Tracer } from './tracer.ts'

/** A request of `fetch`, as its channel describes it. */
type FetchRequest = { origin: string | URL; method: string; addHeader(name: string, value: string): void }
type Listeners = Record<string, (message: never) => void>

/** Requests to other nodes have this header. */
const NODE_SIGNATURE = 'svc-node'

/**
 * Spans of HTTP requests that the service sends for a request: to webhooks, providers, S3 and other nodes. Node publishes every
 * request of the process; those outside of a traced request are left alone. Returns a function that ends it.
 */
export function traceOutbound(tracer: Tracer): () => void {
  const open = new WeakMap<object, Span>()

  function begin(request: object, method: string, host: string, isHop: boolean): Span | undefined {
    const span = tracer.beginStep(isHop ? 'hop' : `outbound ${method}`, 'client', {
      'http.request.method': method,
      // The address of a node says nothing that its log does not.
      ...(!isHop && { 'server.address': host }),
    })
    if (span) open.set(request, span)
    return span
  }

  function end(request: object, status: number) {
    const span = open.get(request)
    if (!span) return
    if (status > 0) span.attributes['http.response.status_code'] = status
    tracer.end(span, status === 0 || status >= 500)
  }

  const listeners: Listeners = {
    'http.client.request.created': ({ request }: { request: ClientRequest }) => {
      const span = begin(request, request.method, request.host, request.hasHeader(NODE_SIGNATURE))
      if (span && !request.headersSent) request.setHeader('traceparent', traceparentOf(span))
    },
    'http.client.response.finish': (m: { request: ClientRequest; response: IncomingMessage }) =>
      end(m.request, m.response.statusCode ?? 0),
    'http.client.request.error': ({ request }: { request: ClientRequest }) => end(request, 0),
    'undici:request:create': ({ request }: { request: FetchRequest }) => {
      const span = begin(request, request.method, new URL(request.origin).hostname, false)
      if (span) request.addHeader('traceparent', traceparentOf(span))
    },
    'undici:request:headers': (m: { request: FetchRequest; response: { statusCode: number } }) =>
      end(m.request, m.response.statusCode),
    'undici:request:error': ({ request }: { request: FetchRequest }) => end(request, 0),
  }
  const all = Object.entries(listeners) as [string, (message: unknown) => void][]
  for (const [channel, listener] of all) subscribe(channel, listener)
  return () => {
    for (const [channel, listener] of all) unsubscribe(channel, listener)
  }
}
