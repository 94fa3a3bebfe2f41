export { createAgents } from './agents.ts'
export { createApprovals } from './approvals.ts'
export { createAgentCalls } from './calls.ts'
export {
  createClients,
  createConsents,
  createGrants,
  createGrantStore,
  oauthRoutes,
  RESOURCE_METADATA_PATH,
} from './oauth/index.ts'
export { agentRoutes } from './routes.ts'
export { createAgentStore } from './store.ts'
export { subjectOf } from './subjects.ts'
