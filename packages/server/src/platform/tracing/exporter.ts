import { Agent, request as httpRequest } from 'node:http'
import { Agent as TlsAgent, request as httpsRequest } from 'node:https'

import type { Attributes, Span } from './tracer.ts'

export type ExporterOptions = {
  /** The base address of the collector; `/v1/traces` is added. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** What sends: name and version of the service, id of the node. */
  resource: Attributes
  queueMax?: number
  flushMs?: number
  timeoutMs?: number
}
export type Exporter = ReturnType<typeof createExporter>

const BATCH_MAX = 256
const ANSWER_BYTES_MAX = 64 * 1024
const KINDS = { internal: 1, server: 2, client: 3 } as const
const ERROR_STATUS = 2

/**
 * Sends spans as OTLP over HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/), one request at a time, in the background. What
 * does not fit into the queue, and what the collector does not accept, is dropped and counted: nobody waits for a collector.
 */
export function createExporter(options: ExporterOptions) {
  const { headers, resource, queueMax = 2_048, flushMs = 5_000, timeoutMs = 10_000 } = options
  const url = new URL(`${options.endpoint.replace(/\/+$/, '')}/v1/traces`)
  const agent = url.protocol === 'https:' ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  let queue: Span[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function add(spans: readonly Span[]) {
    const kept = spans.slice(0, queueMax - queue.length)
    dropped += spans.length - kept.length
    queue.push(...kept)
    if (queue.length >= BATCH_MAX) flush()
    else timer ??= setTimeout(flush, flushMs).unref()
  }

  function flush() {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => (sending = undefined))
  }

  async function sendAll() {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_MAX)
      queue = queue.slice(BATCH_MAX)
      if (!(await post(JSON.stringify(payloadOf(batch, resource))))) dropped += batch.length
    }
  }

  /** Whether the collector has accepted it. Never rejects, and always ends within the timeout. */
  function post(body: string): Promise<boolean> {
    return new Promise((resolve) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const sent = send(url, {
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
        signal: AbortSignal.timeout(timeoutMs),
      })
      sent.on('error', () => resolve(false))
      sent.on('upgrade', (_response, socket) => {
        socket.on('error', () => {}).destroy()
        resolve(false)
      })
      sent.on('response', (response) => {
        const { statusCode = 0 } = response
        let bytes = 0
        response.on('error', () => {})
        response.on('data', (chunk: Buffer) => {
          if ((bytes += chunk.length) > ANSWER_BYTES_MAX) response.destroy()
        })
        response.on('close', () => resolve(statusCode >= 200 && statusCode < 300))
      })
      sent.end(body)
    })
  }

  return {
    add,
    dropped: () => dropped,
    /** Sends what is left, for at most `withinMs`. */
    async close(withinMs = 2_000) {
      flush()
      const late = Promise.withResolvers<void>()
      const timeout = setTimeout(late.resolve, withinMs)
      await Promise.race([sending, late.promise])
      clearTimeout(timeout)
      queue = []
      agent.destroy()
    },
  }
}

const payloadOf = (spans: readonly Span[], resource: Attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'svc' }, spans: spans.map(spanOf) }],
    },
  ],
})

const spanOf = ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startMs,
  endMs,
  attributes,
  isError,
  part,
}: Span) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  flags: part.isSampled ? 1 : 0,
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanosecondsOf(startMs),
  endTimeUnixNano: nanosecondsOf(endMs),
  attributes: attributesOf(attributes),
  status: isError ? { code: ERROR_STATUS } : {},
})

/** As text: a number of JavaScript is not exact enough. */
const nanosecondsOf = (ms: number) => `${Math.round(ms * 1_000)}000`

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
