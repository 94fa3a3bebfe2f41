import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { GRANTABLE_TOOLS } from '@svc/contract/common/agent-tool-list'

import { createStoppedClock, MINUTE_MS } from '../packages/server/src/platform/clock.ts'
import { openService } from '../packages/server/src/service.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { median } from './metrics.ts'

/**
 * node --conditions=source bench/agents.ts
 *
 * What the tools of agents cost: bytes and CPU time of their list, CPU time of a call above the same request without MCP, and what the
 * first request loads. In one process and without sockets: these are the figures of the service alone.
 */
const ROUNDS = 15
const CALLS_PER_ROUND = 50
const PASSWORD = 'correct horse'

const dataDir = await mkdtemp(join(tmpdir(), 'svc-agents-'))
const clock = createStoppedClock()
const service = await openService(
  readSettings({ SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent', SVC_SIGN_UP: 'open', SVC_BACKUP_HOURS: '0' }),
  { clock },
)

type Call = { method: 'GET' | 'POST'; url: string; token?: string; body?: unknown }
async function call({ method, url, token, body }: Call): Promise<string> {
  const response = await service.http.inject({
    method,
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' }),
      ...mcpHeaders(body),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
  return response.body
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Clients of 2026 repeat method and name in headers. */
function mcpHeaders(body: unknown): Record<string, string> {
  const { method, params } = (body ?? {}) as { method?: string; params?: { name?: string } }
  return {
    ...(method !== undefined && { 'mcp-method': method }),
    ...(params?.name !== undefined && { 'mcp-name': params.name }),
  }
}

const message = (method: string, params: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: META },
})

/** Median CPU milliseconds of one call. */
async function cpuMs(request: Call): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    clock.advance(MINUTE_MS)
    const before = process.cpuUsage()
    for (let at = 0; at < CALLS_PER_ROUND; at++) await call(request)
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / 1_000 / CALLS_PER_ROUND)
  }
  return median(rounds)
}

try {
  const account = { email: 'bench@example.com', password: PASSWORD }
  const { token } = JSON.parse(await call({ method: 'POST', url: '/v1/developers/signup', body: account }))
  const { project } = JSON.parse(
    await call({ method: 'POST', url: '/v1/projects', token, body: { name: 'Bench' } }),
  )
  const path = `projects/${project.id}/environments/production`
  const tools = [...GRANTABLE_TOOLS.keys()]
  const created = await call({
    method: 'POST',
    url: `/v1/x/${path}/agents`,
    token,
    body: { label: 'bench', tools, password: PASSWORD },
  })
  const agent: string = JSON.parse(created).token

  const mcp = (body: unknown): Call => ({ method: 'POST', url: '/mcp', token: agent, body })
  const list = mcp(message('tools/list', {}))
  const read = mcp(message('tools/call', { name: 'read_config', arguments: {} }))
  const plain: Call = { method: 'GET', url: `/v1/${path}/config`, token: agent }
  await call(plain)

  const rss = process.memoryUsage.rss()
  const cpu = process.cpuUsage()
  const listed = await call(list)
  const first = process.cpuUsage(cpu)
  const firstMs = (first.user + first.system) / 1_000
  const grownMb = (process.memoryUsage.rss() - rss) / 1e6

  for (const request of [list, read, plain]) await cpuMs(request)
  const [listMs, readMs, plainMs] = [await cpuMs(list), await cpuMs(read), await cpuMs(plain)]
  console.log(`first request to /mcp: ${firstMs.toFixed(0)} ms of CPU, ${grownMb.toFixed(0)} MB`)
  console.log(
    `list of all ${JSON.parse(listed).result.tools.length} tools: ${listed.length} bytes, ${listMs.toFixed(2)} ms of CPU`,
  )
  console.log(
    `read_config: ${readMs.toFixed(2)} ms of CPU; the same request without MCP: ${plainMs.toFixed(2)} ms`,
  )
  console.log(`a call costs ${(readMs - plainMs).toFixed(2)} ms of CPU above plain HTTP`)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
