import assert from 'node:assert/strict'

import { GRANTABLE_TOOLS } from '@svc/contract/common/agent-tool-list'

import type { Call, Service, TestEnvironment } from './service.ts'
import type { TestProject } from './suite.ts'

export type TestAgent = { id: string; token: string; call: Call }

/** The tools with which an agent can change something. */
export const ALL_TOOLS = [...GRANTABLE_TOOLS].flatMap(([name, does]) => (does === 'changes' ? [name] : []))

/** The password of developers in tests. */
const PASSWORD = 'correct horse'

/** Where the agents of an environment are. */
export const agentsPath = ({ path }: Pick<TestEnvironment, 'path'>) =>
  `${path.replace('/v1/', '/v1/x/')}/agents`

/** An agent of the owner of the project. */
export async function newAgent(
  service: Pick<Service, 'withToken'>,
  { developer }: Pick<TestProject, 'developer'>,
  { path }: Pick<TestEnvironment, 'path'>,
  options: { label?: string; tools?: readonly string[]; unattended?: boolean; expiresInHours?: number } = {},
): Promise<TestAgent> {
  const proof = path.endsWith('production') ? { password: PASSWORD } : {}
  const { status, body } = await developer.call('POST', agentsPath({ path }), {
    label: 'Claude',
    ...options,
    ...proof,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.agent.id, token: body.token, call: service.withToken(body.token) }
}
