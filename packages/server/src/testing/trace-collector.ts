import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, string>
  isError: boolean
  startNs: bigint
  endNs: bigint
}

/** An OpenTelemetry collector on loopback: accepts only what the protocol allows. `answer` replaces its answers. */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end('{}'),
) {
  const spans: CollectedSpan[] = []
  const payloads: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const problems: unknown[] = []
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    try {
      const body = await text(request)
      headers.push(request.headers)
      payloads.push(body)
      assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
      assert.equal(request.headers['content-type'], 'application/json')
      spans.push(...spansIn(JSON.parse(body)))
    } catch (error) {
      problems.push(error)
    }
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    payloads,
    /** Fails if something arrived that is not OTLP. */
    assertValid: () => assert.deepEqual(problems, []),
    named: (name: string) => spans.filter((span) => span.name === name),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type SentSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  flags: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: unknown[]
  status: unknown
}

const HEX = { traceId: /^[0-9a-f]{32}$/, spanId: /^[0-9a-f]{16}$/ }

/** Every field of https://github.com/open-telemetry/opentelemetry-proto (trace.proto, in JSON) that is sent, and no other. */
function spansIn(payload: unknown): CollectedSpan[] {
  const { resourceSpans } = withKeys(payload, ['resourceSpans']) as { resourceSpans: unknown[] }
  return resourceSpans.flatMap((one) => {
    const { resource, scopeSpans } = withKeys(one, ['resource', 'scopeSpans']) as {
      resource: unknown
      scopeSpans: unknown[]
    }
    const about = attributesOf((withKeys(resource, ['attributes']) as { attributes: unknown[] }).attributes)
    assert.deepEqual(Object.keys(about), ['service.name', 'service.version', 'service.instance.id'])
    return scopeSpans.flatMap((scoped) => {
      const { scope, spans } = withKeys(scoped, ['scope', 'spans']) as { scope: unknown; spans: unknown[] }
      assert.deepEqual(scope, { name: 'svc' })
      assert.ok(spans.length > 0)
      return spans.map(spanIn)
    })
  })
}

function spanIn(sent: unknown): CollectedSpan {
  const required = [
    'traceId',
    'spanId',
    'flags',
    'name',
    'kind',
    'startTimeUnixNano',
    'endTimeUnixNano',
    'attributes',
    'status',
  ]
  const span = withKeys(sent, required, ['parentSpanId']) as SentSpan
  const {
    traceId,
    spanId,
    parentSpanId,
    flags,
    name,
    kind,
    startTimeUnixNano,
    endTimeUnixNano,
    attributes,
    status,
  } = span
  assert.match(traceId, HEX.traceId)
  assert.match(spanId, HEX.spanId)
  if (parentSpanId !== undefined) assert.match(parentSpanId, HEX.spanId)
  assert.ok([0, 1].includes(flags))
  assert.ok([1, 2, 3].includes(kind))
  assert.ok(typeof name === 'string' && name !== '')
  const [startNs, endNs] = [startTimeUnixNano, endTimeUnixNano].map((time) => {
    assert.match(time, /^\d{19}$/)
    return BigInt(time)
  }) as [bigint, bigint]
  assert.ok(startNs <= endNs)
  const { code } = withKeys(status, [], ['code']) as { code?: number }
  assert.ok(code === undefined || code === 2)
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind,
    attributes: attributesOf(attributes),
    isError: code === 2,
    startNs,
    endNs,
  }
}

const attributesOf = (attributes: unknown[]): Record<string, string> =>
  Object.fromEntries(
    attributes.map((one) => {
      const { key, value } = withKeys(one, ['key', 'value']) as { key: string; value: Record<string, string> }
      assert.match(key, /^[a-z][a-z0-9_.]*$/)
      const [[type, text] = [], ...others] = Object.entries(value)
      assert.ok((type === 'stringValue' || type === 'intValue') && typeof text === 'string')
      if (type === 'intValue') assert.match(text, /^-?\d+$/)
      assert.deepEqual(others, [])
      return [key, text]
    }),
  )

function withKeys(value: unknown, required: string[], optional: string[] = []): object {
  assert.ok(typeof value === 'object' && value !== null)
  const keys = Object.keys(value)
  assert.deepEqual(
    required.filter((key) => !keys.includes(key)),
    [],
  )
  assert.deepEqual(
    keys.filter((key) => !required.includes(key) && !optional.includes(key)),
    [],
  )
  return value
}
