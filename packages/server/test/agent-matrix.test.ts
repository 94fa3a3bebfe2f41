import assert from 'node:assert/strict'
import { test } from 'node:test'

import { agentUseOf, toolNameOf } from '@svc/contract/common/agent-tools'
import { type Address, addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/common/endpoints'
import { FEATURES } from '@svc/contract/common/features'
import * as fc from 'fast-check'

import { MINUTE_MS } from '../src/platform/clock.ts'
import { ALL_TOOLS, newAgent, type TestAgent } from '../src/testing/agents.ts'
import type { Answer } from '../src/testing/service.ts'
import { suite } from '../src/testing/suite.ts'
import { valid } from './fuzz/values.ts'

/** Every URL of the contract that has a caller; a new endpoint is covered as soon as it exists. */
const rows = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint)
    .filter(({ caller }) => caller !== 'none')
    .map((address) => ({ endpoint, address })),
)
const NEVER = { status: 403, code: 'developer_session_required' }
const MANY = 40

type Side = 'development' | 'production'
/** `asked`: for an approval, or refused because what it would change does not exist; never done. */
type Expected = { status: number; code: string } | 'admitted' | 'asked'

/** What an agent of this environment must get at its own project. `mayChange`: with all tools. */
function expectedOf(endpoint: NamedEndpoint, { caller }: Address, side: Side, mayChange: boolean): Expected {
  if (caller === 'public' || caller === 'player') return { status: 401, code: 'key_required' }
  if (caller === 'server') return { status: 403, code: 'secret_key_required' }
  const use = agentUseOf(endpoint, side)
  if (caller === 'operator' || use === undefined) return NEVER
  if (use !== 'read' && !mayChange) return { status: 403, code: 'tool_not_granted' }
  // Deployments that are not activated need no approval.
  return use === 'destructive' && endpoint.agentTool === undefined ? 'asked' : 'admitted'
}

const VALUES: Record<string, string> = { version: '1', sha256: 'a'.repeat(64), name: 'OWN', key: 'slot' }

suite('tokens of agents at every endpoint', { features: {} }, ({ service, project }) => {
  let calls = 0

  async function ask(
    agent: TestAgent,
    endpoint: NamedEndpoint,
    { method, path }: Address,
    fixed: Record<string, string>,
  ): Promise<Answer> {
    if (++calls % MANY === 0) service.clock.advance(MINUTE_MS)
    const url = path.replace(/:(\w+)/g, (_, name: string) => fixed[name] ?? VALUES[name] ?? 'nothing')
    const body = bodyOf(endpoint)
    return agent.call(method, url, body, endpoint.idempotent === 'required' ? { 'idempotency-key': 'k' } : {})
  }

  const bodyOf = ({ name, body }: NamedEndpoint) => {
    if (name === 'finalizeDeployment') return { activate: false }
    return body && fc.sample(valid(body), { numRuns: 1, seed: 1 })[0]
  }

  const allOn = {
    features: Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true])),
    share: Object.fromEntries(
      ['images', 'links', 'tracking', 'inAppBrowser'].map((tool) => [tool, { enabled: true }]),
    ),
  }
  const auditOf = async () =>
    (await project.developer.call('GET', `/v1/projects/${project.id}/audit`)).body.entries[0]?.id

  for (const side of ['development', 'production'] as const)
    for (const mayChange of [false, true])
      test(`[AGT-05] [GEN-45] [CHN-24] ${side}, ${mayChange ? 'all tools' : 'no tool'}: every endpoint answers an agent as the contract says`, async () => {
        assert.equal((await project.developer.call('PUT', `${project[side].path}/config`, allOn)).status, 200)
        const agent = await newAgent(service, project, project[side], {
          tools: mayChange ? ALL_TOOLS : [],
          expiresInHours: 720,
        })
        const before = await auditOf()
        const asked = new Set<string>()
        for (const { endpoint, address } of rows) {
          const { status, body } = await ask(agent, endpoint, address, { projectId: project.id, env: side })
          const what = `${address.method} ${address.path} (${toolNameOf(endpoint)})`
          const expected = expectedOf(endpoint, address, side, mayChange)
          if (expected === 'asked') {
            assert.ok(status === 409 || status === 404 || status === 400, `${what}: ${JSON.stringify(body)}`)
            if (status === 409) asked.add(body.error.code)
            continue
          }
          if (expected !== 'admitted') {
            assert.deepEqual([status, body.error?.code], [expected.status, expected.code], what)
            continue
          }
          assert.ok(status < 500 && status !== 401, `${what}: ${JSON.stringify(body).slice(0, 300)}`)
          const refusals = ['tool_not_granted', 'approval_required', NEVER.code]
          assert.ok(!refusals.includes(body.error?.code), `${what}: ${JSON.stringify(body).slice(0, 300)}`)
        }
        if (mayChange) assert.ok(asked.has('approval_required'), [...asked].join())
        if (!mayChange) assert.equal(await auditOf(), before, 'an agent without tools changes nothing')
      })

  test('[AGT-06] at another project or environment every endpoint answers like an unknown one', async () => {
    const other = await service.newProject(project.developer)
    const agent = await newAgent(service, project, project.development, { tools: ALL_TOOLS })
    const tools = rows.filter(({ endpoint, address }) => endpoint.agent && address.caller === 'developer')
    assert.ok(tools.length > 50)
    for (const { endpoint, address } of tools) {
      const elsewhere = await ask(agent, endpoint, address, { projectId: other.id, env: 'development' })
      assert.deepEqual(
        [elsewhere.status, elsewhere.body.error.code],
        [404, 'project_not_found'],
        address.path,
      )
      if (!address.path.includes(':env/')) continue
      for (const env of ['production', 'prod', 'staging']) {
        const { status, body } = await ask(agent, endpoint, address, { projectId: project.id, env })
        assert.deepEqual([status, body.error.code], [404, 'environment_not_found'], address.path)
      }
    }
  })

  test('[AGT-05] a token of an agent is no access token of a player', async () => {
    const agent = await newAgent(service, project, project.development)
    const { status, body } = await agent.call('GET', '/v1/players/me', undefined, {
      'x-svc-key': project.development.publishableKey,
    })
    assert.deepEqual([status, body.error.code], [401, 'invalid_token'])
  })
})
