import { agentUseOf } from '@svc/contract/common/agent-tools'
import type { Address, Endpoint } from '@svc/contract/common/endpoint'
import type { Shape } from '@svc/contract/common/json-schema'
import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { FastifyRequest } from 'fastify'

import { type Agent, agentActor, behalfOf } from '../../../platform/agent.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { lazy } from '../../../platform/memory/lazy.ts'

/** A call of an agent. */
export type AgentCall = { agent: Agent; tool: string }

/** What the edge needs to know about agents. */
export type AgentLookups = {
  /** Undefined if the token is unknown, revoked or expired, or its developer or project is gone. */
  find(token: string): Promise<Agent | undefined>
  /** Throws `rate_limited`. */
  count(agent: Agent): Promise<void>
  /** Throws `rate_limited`. */
  countWrite(agent: Agent): Promise<void>
  /** Returns who approved the call; undefined if it needs no approval. Throws `approval_required`, `approval_refused`, `rate_limited`, or the refusal of a call that cannot succeed. */
  admitDestructive(
    agent: Agent,
    call: { route: string; tool: string; values: unknown; approvalId: string | undefined },
  ): Promise<string | undefined>
}

export const isAgentToken = (token: string): boolean => token.startsWith('agt_')

const NEVER_FOR_AGENTS =
  'Agents can never use this endpoint. A developer does it in the dashboard, or with the command svc.'

/** Loaded with the first call of an agent. */
const toolNames = lazy(async () => (await import('@svc/contract/common/agent-tool-list')).TOOL_NAMES)

/**
 * The agent of a token, as a caller at an address for developers. Agents have the rights of their developer at the moment of the call
 * or fewer: all other checks of a developer follow.
 */
export async function byAgent(
  lookups: AgentLookups,
  endpoint: Endpoint,
  address: Address,
  request: FastifyRequest,
  token: string,
) {
  const agent = await lookups.find(token)
  if (!agent) throw new ApiError('unauthorized')
  const tool = (await toolNames()).get(endpoint.route) ?? endpoint.route
  request.agentCall = { agent, tool }
  await lookups.count(agent)
  if (address.caller !== 'developer' || !endpoint.agent)
    throw new ApiError('developer_session_required', undefined, { message: NEVER_FOR_AGENTS })
  return { developer: agent.developer, actor: agentActor(agent), session: agent.id, agent }
}

/** Another project or environment answers like one that does not exist. */
export function requireOwn(
  { environment }: Agent,
  { query: schema }: Endpoint,
  request: FastifyRequest,
  nameOf: (text: string) => EnvironmentName,
) {
  const { projectId, env } = request.params as { projectId?: string; env?: string }
  if (projectId !== environment.projectId) throw new ApiError('project_not_found')
  if (env !== undefined && nameOf(env) !== environment.name) throw new ApiError('environment_not_found')
  // Lists of a whole project have a filter, which is then always set.
  if (!(schema as Shape | undefined)?.properties?.['env']) return
  const query = request.query as { env?: string | string[]; wholeProject?: unknown }
  if (query.env !== undefined && nameOf(String(query.env)) !== environment.name)
    throw new ApiError('environment_not_found')
  query.env = environment.name
  delete query.wholeProject
}

export function requireGranted({ environment, tools }: Agent, endpoint: Endpoint, request: FastifyRequest) {
  const tool = request.agentCall?.tool ?? ''
  if (agentUseOf(endpoint, environment.name) !== 'read' && !tools.has(tool))
    throw new ApiError('tool_not_granted', { tool })
}

type Input = { params: unknown; query: unknown; body: unknown }

/**
 * For endpoints with which agents change something; called after the body was read, because an approval is bound to it. Uploads are not
 * counted as writes: they change nothing before the deployment that names them.
 */
export function agentCheckOf(lookups: AgentLookups, endpoint: Endpoint) {
  if (!endpoint.agent || endpoint.agent === 'read') return undefined
  const countsAsWrite = !endpoint.bytesBody

  return async (request: FastifyRequest, { params, query, body }: Input): Promise<void> => {
    if (!request.agentCall) return
    const { agent, tool } = request.agentCall
    const needsApproval =
      agentUseOf(endpoint, agent.environment.name) === 'destructive' &&
      !endpoint.withoutApproval?.({ query: query ?? {}, body: body ?? {} })
    if (!needsApproval) return countsAsWrite ? lookups.countWrite(agent) : undefined

    const header = request.headers['svc-approval']
    const approvalId = typeof header === 'string' ? header.slice(0, 64) : undefined
    const values = { params, query, body }
    const approvedBy = await lookups.admitDestructive(agent, {
      route: endpoint.route,
      tool,
      values,
      approvalId,
    })
    const { caller } = request
    const behalf = caller.kind === 'developer' ? behalfOf(caller.actor) : undefined
    if (behalf && approvedBy !== undefined) behalf.approvedBy = approvedBy
  }
}
