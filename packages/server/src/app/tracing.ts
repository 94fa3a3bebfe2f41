import type { FastifyInstance } from 'fastify'

import { traceRequests } from '../edge/http/operations/trace-requests.ts'
import type { OnFrame } from '../edge/realtime/frames.ts'
import type { Nodes } from '../platform/actors/nodes.ts'
import { single } from '../platform/metrics/metrics.ts'
import type { FunctionsEngine, Running } from '../platform/ports/functions-engine.ts'
import type { Random } from '../platform/random.ts'
import { createExporter, type ExporterOptions } from '../platform/tracing/exporter.ts'
import { traceOutbound } from '../platform/tracing/outbound-spans.ts'
import { readTraceparent, type RemoteParent } from '../platform/tracing/traceparent.ts'
import { createTracer, traceparentOf } from '../platform/tracing/tracer.ts'

export type TracingOptions = ExporterOptions & { sampleRatio: number; random: Random }
export type Tracing = ReturnType<typeof openTracing>

/**
 * Traces: every part is wrapped here, so that none of them knows of traces and nothing of this is loaded without a collector
 * (OTEL_EXPORTER_OTLP_ENDPOINT).
 */
export function openTracing({ sampleRatio, random, ...options }: TracingOptions) {
  const exporter = createExporter(options)
  const tracer = createTracer({ sampleRatio, random, send: exporter.add })
  const endOutbound = traceOutbound(tracer)
  /** The sender of the message from another node that is being handled. */
  let sender: RemoteParent | undefined

  return {
    metric: single('svc_traces_dropped_total', exporter.dropped),
    /** The first hook after that which reads the time. */
    requests: (app: FastifyInstance) => traceRequests(app, tracer),

    /** Calls of these methods are steps; so is what their callbacks do. */
    wrap<Port extends object>(name: string, port: Port, methods: readonly (keyof Port & string)[]): Port {
      const wrapped = Object.fromEntries(
        methods.map((method) => {
          const call = port[method] as (...args: unknown[]) => unknown
          const traced = (...args: unknown[]) =>
            tracer.step(name, 'client', { 'svc.operation': method }, (span) => {
              if (!span) return call(...args)
              // SQLite runs transactions one after the other, in an event of any request.
              const bound = args.map((arg) =>
                typeof arg === 'function'
                  ? (...given: unknown[]) => tracer.run(span, () => arg(...given))
                  : arg,
              )
              return call(...bound)
            })
          return [method, traced]
        }),
      )
      return { ...port, ...wrapped }
    },

    functions(engine: FunctionsEngine): FunctionsEngine {
      const traced = (running: Running): Running => ({
        ...running,
        fetch: (request) =>
          tracer.step('function', 'client', {}, (span) => {
            const headers = span ? { ...request.headers, traceparent: traceparentOf(span) } : request.headers
            // A process that this request starts serves others, too: what it opens belongs to no request.
            return tracer.run(undefined, () => running.fetch({ ...request, headers }))
          }),
      })
      return { ...engine, start: async (spec) => traced(await engine.start(spec)) }
    },

    frames:
      (on: OnFrame): OnFrame =>
      (frame, handle) =>
        on(frame, (request) => tracer.request(`frame ${frame.t}`, {}, undefined, () => handle(request))),

    /** Requests between nodes continue the trace on the other node. */
    nodes: (nodes: Nodes): Nodes => ({
      ...nodes,
      request: (nodeId, request) =>
        tracer.step('hop', 'client', { 'svc.operation': request.type }, (span) =>
          nodes.request(nodeId, span ? { ...request, traceparent: traceparentOf(span) } : request),
        ),
      on: (type, handler) =>
        nodes.on(type, (from, message) => {
          sender = 'traceparent' in message ? readTraceparent(message.traceparent) : undefined
          try {
            handler(from, message)
          } finally {
            sender = undefined
          }
        }),
      reply(nodeId, requestId, work) {
        const parent = sender
        nodes.reply(nodeId, requestId, parent ? () => tracer.request('hop', {}, parent, work) : work)
      },
    }),

    async close() {
      endOutbound()
      await exporter.close()
    },
  }
}
