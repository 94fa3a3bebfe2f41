import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ENDPOINT_TOOLS } from '@svc/contract/common/agent-tool-list'
import * as fc from 'fast-check'

import { MINUTE_MS } from '../../src/platform/clock.ts'
import { ALL_TOOLS, newAgent } from '../../src/testing/agents.ts'
import { runs } from '../../src/testing/runs.ts'
import { suite } from '../../src/testing/suite.ts'
import { nearValid, ODD_TEXTS, valid } from './values.ts'

const BODIES = runs(300, 5_000)
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
}
const ids = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(fc.integer(), fc.string()) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, undefined, {}, [], 1.5) },
)
const anything = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom<unknown>(...ODD_TEXTS))
const METHODS = [
  'tools/list',
  'tools/call',
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'notifications/initialized',
  'resources/read',
  'logging/setLevel',
  '',
  '__proto__',
]

/** Arguments of a tool that fit, nearly fit, or are anything. */
const callOf = fc.constantFrom(...ENDPOINT_TOOLS).chain(([name, { params, query, body }]) => {
  const parts = [params, query, body].flatMap((part) =>
    part && 'properties' in part ? [fc.oneof(valid(part), nearValid(part))] : [],
  )
  const fitting = fc
    .tuple(...parts)
    .map((values) => Object.assign({}, ...values.filter((value) => typeof value === 'object')) as object)
  return fc.record({ name: fc.constant(name), arguments: fc.oneof(fitting, fitting, anything) })
})
const byHand = fc.record({
  name: fc.constantFrom('whoami', 'deploy_files', 'nothing', ''),
  arguments: anything,
})
const calls = fc
  .tuple(fc.oneof(callOf, callOf, byHand), fc.boolean(), anything, anything)
  .map(([call, isModern, requestState, approval]) => ({
    ...call,
    ...(isModern && { requestState, inputResponses: { approval }, _meta: META }),
  }))
const messages = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      jsonrpc: fc.constant('2.0'),
      id: ids,
      method: fc.constant('tools/call'),
      params: calls,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      jsonrpc: fc.constant('2.0'),
      id: ids,
      method: fc.constantFrom(...METHODS),
      params: anything,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: ids,
      method: anything,
      result: anything,
    }),
  },
  { weight: 1, arbitrary: anything },
)

/** As a client of 2026 sends them, with the name of the tool. */
function headersOf(message: unknown): Record<string, string> {
  const { params } = (message ?? {}) as { params?: { name?: unknown; _meta?: unknown } }
  if (params?._meta !== META) return {}
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': String(params.name) }
}

suite('fuzzed messages to /mcp', { features: {} }, ({ service, project }) => {
  test(`[AGT-13] ${BODIES} messages of any form: no 5xx, and no error that nobody expected`, async () => {
    const agent = await newAgent(service, project, project.development, {
      tools: ALL_TOOLS,
      expiresInHours: 720,
    })
    const statuses = new Map<number, number>()
    const seed = runs(1, Math.trunc(performance.timeOrigin) % 1_000_000)
    for (const [at, message] of fc.sample(messages, { numRuns: BODIES, seed }).entries()) {
      if (at % 50 === 0) service.clock.advance(MINUTE_MS)
      const text = JSON.stringify(message) ?? ''
      const { statusCode, body } = await service.http.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          authorization: `Bearer ${agent.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headersOf(message),
        },
        payload: text,
      })
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      const what = `seed ${seed}, ${at}: ${text.slice(0, 500)} → ${statusCode} ${body.slice(0, 500)}`
      assert.ok(statusCode < 500, what)
      // The protocol's package answers −32603 to some messages that are no calls, such as an `initialize` without a version.
      const isCall = text.includes('"method":"tools/call"')
      assert.ok(!body.includes('internal_error') && !(isCall && body.includes('-32603')), what)
    }
    assert.ok((statuses.get(200) ?? 0) > BODIES / 5, JSON.stringify([...statuses]))
  })
})
