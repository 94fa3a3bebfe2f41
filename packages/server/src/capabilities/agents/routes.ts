import * as contract from '@svc/contract/developers/agents'

import type { Route } from '../../edge/http/routes.ts'
import type { Agents } from './agents.ts'
import type { Approvals } from './approvals.ts'

export function agentRoutes(route: Route, agents: Agents, approvals: Approvals) {
  route(contract.createAgent, ({ environment, developer, actor, body, client }) =>
    agents.create(environment, developer, actor, body, client.address),
  )
  route(contract.listAgents, ({ environment, developer }) => agents.list(environment, developer))
  route(contract.readAgent, ({ environment, params }) => agents.read(environment, params.agentId))
  route(contract.revokeAgent, ({ environment, developer, project, actor, params }) =>
    agents.revoke(environment, params.agentId, { id: developer.id, role: project.role }, actor),
  )
  route(contract.listApprovals, ({ developer }) => approvals.list(developer))
  route(contract.readApproval, ({ developer, params }) => approvals.read(developer, params.approvalId))
  route(contract.decideApproval, ({ developer, actor, params, body }) =>
    approvals.decide(developer, actor, params.approvalId, body),
  )
}
