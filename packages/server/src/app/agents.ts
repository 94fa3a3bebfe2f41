import { LIMITS } from '@svc/contract/common/limits'

import {
  agentRoutes,
  createAgentCalls,
  createAgents,
  createAgentStore,
  createApprovals,
  createClients,
  createConsents,
  createGrants,
  createGrantStore,
  oauthRoutes,
  RESOURCE_METADATA_PATH,
  subjectOf,
} from '../capabilities/agents/index.ts'
import type { readerOf } from '../edge/http/routes.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { lazy } from '../platform/memory/lazy.ts'
import { createOutbound } from '../platform/network/outbound.ts'
import { createTimers } from '../platform/time/timers.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'

type Read = ReturnType<typeof readerOf>
export type AgentsModule = ReturnType<typeof buildAgents>

/** Agents that act for developers: their tokens, limits, calls, and approvals of destructive calls. */
export function buildAgents(
  { tools, db, revocations, events, settings, baseUrl, counters }: Foundation,
  developers: Developers,
) {
  const store = createAgentStore(db)
  const { findEnvironment } = developers.projects
  const grantableTools = lazy(
    async () => (await import('@svc/contract/common/agent-tool-list')).GRANTABLE_TOOLS,
  )
  const agents = createAgents(store, {
    ...tools,
    grantableTools,
    findDeveloper: developers.findById,
    findEnvironment,
    requireProof: developers.requireProof,
    // Without the environment: the purge of a deleted project would remove the row before other nodes have read it.
    recordRevoked: (transaction, hash) =>
      revocations.note(transaction, { kind: 'agent', environmentId: null, subject: hash }),
  })
  events.on('developer.sessions-ending', agents.revokeAllOf)
  events.on('member.ending', (transaction, projectId, developerId) =>
    agents.revokeAllOf(transaction, developerId, projectId),
  )
  const timers = createTimers(tools.clock)
  let read: Read | undefined
  const approvals = createApprovals(store, {
    ...tools,
    timers,
    findEnvironment,
    subjectOf: (environment, { route, values }) =>
      subjectOf(
        route,
        values,
        async (endpoint, request) => read?.(endpoint, { ...request, environment }) as never,
      ),
  })
  const calls = createAgentCalls(store, { ...tools, approvals })

  const grantStore = createGrantStore(db)
  const clients = createClients(grantStore, {
    ...tools,
    outbound: createOutbound(),
    isLocal: settings.isLocal,
  })
  const consents = createConsents(grantStore, { ...tools, clients, agents, grantableTools })
  const grants = createGrants(grantStore, {
    ...tools,
    agents,
    clients,
    findEnvironment,
    findProject: developers.projects.find,
  })

  return {
    /** How endpoints are read inside the service; they exist when the edge does. */
    readWith: (reader: Read) => void (read = reader),
    agents,
    approvals,
    calls,
    clients,
    /** Where clients of `/mcp` without a token are sent to. */
    resourceMetadataUrl: `${baseUrl}${RESOURCE_METADATA_PATH}`,
    mount({ route, page, form }: Mounts) {
      agentRoutes(route, agents, approvals)
      oauthRoutes(
        { route, page, form },
        {
          consents,
          grants,
          counters,
          baseUrl,
          requestsPerMinuteMax:
            settings.rateLimits === 'off' ? Infinity : LIMITS.agentTokenRequestsPerMinuteMax,
        },
      )
    },
    everySecond: calls.write,
    /** Also when the node stops. */
    everyMinute: calls.write,
    stop() {
      approvals.stopWaiting()
      timers.stop()
    },
    jobs: [hourlyRemoval('agents.purge', agents.purgeExpired, grants.purgeExpired)],
  }
}
