import type { AgentUse, Endpoint } from './endpoint.ts'
import type { NamedEndpoint } from './endpoints.ts'
import { LIMITS } from './limits.ts'
import type { EnvironmentName } from './schemas.ts'

/** Tools of agents: which endpoints are tools, under which name, and why the others are none. */

/** The tools that are no endpoint: who the agent is, and a deployment of a few small files. */
export const TOOLS_BY_HAND = {
  whoami: {
    agent: 'read',
    summary: 'For whom you act, in which project and environment, with which tools, until when',
  },
  deploy_files: {
    agent: 'write',
    summary: `Deploy a hosted app of at most ${LIMITS.agentDeployFilesMax} files and ${LIMITS.agentDeployBytesMax} bytes together; in production the new version is not activated`,
  },
} as const

/** The name of an endpoint's tool: `ban_player` for `banPlayer`, `read_share_tags` for `readShareTagsAsAdmin`. It never changes. */
export const toolNameOf = ({ name, agentTool }: Pick<NamedEndpoint, 'name' | 'agentTool'>): string =>
  agentTool ?? name.replace(/AsAdmin$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What an agent does with the endpoint in this environment; undefined: agents never use it. */
export const agentUseOf = (
  { agent }: Pick<Endpoint, 'agent'>,
  environment: EnvironmentName,
): AgentUse | undefined => (typeof agent === 'object' ? agent[environment] : agent)

/**
 * The endpoints for developers that agents never use, with the reason. A test fails for an endpoint that is neither here nor says
 * `agent`. Endpoints for servers and operators are never tools.
 */
export const NEVER_FOR_AGENTS: Readonly<Record<string, string>> = {
  ...reason('the account of the developer', [
    'logOut',
    'readMe',
    'renameMe',
    'deleteMe',
    'resendVerification',
    'changePassword',
    'listOwnSessions',
    'endOtherSessions',
    'endOwnSession',
    'decideDeviceCode',
    'findDeviceCode',
    'createBrowserCode',
    'listIdentities',
    'removeIdentity',
  ]),
  ...reason('projects are not of one environment', [
    'listProjects',
    'createProject',
    'renameProject',
    'deleteProject',
  ]),
  ...reason('who works on a project', [
    'listMembers',
    'inviteMember',
    'changeMemberRole',
    'removeMember',
    'leaveProject',
    'revokeMemberInvitation',
    'findInvitation',
    'acceptInvitation',
    'offerTransfer',
    'withdrawTransfer',
    'acceptTransfer',
  ]),
  ...reason('keys', ['createKey', 'relabelKey', 'revokeKey']),
  ...reason('secrets and credentials', [
    'testProviderCredentials',
    'listProviderCredentials',
    'readProviderCredentials',
    'writeProviderCredentials',
    'deleteProviderCredentials',
    'readWebhookSecret',
    'listFunctionSecrets',
    'readFunctionSecret',
    'writeFunctionSecret',
    'deleteFunctionSecret',
  ]),
  ...reason('it returns sessions of players', ['createPlaygroundPlayers']),
  ...reason('it shows what players do, and in production a developer gives the reason', [
    'readRoomState',
    'readRoomTurns',
  ]),
  ...reason('the developer’s server calls it while people play', ['openRoom', 'messageRoom', 'closeRoom']),
  ...reason('it is for somebody who plays in the Playground', ['simulateNetwork']),
  ...reason('mails contain sign-in links', ['listMails', 'deleteMails']),
  ...reason('money', [
    'readPrepaid',
    'readUsage',
    'redeemInviteCode',
    'createCheckout',
    'listLedger',
    'readCheckout',
  ]),
  ...reason('agents never create or approve agents', [
    'createAgent',
    'listAgents',
    'readAgent',
    'revokeAgent',
    'listApprovals',
    'readApproval',
    'decideApproval',
    'findAuthorization',
    'grantAuthorization',
  ]),
  ...reason('the same as another endpoint', ['exportPlayerByPost', 'deletePlayerByDelete']),
  ...reason('a stream', ['followEvents']),
  ...reason('its answer is no text that an agent reads', ['previewCard', 'readFunctionSourceMap']),
}

function reason(why: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]))
}
