import {
  agentRoutes,
  createAgentCalls,
  createAgents,
  createAgentStore,
  createApprovals,
} from '../capabilities/agents/index.ts'
import { hourly } from '../platform/jobs/jobs.ts'
import { lazy } from '../platform/memory/lazy.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'

export type AgentsModule = ReturnType<typeof buildAgents>

/** Agents that act for developers: their tokens, limits, calls, and approvals of destructive calls. */
export function buildAgents({ tools, db, revocations, events }: Foundation, developers: Developers) {
  const store = createAgentStore(db)
  const { findEnvironment } = developers.projects
  const agents = createAgents(store, {
    ...tools,
    grantableTools: lazy(async () => (await import('@svc/contract/common/agent-tool-list')).GRANTABLE_TOOLS),
    findDeveloper: developers.findById,
    findEnvironment,
    requireProof: developers.requireProof,
    // Without the environment: the purge of a deleted project would remove the row before other nodes have read it.
    recordRevoked: (transaction, hash) =>
      revocations.note(transaction, { kind: 'agent', environmentId: null, subject: hash }),
  })
  events.on('developer.sessions-ending', agents.revokeAllOf)
  const approvals = createApprovals(store, { ...tools, findEnvironment })
  const calls = createAgentCalls(store, { ...tools, approvals })

  return {
    agents,
    approvals,
    calls,
    mount: ({ route }: Mounts) => agentRoutes(route, agents, approvals),
    everySecond: calls.write,
    /** Also when the node stops. */
    everyMinute: calls.write,
    jobs: [hourly('agents.purge', agents.purgeExpired)],
  }
}
