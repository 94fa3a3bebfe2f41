import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import {
  Deleted,
  EnvironmentName,
  EnvironmentParams,
  Id,
  IdParam,
  Line,
  Nullable,
  Timestamp,
} from '../common/schemas.ts'
import { Change } from '../config/config.ts'

/**
 * Agents: programs that act for one developer in one environment, with a token of their own. They use the API at the addresses for
 * developers, or `POST /mcp`. What is destructive needs an approval of the developer.
 */

/** An agent, without its token. */
export type AgentView = Static<typeof AgentView>
/** Every agent may read; `tools` are those that it may use beyond that. `client` is null for a token that a developer created. */
export const AgentView = Type.Object({
  id: Id,
  label: Type.String(),
  tools: Type.Array(Type.String({ examples: ['ban_player'] }), { description: 'beyond reading' }),
  unattended: Type.Boolean({ description: 'destructive calls need no approval; development only' }),
  client: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  lastUsedAt: Nullable(Timestamp, 'exact to a few seconds'),
})

/** A call of an agent. */
export type AgentCall = Static<typeof AgentCall>
/** `outcome` is `ok` or the error code of the response. */
export const AgentCall = Type.Object({
  at: Timestamp,
  tool: Type.String(),
  outcome: Type.String({ description: 'ok, or the error code' }),
})

const AGENTS = '/v1/x/projects/:projectId/environments/:env/agents'
const OneAgent = Type.Object({ ...EnvironmentParams.properties, agentId: IdParam })

/** The OpenAPI document lists the tools; others are rejected with their path. */
export const GrantedTool = Type.String({ maxLength: 64, examples: ['ban_player'] })

/** Create an agent; its token is shown only once. */
export const createAgent = endpoint(`POST ${AGENTS}`, {
  summary:
    'Create an agent that acts for you in this environment; its token is shown only once. It may read, and use the tools that you name; in production such tools need your password or a reauthToken',
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: EnvironmentParams,
  status: 201,
  body: Type.Object({
    label: Line(1, 60),
    tools: Type.Optional(
      Type.Array(GrantedTool, {
        maxItems: LIMITS.agentToolsMax,
        description: 'beyond reading; none without it',
      }),
    ),
    expiresInHours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.agentHoursMax, default: LIMITS.agentHoursByDefault }),
    ),
    unattended: Type.Optional(
      Type.Boolean({ description: 'true: destructive calls need no approval; development only' }),
    ),
    password: Type.Optional(Type.String({ maxLength: 256 })),
    reauthToken: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  response: Type.Object({ agent: AgentView, token: Type.String({ description: 'agt_…, this once' }) }),
  errors: ['reauth_required', 'invalid_credentials', 'too_many_agents'],
})

/** List the agents that are neither revoked nor expired. */
export const listAgents = endpoint(`GET ${AGENTS}`, {
  summary: 'List the agents of an environment that are neither revoked nor expired, newest first',
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: EnvironmentParams,
  response: Type.Object({
    agents: Type.Array(
      Type.Object({
        ...AgentView.properties,
        developer: Type.Object(
          {
            id: Id,
            email: Nullable(Type.String(), 'null if the account was deleted'),
            isYou: Type.Boolean(),
          },
          { description: 'for whom it acts' },
        ),
      }),
    ),
  }),
})

/** Get an agent with its last calls. */
export const readAgent = endpoint(`GET ${AGENTS}/:agentId`, {
  summary: `Get an agent with its last ${LIMITS.agentCallsKept} calls, newest first`,
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: OneAgent,
  response: Type.Object({ agent: AgentView, calls: Type.Array(AgentCall) }),
  errors: ['agent_not_found'],
})

/** Revoke an agent. */
export const revokeAgent = endpoint(`DELETE ${AGENTS}/:agentId`, {
  summary:
    'Revoke an agent; its token stops working on all nodes within a second. Your own agents; as admin or owner, also those of others',
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: OneAgent,
  response: Deleted,
  errors: ['agent_not_found'],
})

/** A destructive call of an agent, as lists show it. */
export type ApprovalEntry = Static<typeof ApprovalEntry>
/** An approved call works once, with the same token and the same arguments. */
export const ApprovalEntry = Type.Object({
  id: Id,
  status: Type.Enum(['open', 'approved', 'refused', 'used']),
  tool: Type.String({ examples: ['delete_player'] }),
  summary: Type.String({
    description: 'the call in one sentence; names in it are texts of players or of the agent',
    examples: ['Delete player Mira (ply_…) in development'],
  }),
  agent: Type.Object({ id: Id, label: Type.String() }),
  projectId: Id,
  environment: EnvironmentName,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  expiresInSeconds: Type.Integer({
    description: 'so that a reader with a wrong clock knows how long it waits',
  }),
})

/** A destructive call of an agent that a developer decides about. */
export type ApprovalView = Static<typeof ApprovalView>
/** What it would change was read when the agent asked. If that has changed since, the approved call asks again. */
export const ApprovalView = Type.Object({
  ...ApprovalEntry.properties,
  sentence: Type.Array(Type.String(), {
    description:
      'the summary in parts; every second one is a value that players or the agent may have chosen',
    examples: [['delete player ', 'Mira', '']],
  }),
  target: Nullable(Id, 'the id of what the sentence names'),
  facts: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  changes: Type.Array(Change, {
    description: 'what the call would make of what is live: fields of a document, files, limits',
  }),
  arguments: Type.Unknown({ description: 'what the agent sends; only very large values are shortened' }),
})

/** List the calls that wait for your decision. */
export const listApprovals = endpoint('GET /v1/x/approvals', {
  summary: 'List the calls of your agents that wait for your decision, newest first',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ approvals: Type.Array(ApprovalEntry) }),
})

const OneApproval = Type.Object({ approvalId: IdParam })

/** Get a call that waits for your decision. */
export const readApproval = endpoint('GET /v1/x/approvals/:approvalId', {
  summary: 'Get a call of one of your agents that waits for your decision, or that you have decided',
  caller: 'developer',
  role: 'account',
  params: OneApproval,
  response: Type.Object({ approval: ApprovalView }),
  errors: ['approval_not_found'],
})

/** Approve or refuse a call. */
export const decideApproval = endpoint('POST /v1/x/approvals/:approvalId/decision', {
  summary: 'Approve or refuse a call of one of your agents; an approved one works once, within 10 minutes',
  caller: 'developer',
  role: 'account',
  params: OneApproval,
  body: Type.Object({ approve: Type.Boolean() }),
  response: Type.Object({ approval: ApprovalView }),
  errors: ['approval_not_found', 'approval_decided'],
})
