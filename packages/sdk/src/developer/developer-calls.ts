/* Written by `npm run generate`; do not edit. */
import type * as audit from '@svc/contract/audit'
import type * as config from '@svc/contract/config/config'
import type * as agentAuthorizations from '@svc/contract/developers/agent-authorizations'
import type * as agents from '@svc/contract/developers/agents'
import type * as browserCodes from '@svc/contract/developers/browser-codes'
import type * as developers from '@svc/contract/developers/developers'
import type * as deviceCodes from '@svc/contract/developers/device-codes'
import type * as members from '@svc/contract/developers/members'
import type * as projects from '@svc/contract/developers/projects'
import type * as providerCredentials from '@svc/contract/developers/provider-credentials'
import type * as signIn from '@svc/contract/developers/sign-in'
import type * as events from '@svc/contract/events'
import type * as functions from '@svc/contract/functions'
import type * as hosting from '@svc/contract/hosting'
import type * as leaderboards from '@svc/contract/leaderboards'
import type * as mail from '@svc/contract/mail'
import type * as moderation from '@svc/contract/moderation'
import type * as money from '@svc/contract/money'
import type * as news from '@svc/contract/news'
import type * as operator from '@svc/contract/operator'
import type * as platform from '@svc/contract/platform'
import type * as players from '@svc/contract/players'
import type * as playground from '@svc/contract/playground'
import type * as channels from '@svc/contract/realtime/channels'
import type * as codeRooms from '@svc/contract/realtime/code-rooms'
import type * as liveView from '@svc/contract/realtime/live-view'
import type * as requests from '@svc/contract/requests'
import type * as sessions from '@svc/contract/sessions'
import type * as sharing from '@svc/contract/sharing'
import type * as stats from '@svc/contract/stats'
import type { RequestOf, ResponseOf } from '@svc/contract/common/endpoint'

import type { InEnvironment } from './environment.ts'

/** Name → method and path, of what a developer session may call. */
export const DEVELOPER_CALLS = {
  searchPlayers: 'GET /v1/projects/:projectId/environments/:env/players',
  readPlayerDetail: 'GET /v1/projects/:projectId/environments/:env/players/:playerId',
  deletePlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/delete',
  deletePlayerByDelete: 'DELETE /v1/projects/:projectId/environments/:env/players/:playerId/delete',
  exportPlayer: 'GET /v1/projects/:projectId/environments/:env/players/:playerId/export',
  exportPlayerByPost: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/export',
  signOutPlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/sign-out',
  readPlayerStats: 'GET /v1/projects/:projectId/environments/:env/players/:playerId/stats',
  readPlayerSave: 'GET /v1/projects/:projectId/environments/:env/players/:playerId/saves/:key',
  writePlayerSave: 'PUT /v1/projects/:projectId/environments/:env/players/:playerId/saves/:key',
  deletePlayerSave: 'DELETE /v1/projects/:projectId/environments/:env/players/:playerId/saves/:key',
  simulateNetwork: 'PUT /v1/projects/:projectId/environments/:env/x/playground/network',
  createPlaygroundPlayers: 'POST /v1/projects/:projectId/environments/:env/playground/players',
  banPlayerForTime: 'POST /v1/projects/:projectId/environments/:env/x/players/:playerId/ban',
  listAppeals: 'GET /v1/projects/:projectId/environments/:env/appeals',
  resolveAppeal: 'POST /v1/projects/:projectId/environments/:env/appeals/:appealId/resolve',
  correctAge: 'PUT /v1/projects/:projectId/environments/:env/players/:playerId/age',
  banPlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/ban',
  unbanPlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/unban',
  confirmNews: 'POST /v1/news/confirm',
  unsubscribeFromNews: 'POST /v1/news/unsubscribe',
  listSignals: 'GET /v1/projects/:projectId/environments/:env/integrity/signals',
  listWebhookDeliveries: 'GET /v1/projects/:projectId/environments/:env/integrity/webhook-deliveries',
  readWebhookSecret: 'GET /v1/projects/:projectId/environments/:env/integrity/webhook-secret',
  testWebhook: 'POST /v1/projects/:projectId/environments/:env/integrity/webhook-test',
  replayWebhookDelivery: 'POST /v1/projects/:projectId/environments/:env/integrity/webhook-deliveries/:id/replay',
  submitPlayerStats: 'POST /v1/projects/:projectId/environments/:env/x/players/:playerId/stats',
  listLeaderboards: 'GET /v1/projects/:projectId/environments/:env/x/leaderboards',
  readLeaderboardAsAdmin: 'GET /v1/projects/:projectId/environments/:env/x/leaderboards/:key',
  listLeaderboardPeriodsAsAdmin: 'GET /v1/projects/:projectId/environments/:env/x/leaderboards/:key/periods',
  resetLeaderboard: 'POST /v1/projects/:projectId/environments/:env/x/leaderboards/:key/reset',
  hideLeaderboardEntry: 'PUT /v1/projects/:projectId/environments/:env/x/leaderboards/:key/entries/:playerId',
  removeLeaderboardEntry: 'DELETE /v1/projects/:projectId/environments/:env/x/leaderboards/:key/entries/:playerId',
  createTrackedLink: 'POST /v1/projects/:projectId/environments/:env/share/links',
  readShareStats: 'GET /v1/projects/:projectId/environments/:env/share/stats',
  readShareTagsAsAdmin: 'GET /v1/projects/:projectId/environments/:env/share/tags',
  readLinkCard: 'GET /v1/share/images/:label/:shareId.png',
  readDefaultCard: 'GET /v1/share/images/:label/card.png',
  previewCard: 'POST /v1/projects/:projectId/environments/:env/share/card-preview',
  openRoom: 'POST /v1/projects/:projectId/environments/:env/x/rooms',
  closeRoom: 'DELETE /v1/projects/:projectId/environments/:env/x/rooms/:roomId',
  messageRoom: 'POST /v1/projects/:projectId/environments/:env/x/rooms/:roomId/messages',
  readRoomState: 'GET /v1/projects/:projectId/environments/:env/x/rooms/:roomId/state',
  readRoomTurns: 'GET /v1/projects/:projectId/environments/:env/x/rooms/:roomId/turns',
  logIn: 'POST /v1/developers/login',
  logOut: 'POST /v1/developers/logout',
  readMe: 'GET /v1/developers/me',
  renameMe: 'PATCH /v1/developers/me',
  deleteMe: 'DELETE /v1/developers/me',
  signUp: 'POST /v1/developers/signup',
  resendVerification: 'POST /v1/developers/email/resend',
  verifyEmail: 'POST /v1/developers/email/verify',
  changePassword: 'POST /v1/developers/me/password',
  listOwnSessions: 'GET /v1/developers/me/sessions',
  endOtherSessions: 'DELETE /v1/developers/me/sessions',
  forgotPassword: 'POST /v1/developers/password/forgot',
  resetPassword: 'POST /v1/developers/password/reset',
  endOwnSession: 'DELETE /v1/developers/me/sessions/:sessionId',
  findSignUpLink: 'POST /v1/x/developers/sign-up-links/look-up',
  createDeviceCode: 'POST /v1/x/developers/device-codes',
  decideDeviceCode: 'POST /v1/x/developers/device-codes/decision',
  findDeviceCode: 'POST /v1/x/developers/device-codes/lookup',
  collectDeviceSession: 'POST /v1/x/developers/device-codes/session',
  createBrowserCode: 'POST /v1/x/developers/browser-codes',
  openBrowserSession: 'POST /v1/x/developers/browser-codes/session',
  listIdentities: 'GET /v1/developers/me/identities',
  exchangeCode: 'POST /v1/developers/oauth/exchange',
  removeIdentity: 'DELETE /v1/developers/me/identities/:provider',
  startSignIn: 'POST /v1/developers/oauth/:provider/start',
  listProjects: 'GET /v1/projects',
  createProject: 'POST /v1/projects',
  readProject: 'GET /v1/projects/:projectId',
  renameProject: 'PATCH /v1/projects/:projectId',
  deleteProject: 'DELETE /v1/projects/:projectId',
  relabelKey: 'PATCH /v1/projects/:projectId/keys/:keyId',
  revokeKey: 'DELETE /v1/projects/:projectId/keys/:keyId',
  readActivity: 'GET /v1/projects/:projectId/environments/:env/activity',
  listKeys: 'GET /v1/projects/:projectId/environments/:env/keys',
  createKey: 'POST /v1/projects/:projectId/environments/:env/keys',
  readOverview: 'GET /v1/projects/:projectId/environments/:env/overview',
  acceptInvitation: 'POST /v1/x/invitations/accept',
  findInvitation: 'POST /v1/x/invitations/look-up',
  previewInvitation: 'POST /v1/x/invitations/preview',
  leaveProject: 'POST /v1/x/projects/:projectId/leave',
  listMembers: 'GET /v1/x/projects/:projectId/members',
  inviteMember: 'POST /v1/x/projects/:projectId/members',
  offerTransfer: 'POST /v1/x/projects/:projectId/transfer',
  withdrawTransfer: 'DELETE /v1/x/projects/:projectId/transfer',
  revokeMemberInvitation: 'DELETE /v1/x/projects/:projectId/invitations/:invitationId',
  changeMemberRole: 'PATCH /v1/x/projects/:projectId/members/:developerId',
  removeMember: 'DELETE /v1/x/projects/:projectId/members/:developerId',
  acceptTransfer: 'POST /v1/x/projects/:projectId/transfer/accept',
  readConfig: 'GET /v1/projects/:projectId/environments/:env/config',
  pushConfig: 'PUT /v1/projects/:projectId/environments/:env/config',
  listFeatures: 'GET /v1/projects/:projectId/environments/:env/features',
  listConfigVersions: 'GET /v1/projects/:projectId/environments/:env/config/versions',
  readConfigVersion: 'GET /v1/projects/:projectId/environments/:env/config/versions/:version',
  restoreConfigVersion: 'POST /v1/projects/:projectId/environments/:env/config/versions/:version/restore',
  testProviderCredentials: 'POST /v1/projects/:projectId/environments/:env/auth/providers/:provider/test',
  listProviderCredentials: 'GET /v1/projects/:projectId/environments/:env/auth/providers',
  readProviderCredentials: 'GET /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  writeProviderCredentials: 'PUT /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  deleteProviderCredentials: 'DELETE /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  listApprovals: 'GET /v1/x/approvals',
  readApproval: 'GET /v1/x/approvals/:approvalId',
  decideApproval: 'POST /v1/x/approvals/:approvalId/decision',
  listAgents: 'GET /v1/x/projects/:projectId/environments/:env/agents',
  createAgent: 'POST /v1/x/projects/:projectId/environments/:env/agents',
  readAgent: 'GET /v1/x/projects/:projectId/environments/:env/agents/:agentId',
  revokeAgent: 'DELETE /v1/x/projects/:projectId/environments/:env/agents/:agentId',
  findAuthorization: 'POST /v1/x/agent-authorizations/find',
  grantAuthorization: 'POST /v1/x/projects/:projectId/environments/:env/agents/grants',
  listDeployments: 'GET /v1/projects/:projectId/environments/:env/deployments',
  createDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments',
  readHosting: 'GET /v1/projects/:projectId/environments/:env/hosting',
  uploadBlob: 'PUT /v1/projects/:projectId/environments/:env/blobs/:sha256',
  readDeployment: 'GET /v1/projects/:projectId/environments/:env/deployments/:ref',
  listActivations: 'GET /v1/projects/:projectId/environments/:env/hosting/activations',
  activateDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments/:ref/activate',
  finalizeDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments/:ref/finalize',
  readFunctions: 'GET /v1/projects/:projectId/environments/:env/functions',
  removeFunctions: 'DELETE /v1/projects/:projectId/environments/:env/functions',
  listFunctionDeployments: 'GET /v1/projects/:projectId/environments/:env/functions/deployments',
  deployFunctions: 'POST /v1/projects/:projectId/environments/:env/functions/deployments',
  disableFunctions: 'POST /v1/projects/:projectId/environments/:env/functions/disable',
  enableFunctions: 'POST /v1/projects/:projectId/environments/:env/functions/enable',
  limitFunctions: 'PUT /v1/projects/:projectId/environments/:env/functions/limits',
  readFunctionLogs: 'GET /v1/projects/:projectId/environments/:env/functions/logs',
  listFunctionSecrets: 'GET /v1/projects/:projectId/environments/:env/functions/secrets',
  readFunctionSeries: 'GET /v1/projects/:projectId/environments/:env/functions/series',
  runFunctionCron: 'POST /v1/projects/:projectId/environments/:env/functions/crons/run',
  readFunctionSecret: 'GET /v1/projects/:projectId/environments/:env/functions/secrets/:name',
  writeFunctionSecret: 'PUT /v1/projects/:projectId/environments/:env/functions/secrets/:name',
  deleteFunctionSecret: 'DELETE /v1/projects/:projectId/environments/:env/functions/secrets/:name',
  migrateFunctionDatabase: 'POST /v1/projects/:projectId/environments/:env/functions/db/:binding/migrate',
  queryFunctionDatabase: 'POST /v1/projects/:projectId/environments/:env/functions/db/:binding/query',
  readFunctionSourceMap: 'GET /v1/projects/:projectId/environments/:env/functions/deployments/:version/source-map',
  readLiveView: 'GET /v1/projects/:projectId/environments/:env/realtime',
  followEvents: 'GET /v1/projects/:projectId/environments/:env/events',
  readPrepaid: 'GET /v1/money/prepaid',
  readUsage: 'GET /v1/money/usage',
  redeemInviteCode: 'POST /v1/developers/me/invite-code',
  createCheckout: 'POST /v1/money/prepaid/checkout',
  listLedger: 'GET /v1/money/prepaid/ledger',
  receiveStripeEvent: 'POST /v1/money/webhooks/stripe',
  readCheckout: 'GET /v1/money/prepaid/checkouts/:id',
  listOperatorAudit: 'GET /v1/operator/audit',
  listBackups: 'GET /v1/operator/backups',
  createBackup: 'POST /v1/operator/backups',
  listDevelopers: 'GET /v1/operator/developers',
  inviteDeveloper: 'POST /v1/operator/invitations',
  readSystem: 'GET /v1/operator/system',
  checkEngine: 'POST /v1/operator/checks/:engine',
  revokeInvitation: 'DELETE /v1/operator/invitations/:email',
  readSystemSeries: 'GET /v1/operator/system/series',
  listAudit: 'GET /v1/projects/:projectId/audit',
  listRequests: 'GET /v1/projects/:projectId/environments/:env/requests',
  readRequest: 'GET /v1/projects/:projectId/environments/:env/requests/:requestId',
  readRequestSeries: 'GET /v1/projects/:projectId/environments/:env/requests/series',
  listMails: 'GET /v1/projects/:projectId/environments/:env/mails',
  deleteMails: 'DELETE /v1/projects/:projectId/environments/:env/mails',
  readHealth: 'GET /healthz',
  readReadiness: 'GET /readyz',
  readDomain: 'GET /v1/platform/domain',
  readPlatformInfo: 'GET /v1/platform/info',
} as const

/** What a developer session may call: request and response by name. */
export type DeveloperCalls = {
  /** List players of the environment, newest first; with `q`, the player with that id or email, or all whose name starts with `q`, sorted by name. A page of a filtered list can be short or empty and still have a `nextCursor`. With `sort` lastSeen or name, a player who is seen or renamed between two pages moves; newest returns everyone once */
  searchPlayers: {
    request: RequestOf<typeof players.searchPlayers> & InEnvironment
    response: ResponseOf<typeof players.searchPlayers>
  }
  /** Get a player; with sign-in methods, age group, bans and stored data */
  readPlayerDetail: {
    request: RequestOf<typeof players.readPlayerDetail> & InEnvironment
    response: ResponseOf<typeof players.readPlayerDetail>
  }
  /** Permanently delete a player and all its data */
  deletePlayer: {
    request: RequestOf<typeof players.deletePlayer> & InEnvironment
    response: ResponseOf<typeof players.deletePlayer>
  }
  /** Permanently delete a player and all its data, with DELETE; the same as POST */
  deletePlayerByDelete: {
    request: RequestOf<typeof players.deletePlayerByDelete> & InEnvironment
    response: ResponseOf<typeof players.deletePlayerByDelete>
  }
  /** Export all data stored about a player */
  exportPlayer: {
    request: RequestOf<typeof players.exportPlayer> & InEnvironment
    response: ResponseOf<typeof players.exportPlayer>
  }
  /** Export all data stored about a player, with POST; the same as GET */
  exportPlayerByPost: {
    request: RequestOf<typeof players.exportPlayerByPost> & InEnvironment
    response: ResponseOf<typeof players.exportPlayerByPost>
  }
  /** Sign a player out everywhere; ends all sessions and connections. A guest has no sign-in method and cannot come back */
  signOutPlayer: {
    request: RequestOf<typeof players.signOutPlayer> & InEnvironment
    response: ResponseOf<typeof players.signOutPlayer>
  }
  /** Get a player’s stats by period; works even while the feature is off */
  readPlayerStats: {
    request: RequestOf<typeof players.readPlayerStats> & InEnvironment
    response: ResponseOf<typeof players.readPlayerStats>
  }
  /** Read a player’s save; works even while the feature is off */
  readPlayerSave: {
    request: RequestOf<typeof players.readPlayerSave> & InEnvironment
    response: ResponseOf<typeof players.readPlayerSave>
  }
  /** Write a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log */
  writePlayerSave: {
    request: RequestOf<typeof players.writePlayerSave> & InEnvironment
    response: ResponseOf<typeof players.writePlayerSave>
  }
  /** Delete a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log */
  deletePlayerSave: {
    request: RequestOf<typeof players.deletePlayerSave> & InEnvironment
    response: ResponseOf<typeof players.deletePlayerSave>
  }
  /** Simulate a slow, lossy or paused network for a player; only in development. It applies to the current and the next WebSocket connections of the player, for an hour. What you leave out is 0 */
  simulateNetwork: {
    request: RequestOf<typeof playground.simulateNetwork> & InEnvironment
    response: ResponseOf<typeof playground.simulateNetwork>
  }
  /** Create guests in development to try out an app; at most 30 times an hour. They are deleted after 24 hours */
  createPlaygroundPlayers: {
    request: RequestOf<typeof playground.createPlaygroundPlayers>
    response: ResponseOf<typeof playground.createPlaygroundPlayers>
  }
  /** Ban a player for a time; the ban ends by itself */
  banPlayerForTime: {
    request: RequestOf<typeof moderation.banPlayerForTime>
    response: ResponseOf<typeof moderation.banPlayerForTime>
  }
  /** List the appeals of the environment, newest first */
  listAppeals: {
    request: RequestOf<typeof moderation.listAppeals> & InEnvironment
    response: ResponseOf<typeof moderation.listAppeals>
  }
  /** Resolve an appeal; accepting it lifts the ban */
  resolveAppeal: {
    request: RequestOf<typeof moderation.resolveAppeal> & InEnvironment
    response: ResponseOf<typeof moderation.resolveAppeal>
  }
  /** Correct a player’s age group; in either direction */
  correctAge: {
    request: RequestOf<typeof moderation.correctAge> & InEnvironment
    response: ResponseOf<typeof moderation.correctAge>
  }
  /** Ban a player; immediately ends sessions, closes connections, and rejects sign-ins and writes */
  banPlayer: {
    request: RequestOf<typeof moderation.banPlayer> & InEnvironment
    response: ResponseOf<typeof moderation.banPlayer>
  }
  /** Lift a ban */
  unbanPlayer: {
    request: RequestOf<typeof moderation.unbanPlayer> & InEnvironment
    response: ResponseOf<typeof moderation.unbanPlayer>
  }
  /** Confirm a news subscription with the token from the email; it is valid for 30 days */
  confirmNews: {
    request: RequestOf<typeof news.confirmNews>
    response: ResponseOf<typeof news.confirmNews>
  }
  /** Unsubscribe an address from news of all apps; the link never expires */
  unsubscribeFromNews: {
    request: RequestOf<typeof news.unsubscribeFromNews>
    response: ResponseOf<typeof news.unsubscribeFromNews>
  }
  /** List rejected values of all players, newest first */
  listSignals: {
    request: RequestOf<typeof stats.listSignals> & InEnvironment
    response: ResponseOf<typeof stats.listSignals>
  }
  /** List the last 100 webhook deliveries, newest first */
  listWebhookDeliveries: {
    request: RequestOf<typeof stats.listWebhookDeliveries> & InEnvironment
    response: ResponseOf<typeof stats.listWebhookDeliveries>
  }
  /** Get the signing secret of the stats verification webhook */
  readWebhookSecret: {
    request: RequestOf<typeof stats.readWebhookSecret> & InEnvironment
    response: ResponseOf<typeof stats.readWebhookSecret>
  }
  /** Send a test delivery to the configured webhook; no player data is stored */
  testWebhook: {
    request: RequestOf<typeof stats.testWebhook> & InEnvironment
    response: ResponseOf<typeof stats.testWebhook>
  }
  /** Resend an earlier delivery to the webhook; the response does not change any stats */
  replayWebhookDelivery: {
    request: RequestOf<typeof stats.replayWebhookDelivery> & InEnvironment
    response: ResponseOf<typeof stats.replayWebhookDelivery>
  }
  /** Report a player’s values from your server; at most 64 stats at once. The rules of the config apply, but neither the webhook nor the limit per minute */
  submitPlayerStats: {
    request: RequestOf<typeof stats.submitPlayerStats> & InEnvironment
    response: ResponseOf<typeof stats.submitPlayerStats>
  }
  /** List the leaderboards; with the number of entries */
  listLeaderboards: {
    request: RequestOf<typeof leaderboards.listLeaderboards> & InEnvironment
    response: ResponseOf<typeof leaderboards.listLeaderboards>
  }
  /** Read a leaderboard as a developer; with all ids and names, and the players who are not shown */
  readLeaderboardAsAdmin: {
    request: RequestOf<typeof leaderboards.readLeaderboardAsAdmin> & InEnvironment
    response: ResponseOf<typeof leaderboards.readLeaderboardAsAdmin>
  }
  /** List the last 100 closed periods, newest first */
  listLeaderboardPeriodsAsAdmin: {
    request: RequestOf<typeof leaderboards.listLeaderboardPeriodsAsAdmin> & InEnvironment
    response: ResponseOf<typeof leaderboards.listLeaderboardPeriodsAsAdmin>
  }
  /** Reset a leaderboard; deletes the values of its stat for all players. Closed periods stay */
  resetLeaderboard: {
    request: RequestOf<typeof leaderboards.resetLeaderboard> & InEnvironment
    response: ResponseOf<typeof leaderboards.resetLeaderboard>
  }
  /** Hide a player on a leaderboard; or show the player again. Takes effect immediately */
  hideLeaderboardEntry: {
    request: RequestOf<typeof leaderboards.hideLeaderboardEntry> & InEnvironment
    response: ResponseOf<typeof leaderboards.hideLeaderboardEntry>
  }
  /** Remove a player from a leaderboard; also from its closed periods, and deletes the values of the stat */
  removeLeaderboardEntry: {
    request: RequestOf<typeof leaderboards.removeLeaderboardEntry> & InEnvironment
    response: ResponseOf<typeof leaderboards.removeLeaderboardEntry>
  }
  /** Create a tracked link; counts the visits from one post or page. At most 1,000 per environment */
  createTrackedLink: {
    request: RequestOf<typeof sharing.createTrackedLink> & InEnvironment
    response: ResponseOf<typeof sharing.createTrackedLink>
  }
  /** Get share statistics; visits, new players and plays per share link, by UTC day; the last 30 days by default, at most 366 */
  readShareStats: {
    request: RequestOf<typeof sharing.readShareStats> & InEnvironment
    response: ResponseOf<typeof sharing.readShareStats>
  }
  /** Get the card tags as a developer or server */
  readShareTagsAsAdmin: {
    request: RequestOf<typeof sharing.readShareTagsAsAdmin> & InEnvironment
    response: ResponseOf<typeof sharing.readShareTagsAsAdmin>
  }
  /** Get the card of a share link; a PNG of 1200×600 that never changes, no key needed */
  readLinkCard: {
    request: RequestOf<typeof sharing.readLinkCard>
    response: ResponseOf<typeof sharing.readLinkCard>
  }
  /** Get the card of an app; a PNG of 1200×600, no key needed */
  readDefaultCard: {
    request: RequestOf<typeof sharing.readDefaultCard>
    response: ResponseOf<typeof sharing.readDefaultCard>
  }
  /** Preview a card; with a title and colors that are not pushed yet, and the live background and font; at most 60 a minute */
  previewCard: {
    request: RequestOf<typeof sharing.previewCard>
    response: ResponseOf<typeof sharing.previewCard>
  }
  /** Open a room with code; players join it by id or code. It ends if nobody joins within 5 minutes, unless its mode has `keepDays` */
  openRoom: {
    request: RequestOf<typeof codeRooms.openRoom> & InEnvironment
    response: ResponseOf<typeof codeRooms.openRoom>
  }
  /** Close a room with code; its players get `room_closed` with the reason `closed` */
  closeRoom: {
    request: RequestOf<typeof codeRooms.closeRoom> & InEnvironment
    response: ResponseOf<typeof codeRooms.closeRoom>
  }
  /** Send a message to `onServerMessage` of a room with code, and get what it returns; opens a room that is kept */
  messageRoom: {
    request: RequestOf<typeof codeRooms.messageRoom> & InEnvironment
    response: ResponseOf<typeof codeRooms.messageRoom>
  }
  /** Get the state of a room with code; in production only its size, unless you give a reason, which the audit log keeps */
  readRoomState: {
    request: RequestOf<typeof codeRooms.readRoomState> & InEnvironment
    response: ResponseOf<typeof codeRooms.readRoomState>
  }
  /** Get the last 60 s of a room with code, turn by turn; only in development, and up to ten minutes after its end */
  readRoomTurns: {
    request: RequestOf<typeof codeRooms.readRoomTurns> & InEnvironment
    response: ResponseOf<typeof codeRooms.readRoomTurns>
  }
  /** Sign in with email and password */
  logIn: {
    request: RequestOf<typeof developers.logIn>
    response: ResponseOf<typeof developers.logIn>
  }
  /** End this session immediately */
  logOut: {
    request: RequestOf<typeof developers.logOut>
    response: ResponseOf<typeof developers.logOut>
  }
  /** Get your account */
  readMe: {
    request: RequestOf<typeof developers.readMe>
    response: ResponseOf<typeof developers.readMe>
  }
  /** Change your account name; an empty string removes it */
  renameMe: {
    request: RequestOf<typeof developers.renameMe>
    response: ResponseOf<typeof developers.renameMe>
  }
  /** Permanently delete your account; requires the password or a reauthToken. Delete its projects first. Prepaid credit is lost, so the request must set forfeitBalance */
  deleteMe: {
    request: RequestOf<typeof developers.deleteMe>
    response: ResponseOf<typeof developers.deleteMe>
  }
  /** Create a developer account */
  signUp: {
    request: RequestOf<typeof developers.signUp>
    response: ResponseOf<typeof developers.signUp>
  }
  /** Send the confirmation email again, at most once a minute; earlier links stop working */
  resendVerification: {
    request: RequestOf<typeof developers.resendVerification>
    response: ResponseOf<typeof developers.resendVerification>
  }
  /** Confirm an email address with the token from the link; it works once, for 24 hours */
  verifyEmail: {
    request: RequestOf<typeof developers.verifyEmail>
    response: ResponseOf<typeof developers.verifyEmail>
  }
  /** Set or change the password; ends all other sessions */
  changePassword: {
    request: RequestOf<typeof developers.changePassword>
    response: ResponseOf<typeof developers.changePassword>
  }
  /** List your sessions, newest first */
  listOwnSessions: {
    request: RequestOf<typeof developers.listOwnSessions>
    response: ResponseOf<typeof developers.listOwnSessions>
  }
  /** End all your other sessions immediately */
  endOtherSessions: {
    request: RequestOf<typeof developers.endOtherSessions>
    response: ResponseOf<typeof developers.endOtherSessions>
  }
  /** Send an email with a password reset link; the response does not reveal whether the account exists */
  forgotPassword: {
    request: RequestOf<typeof developers.forgotPassword>
    response: ResponseOf<typeof developers.forgotPassword>
  }
  /** Set a new password with the token from the link; it works once, for 30 minutes. Ends all sessions */
  resetPassword: {
    request: RequestOf<typeof developers.resetPassword>
    response: ResponseOf<typeof developers.resetPassword>
  }
  /** End one of your sessions immediately */
  endOwnSession: {
    request: RequestOf<typeof developers.endOwnSession>
    response: ResponseOf<typeof developers.endOwnSession>
  }
  /** Check the link with which you want to create an account */
  findSignUpLink: {
    request: RequestOf<typeof developers.findSignUpLink>
    response: ResponseOf<typeof developers.findSignUpLink>
  }
  /** Start the sign-in of a command line; returns a code that a signed-in developer confirms in the dashboard */
  createDeviceCode: {
    request: RequestOf<typeof deviceCodes.createDeviceCode>
    response: ResponseOf<typeof deviceCodes.createDeviceCode>
  }
  /** Confirm or refuse a code; confirming it signs the command line in to your account */
  decideDeviceCode: {
    request: RequestOf<typeof deviceCodes.decideDeviceCode>
    response: ResponseOf<typeof deviceCodes.decideDeviceCode>
  }
  /** Show who is asking for a session; before you confirm the code */
  findDeviceCode: {
    request: RequestOf<typeof deviceCodes.findDeviceCode>
    response: ResponseOf<typeof deviceCodes.findDeviceCode>
  }
  /** Collect the session once the code is confirmed; works once, within 10 minutes of the start */
  collectDeviceSession: {
    request: RequestOf<typeof deviceCodes.collectDeviceSession>
    response: ResponseOf<typeof deviceCodes.collectDeviceSession>
  }
  /** Create a code that signs a browser in to your account; works once, within a minute, and replaces an earlier one */
  createBrowserCode: {
    request: RequestOf<typeof browserCodes.createBrowserCode>
    response: ResponseOf<typeof browserCodes.createBrowserCode>
  }
  /** Sign in with the code of a command line; works once */
  openBrowserSession: {
    request: RequestOf<typeof browserCodes.openBrowserSession>
    response: ResponseOf<typeof browserCodes.openBrowserSession>
  }
  /** List the external sign-in methods of your account */
  listIdentities: {
    request: RequestOf<typeof signIn.listIdentities>
    response: ResponseOf<typeof signIn.listIdentities>
  }
  /** Complete an external sign-in with the svc_code from the redirect URL; it works once, for 60 seconds */
  exchangeCode: {
    request: RequestOf<typeof signIn.exchangeCode>
    response: ResponseOf<typeof signIn.exchangeCode>
  }
  /** Remove an external sign-in method; requires the password or a reauthToken and ends all other sessions */
  removeIdentity: {
    request: RequestOf<typeof signIn.removeIdentity>
    response: ResponseOf<typeof signIn.removeIdentity>
  }
  /** Start an external sign-in; send the browser to the returned url */
  startSignIn: {
    request: RequestOf<typeof signIn.startSignIn>
    response: ResponseOf<typeof signIn.startSignIn>
  }
  /** List your projects and those shared with you, newest first */
  listProjects: {
    request: RequestOf<typeof projects.listProjects>
    response: ResponseOf<typeof projects.listProjects>
  }
  /** Create a project with a development and a production environment; returns all four keys in plain text, once */
  createProject: {
    request: RequestOf<typeof projects.createProject>
    response: ResponseOf<typeof projects.createProject>
  }
  /** Get a project */
  readProject: {
    request: RequestOf<typeof projects.readProject>
    response: ResponseOf<typeof projects.readProject>
  }
  /** Rename a project; at most 20 times an hour. The slug does not change */
  renameProject: {
    request: RequestOf<typeof projects.renameProject>
    response: ResponseOf<typeof projects.renameProject>
  }
  /** Delete a project and all its data; its keys stop working immediately */
  deleteProject: {
    request: RequestOf<typeof projects.deleteProject>
    response: ResponseOf<typeof projects.deleteProject>
  }
  /** Change a key’s label; an empty string removes it */
  relabelKey: {
    request: RequestOf<typeof projects.relabelKey>
    response: ResponseOf<typeof projects.relabelKey>
  }
  /** Revoke a key; it stops working immediately on all nodes */
  revokeKey: {
    request: RequestOf<typeof projects.revokeKey>
    response: ResponseOf<typeof projects.revokeKey>
  }
  /** Get daily activity; active players, new players and bans per UTC day, oldest first; the last day is still in progress */
  readActivity: {
    request: RequestOf<typeof projects.readActivity>
    response: ResponseOf<typeof projects.readActivity>
  }
  /** List the active keys of an environment; the values of secret keys are not returned */
  listKeys: {
    request: RequestOf<typeof projects.listKeys>
    response: ResponseOf<typeof projects.listKeys>
  }
  /** Create a key; its value is shown only once */
  createKey: {
    request: RequestOf<typeof projects.createKey>
    response: ResponseOf<typeof projects.createKey>
  }
  /** Get an overview of an environment */
  readOverview: {
    request: RequestOf<typeof projects.readOverview>
    response: ResponseOf<typeof projects.readOverview>
  }
  /** Accept an invitation to a project; it must be for the confirmed address of your account */
  acceptInvitation: {
    request: RequestOf<typeof members.acceptInvitation>
    response: ResponseOf<typeof members.acceptInvitation>
  }
  /** Show an invitation to a project; before you accept it */
  findInvitation: {
    request: RequestOf<typeof members.findInvitation>
    response: ResponseOf<typeof members.findInvitation>
  }
  /** Show an invitation to a project; before you sign in or create an account */
  previewInvitation: {
    request: RequestOf<typeof members.previewInvitation>
    response: ResponseOf<typeof members.previewInvitation>
  }
  /** Leave a project that someone else owns */
  leaveProject: {
    request: RequestOf<typeof members.leaveProject>
    response: ResponseOf<typeof members.leaveProject>
  }
  /** List the members of a project; the owner first, with open invitations and an offered transfer */
  listMembers: {
    request: RequestOf<typeof members.listMembers>
    response: ResponseOf<typeof members.listMembers>
  }
  /** Invite someone to a project; by email and link. An earlier invitation of this address stops working. At most 50 members and 20 open invitations */
  inviteMember: {
    request: RequestOf<typeof members.inviteMember>
    response: ResponseOf<typeof members.inviteMember>
  }
  /** Offer ownership to an admin of the project; they have 7 days to accept. Requires your password or a reauthToken. An earlier offer is withdrawn */
  offerTransfer: {
    request: RequestOf<typeof members.offerTransfer>
    response: ResponseOf<typeof members.offerTransfer>
  }
  /** Withdraw or decline an offered transfer; as the owner, or as the person it was offered to */
  withdrawTransfer: {
    request: RequestOf<typeof members.withdrawTransfer>
    response: ResponseOf<typeof members.withdrawTransfer>
  }
  /** Revoke an open invitation to a project */
  revokeMemberInvitation: {
    request: RequestOf<typeof members.revokeMemberInvitation>
    response: ResponseOf<typeof members.revokeMemberInvitation>
  }
  /** Change a member’s role; takes effect immediately. You cannot change the owner’s role or your own */
  changeMemberRole: {
    request: RequestOf<typeof members.changeMemberRole>
    response: ResponseOf<typeof members.changeMemberRole>
  }
  /** Remove a member; their sessions, event streams and agents lose access within a second; keys stay valid */
  removeMember: {
    request: RequestOf<typeof members.removeMember>
    response: ResponseOf<typeof members.removeMember>
  }
  /** Accept an offered transfer and become the owner; the previous owner becomes an admin and keeps the balance, invoices and all usage so far */
  acceptTransfer: {
    request: RequestOf<typeof members.acceptTransfer>
    response: ResponseOf<typeof members.acceptTransfer>
  }
  /** Get the config document; as it was pushed, or version 0 and {} before the first push */
  readConfig: {
    request: RequestOf<typeof config.readConfig> & InEnvironment
    response: ResponseOf<typeof config.readConfig>
  }
  /** Push the config document; it replaces the previous one */
  pushConfig: {
    request: RequestOf<typeof config.pushConfig> & InEnvironment
    response: ResponseOf<typeof config.pushConfig>
  }
  /** List all features with their state and what determines it */
  listFeatures: {
    request: RequestOf<typeof config.listFeatures> & InEnvironment
    response: ResponseOf<typeof config.listFeatures>
  }
  /** List config versions, newest first */
  listConfigVersions: {
    request: RequestOf<typeof config.listConfigVersions> & InEnvironment
    response: ResponseOf<typeof config.listConfigVersions>
  }
  /** Get one config version */
  readConfigVersion: {
    request: RequestOf<typeof config.readConfigVersion> & InEnvironment
    response: ResponseOf<typeof config.readConfigVersion>
  }
  /** Restore an old version as a new version */
  restoreConfigVersion: {
    request: RequestOf<typeof config.restoreConfigVersion> & InEnvironment
    response: ResponseOf<typeof config.restoreConfigVersion>
  }
  /** Test the stored credentials at the provider, with a fake code that the provider must reject; at most 10 times a minute. The redirect URL cannot be tested this way */
  testProviderCredentials: {
    request: RequestOf<typeof providerCredentials.testProviderCredentials>
    response: ResponseOf<typeof providerCredentials.testProviderCredentials>
  }
  /** List the sign-in providers and whether their credentials are stored */
  listProviderCredentials: {
    request: RequestOf<typeof providerCredentials.listProviderCredentials>
    response: ResponseOf<typeof providerCredentials.listProviderCredentials>
  }
  /** Get the stored credentials of a provider; secrets are not returned */
  readProviderCredentials: {
    request: RequestOf<typeof providerCredentials.readProviderCredentials>
    response: ResponseOf<typeof providerCredentials.readProviderCredentials>
  }
  /** Store the credentials of a provider: { clientId, clientSecret } (google, discord, x), { servicesId, bundleId?, teamId, keyId, privateKey } (apple), { useShared: true } or { testProvider: true } */
  writeProviderCredentials: {
    request: RequestOf<typeof providerCredentials.writeProviderCredentials>
    response: ResponseOf<typeof providerCredentials.writeProviderCredentials>
  }
  /** Delete the stored credentials of a provider */
  deleteProviderCredentials: {
    request: RequestOf<typeof providerCredentials.deleteProviderCredentials>
    response: ResponseOf<typeof providerCredentials.deleteProviderCredentials>
  }
  /** List the calls of your agents that wait for your decision, newest first */
  listApprovals: {
    request: RequestOf<typeof agents.listApprovals>
    response: ResponseOf<typeof agents.listApprovals>
  }
  /** Get a call of one of your agents that waits for your decision, or that you have decided */
  readApproval: {
    request: RequestOf<typeof agents.readApproval>
    response: ResponseOf<typeof agents.readApproval>
  }
  /** Approve or refuse a call of one of your agents; an approved one works once, within 10 minutes */
  decideApproval: {
    request: RequestOf<typeof agents.decideApproval>
    response: ResponseOf<typeof agents.decideApproval>
  }
  /** List the agents of an environment that are neither revoked nor expired, newest first */
  listAgents: {
    request: RequestOf<typeof agents.listAgents>
    response: ResponseOf<typeof agents.listAgents>
  }
  /** Create an agent that acts for you in this environment; its token is shown only once. It may read, and use the tools that you name; in production such tools need your password or a reauthToken */
  createAgent: {
    request: RequestOf<typeof agents.createAgent>
    response: ResponseOf<typeof agents.createAgent>
  }
  /** Get an agent with its last 200 calls, newest first */
  readAgent: {
    request: RequestOf<typeof agents.readAgent>
    response: ResponseOf<typeof agents.readAgent>
  }
  /** Revoke an agent; its token stops working on all nodes within a second. Your own agents; as admin or owner, also those of others */
  revokeAgent: {
    request: RequestOf<typeof agents.revokeAgent>
    response: ResponseOf<typeof agents.revokeAgent>
  }
  /** Check the request of a client of agents, and get what the developer sees before deciding */
  findAuthorization: {
    request: RequestOf<typeof agentAuthorizations.findAuthorization>
    response: ResponseOf<typeof agentAuthorizations.findAuthorization>
  }
  /** Let a client act for you in this environment: creates an agent for it, and returns the URL with the code that the client exchanges for a token. In production tools beyond reading need your password or a reauthToken */
  grantAuthorization: {
    request: RequestOf<typeof agentAuthorizations.grantAuthorization>
    response: ResponseOf<typeof agentAuthorizations.grantAuthorization>
  }
  /** List deployments, newest first */
  listDeployments: {
    request: RequestOf<typeof hosting.listDeployments> & InEnvironment
    response: ResponseOf<typeof hosting.listDeployments>
  }
  /** Create a deployment; send its file list and get the hashes of the files to upload */
  createDeployment: {
    request: RequestOf<typeof hosting.createDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.createDeployment>
  }
  /** Get the live version and its URL */
  readHosting: {
    request: RequestOf<typeof hosting.readHosting> & InEnvironment
    response: ResponseOf<typeof hosting.readHosting>
  }
  /** Upload the bytes of a file, at most 50 MB */
  uploadBlob: {
    request: RequestOf<typeof hosting.uploadBlob> & InEnvironment
    response: ResponseOf<typeof hosting.uploadBlob>
  }
  /** Get a deployment with its files */
  readDeployment: {
    request: RequestOf<typeof hosting.readDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.readDeployment>
  }
  /** List which version went live when; newest first, the last 200 */
  listActivations: {
    request: RequestOf<typeof hosting.listActivations> & InEnvironment
    response: ResponseOf<typeof hosting.listActivations>
  }
  /** Activate a finalized version, including an older one */
  activateDeployment: {
    request: RequestOf<typeof hosting.activateDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.activateDeployment>
  }
  /** Finalize a deployment when all files are uploaded, and optionally activate it */
  finalizeDeployment: {
    request: RequestOf<typeof hosting.finalizeDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.finalizeDeployment>
  }
  /** Get the state of the functions; version, URL, crons, resources and the names of secrets */
  readFunctions: {
    request: RequestOf<typeof functions.readFunctions> & InEnvironment
    response: ResponseOf<typeof functions.readFunctions>
  }
  /** Remove the code; with `purge`, also databases, KV, files, queues and durable objects */
  removeFunctions: {
    request: RequestOf<typeof functions.removeFunctions> & InEnvironment
    response: ResponseOf<typeof functions.removeFunctions>
  }
  /** List deployed versions of the functions, newest first */
  listFunctionDeployments: {
    request: RequestOf<typeof functions.listFunctionDeployments> & InEnvironment
    response: ResponseOf<typeof functions.listFunctionDeployments>
  }
  /** Deploy code; or an older version again. The previous version serves until the new one is ready */
  deployFunctions: {
    request: RequestOf<typeof functions.deployFunctions> & InEnvironment
    response: ResponseOf<typeof functions.deployFunctions>
  }
  /** Disable functions; code and data are kept */
  disableFunctions: {
    request: RequestOf<typeof functions.disableFunctions> & InEnvironment
    response: ResponseOf<typeof functions.disableFunctions>
  }
  /** Enable functions; if they are enabled already, only sets the limits */
  enableFunctions: {
    request: RequestOf<typeof functions.enableFunctions> & InEnvironment
    response: ResponseOf<typeof functions.enableFunctions>
  }
  /** Set the limits of the functions; CPU time per request and outgoing requests per invocation */
  limitFunctions: {
    request: RequestOf<typeof functions.limitFunctions> & InEnvironment
    response: ResponseOf<typeof functions.limitFunctions>
  }
  /** Read the newest log lines; oldest first. With `after`, the lines that follow it */
  readFunctionLogs: {
    request: RequestOf<typeof functions.readFunctionLogs> & InEnvironment
    response: ResponseOf<typeof functions.readFunctionLogs>
  }
  /** List the names of the secrets; values are never returned */
  listFunctionSecrets: {
    request: RequestOf<typeof functions.listFunctionSecrets> & InEnvironment
    response: ResponseOf<typeof functions.listFunctionSecrets>
  }
  /** Get function metrics; requests, errors and CPU time per minute, oldest first; the last minute is still in progress, and numbers arrive up to a minute late */
  readFunctionSeries: {
    request: RequestOf<typeof functions.readFunctionSeries> & InEnvironment
    response: ResponseOf<typeof functions.readFunctionSeries>
  }
  /** Run a cron of a development environment now */
  runFunctionCron: {
    request: RequestOf<typeof functions.runFunctionCron> & InEnvironment
    response: ResponseOf<typeof functions.runFunctionCron>
  }
  /** Check whether a secret is set; its value is never returned */
  readFunctionSecret: {
    request: RequestOf<typeof functions.readFunctionSecret> & InEnvironment
    response: ResponseOf<typeof functions.readFunctionSecret>
  }
  /** Set a secret; running code gets it with its next request */
  writeFunctionSecret: {
    request: RequestOf<typeof functions.writeFunctionSecret> & InEnvironment
    response: ResponseOf<typeof functions.writeFunctionSecret>
  }
  /** Delete a secret */
  deleteFunctionSecret: {
    request: RequestOf<typeof functions.deleteFunctionSecret> & InEnvironment
    response: ResponseOf<typeof functions.deleteFunctionSecret>
  }
  /** Apply pending migrations; in order, stops at the first failure */
  migrateFunctionDatabase: {
    request: RequestOf<typeof functions.migrateFunctionDatabase> & InEnvironment
    response: ResponseOf<typeof functions.migrateFunctionDatabase>
  }
  /** Run SQL in a functions database; several statements run in one transaction */
  queryFunctionDatabase: {
    request: RequestOf<typeof functions.queryFunctionDatabase> & InEnvironment
    response: ResponseOf<typeof functions.queryFunctionDatabase>
  }
  /** Get the source map of a deployed version; as it was sent */
  readFunctionSourceMap: {
    request: RequestOf<typeof functions.readFunctionSourceMap> & InEnvironment
    response: ResponseOf<typeof functions.readFunctionSourceMap>
  }
  /** Get the live view; current connections, rooms, queues and channels; supports ETag */
  readLiveView: {
    request: RequestOf<typeof liveView.readLiveView> & InEnvironment
    response: ResponseOf<typeof liveView.readLiveView>
  }
  /** Follow the changes of an environment as server-sent events; each `data` is a hint. A comment every 15 seconds shows that the stream is alive; at most 4 per session */
  followEvents: {
    request: RequestOf<typeof events.followEvents>
    response: ResponseOf<typeof events.followEvents>
  }
  /** Get your prepaid balance */
  readPrepaid: {
    request: RequestOf<typeof money.readPrepaid>
    response: ResponseOf<typeof money.readPrepaid>
  }
  /** Get a month’s usage; its cost by component and the amount charged */
  readUsage: {
    request: RequestOf<typeof money.readUsage>
    response: ResponseOf<typeof money.readUsage>
  }
  /** Redeem an invite code; the credit pays for usage and cannot be refunded */
  redeemInviteCode: {
    request: RequestOf<typeof money.redeemInviteCode>
    response: ResponseOf<typeof money.redeemInviteCode>
  }
  /** Start a payment on a hosted page; the balance increases when the payment provider confirms it */
  createCheckout: {
    request: RequestOf<typeof money.createCheckout>
    response: ResponseOf<typeof money.createCheckout>
  }
  /** List your transactions; newest first. The sum of all amounts is the balance */
  listLedger: {
    request: RequestOf<typeof money.listLedger>
    response: ResponseOf<typeof money.listLedger>
  }
  /** Receive a Stripe event; signed with STRIPE_WEBHOOK_SECRET */
  receiveStripeEvent: {
    request: RequestOf<typeof money.receiveStripeEvent>
    response: ResponseOf<typeof money.receiveStripeEvent>
  }
  /** Get the state of a payment */
  readCheckout: {
    request: RequestOf<typeof money.readCheckout>
    response: ResponseOf<typeof money.readCheckout>
  }
  /** List the operator log; invitations, operators and backups, newest first */
  listOperatorAudit: {
    request: RequestOf<typeof operator.listOperatorAudit>
    response: ResponseOf<typeof operator.listOperatorAudit>
  }
  /** List the backups of the service; newest first. Without SVC_BACKUP_URL, those on this node */
  listBackups: {
    request: RequestOf<typeof operator.listBackups>
    response: ResponseOf<typeof operator.listBackups>
  }
  /** Start a backup; it is verified after it is written. Old ones are removed (SVC_BACKUP_KEEP) */
  createBackup: {
    request: RequestOf<typeof operator.createBackup>
    response: ResponseOf<typeof operator.createBackup>
  }
  /** List developer accounts, oldest first; the first page also has the open invitations */
  listDevelopers: {
    request: RequestOf<typeof operator.listDevelopers>
    response: ResponseOf<typeof operator.listDevelopers>
  }
  /** Create a one-time link for a new developer account; an earlier one for this address stops working */
  inviteDeveloper: {
    request: RequestOf<typeof operator.inviteDeveloper>
    response: ResponseOf<typeof operator.inviteDeveloper>
  }
  /** Get the system state; all nodes and engines, queues and storage */
  readSystem: {
    request: RequestOf<typeof operator.readSystem>
    response: ResponseOf<typeof operator.readSystem>
  }
  /** Check an engine now; it performs a write, or for mail signs in to the mail server */
  checkEngine: {
    request: RequestOf<typeof operator.checkEngine>
    response: ResponseOf<typeof operator.checkEngine>
  }
  /** Revoke the invitation of an address */
  revokeInvitation: {
    request: RequestOf<typeof operator.revokeInvitation>
    response: ResponseOf<typeof operator.revokeInvitation>
  }
  /** Get system metrics; of all nodes per minute, oldest first, as far as they are in memory */
  readSystemSeries: {
    request: RequestOf<typeof operator.readSystemSeries>
    response: ResponseOf<typeof operator.readSystemSeries>
  }
  /** List audit log entries, newest first, without the values that keys reported; a page of a filtered list can be short or empty and still have a `nextBefore` */
  listAudit: {
    request: RequestOf<typeof audit.listAudit>
    response: ResponseOf<typeof audit.listAudit>
  }
  /** List the latest requests; made with a key of this environment, newest first. Each node keeps its last 10000 in memory */
  listRequests: {
    request: RequestOf<typeof requests.listRequests>
    response: ResponseOf<typeof requests.listRequests>
  }
  /** Get one of the latest requests by its X-Request-Id */
  readRequest: {
    request: RequestOf<typeof requests.readRequest>
    response: ResponseOf<typeof requests.readRequest>
  }
  /** Get request metrics; per minute, oldest first, as far as they are kept */
  readRequestSeries: {
    request: RequestOf<typeof requests.readRequestSeries>
    response: ResponseOf<typeof requests.readRequestSeries>
  }
  /** List an environment’s emails; newest first. Sent ones are kept for 7 days, others for 30. Without a mail server, development also shows the emails to you */
  listMails: {
    request: RequestOf<typeof mail.listMails>
    response: ResponseOf<typeof mail.listMails>
  }
  /** Delete an environment’s emails; except those that are waiting to be sent */
  deleteMails: {
    request: RequestOf<typeof mail.deleteMails>
    response: ResponseOf<typeof mail.deleteMails>
  }
  /** Check that the process is running */
  readHealth: {
    request: RequestOf<typeof platform.readHealth>
    response: ResponseOf<typeof platform.readHealth>
  }
  /** Check readiness; every engine performs a write, at most once a second; 503 if one fails or the process is stopping */
  readReadiness: {
    request: RequestOf<typeof platform.readReadiness>
    response: ResponseOf<typeof platform.readReadiness>
  }
  /** Check whether this service answers on a host name; the API’s or an app’s. A proxy asks before it requests a certificate */
  readDomain: {
    request: RequestOf<typeof platform.readDomain>
    response: ResponseOf<typeof platform.readDomain>
  }
  /** Get information about this service */
  readPlatformInfo: {
    request: RequestOf<typeof platform.readPlatformInfo>
    response: ResponseOf<typeof platform.readPlatformInfo>
  }
}

/** Name → method and path, of what a secret key may call. */
export const SECRET_KEY_CALLS = {
  searchPlayers: 'GET /v1/admin/players',
  readPlayerDetail: 'GET /v1/admin/players/:playerId',
  deletePlayer: 'POST /v1/admin/players/:playerId/delete',
  deletePlayerByDelete: 'DELETE /v1/admin/players/:playerId/delete',
  exportPlayer: 'GET /v1/admin/players/:playerId/export',
  exportPlayerByPost: 'POST /v1/admin/players/:playerId/export',
  signOutPlayer: 'POST /v1/admin/players/:playerId/sign-out',
  readPlayerStats: 'GET /v1/admin/players/:playerId/stats',
  readPlayerSave: 'GET /v1/admin/players/:playerId/saves/:key',
  writePlayerSave: 'PUT /v1/admin/players/:playerId/saves/:key',
  deletePlayerSave: 'DELETE /v1/admin/players/:playerId/saves/:key',
  simulateNetwork: 'PUT /v1/admin/x/playground/network',
  verifyToken: 'POST /v1/admin/players/verify-token',
  listAppeals: 'GET /v1/admin/appeals',
  resolveAppeal: 'POST /v1/admin/appeals/:appealId/resolve',
  correctAge: 'PUT /v1/admin/players/:playerId/age',
  banPlayer: 'POST /v1/admin/players/:playerId/ban',
  unbanPlayer: 'POST /v1/admin/players/:playerId/unban',
  listSignals: 'GET /v1/admin/integrity/signals',
  listWebhookDeliveries: 'GET /v1/admin/integrity/webhook-deliveries',
  readWebhookSecret: 'GET /v1/admin/integrity/webhook-secret',
  testWebhook: 'POST /v1/admin/integrity/webhook-test',
  replayWebhookDelivery: 'POST /v1/admin/integrity/webhook-deliveries/:id/replay',
  submitPlayerStats: 'POST /v1/admin/x/players/:playerId/stats',
  listLeaderboards: 'GET /v1/admin/x/leaderboards',
  readLeaderboardAsAdmin: 'GET /v1/admin/x/leaderboards/:key',
  listLeaderboardPeriodsAsAdmin: 'GET /v1/admin/x/leaderboards/:key/periods',
  resetLeaderboard: 'POST /v1/admin/x/leaderboards/:key/reset',
  hideLeaderboardEntry: 'PUT /v1/admin/x/leaderboards/:key/entries/:playerId',
  removeLeaderboardEntry: 'DELETE /v1/admin/x/leaderboards/:key/entries/:playerId',
  createTrackedLink: 'POST /v1/admin/share/links',
  readShareStats: 'GET /v1/admin/share/stats',
  readShareTagsAsAdmin: 'GET /v1/admin/share/tags',
  openRoom: 'POST /v1/admin/x/rooms',
  closeRoom: 'DELETE /v1/admin/x/rooms/:roomId',
  messageRoom: 'POST /v1/admin/x/rooms/:roomId/messages',
  readRoomState: 'GET /v1/admin/x/rooms/:roomId/state',
  readRoomTurns: 'GET /v1/admin/x/rooms/:roomId/turns',
  readChannel: 'GET /v1/realtime/channels/:name',
  writeChannel: 'PUT /v1/realtime/channels/:name',
  deleteChannel: 'DELETE /v1/realtime/channels/:name',
  sendToChannel: 'POST /v1/realtime/channels/:name/messages',
  moderateChannel: 'POST /v1/realtime/channels/:name/moderate',
  readConfig: 'GET /v1/config',
  pushConfig: 'PUT /v1/config',
  listFeatures: 'GET /v1/admin/features',
  listConfigVersions: 'GET /v1/config/versions',
  readConfigVersion: 'GET /v1/config/versions/:version',
  restoreConfigVersion: 'POST /v1/config/versions/:version/restore',
  listDeployments: 'GET /v1/deployments',
  createDeployment: 'POST /v1/deployments',
  readHosting: 'GET /v1/hosting',
  uploadBlob: 'PUT /v1/blobs/:sha256',
  readDeployment: 'GET /v1/deployments/:ref',
  listActivations: 'GET /v1/hosting/activations',
  activateDeployment: 'POST /v1/deployments/:ref/activate',
  finalizeDeployment: 'POST /v1/deployments/:ref/finalize',
  readFunctions: 'GET /v1/admin/functions',
  removeFunctions: 'DELETE /v1/admin/functions',
  listFunctionDeployments: 'GET /v1/admin/functions/deployments',
  deployFunctions: 'POST /v1/admin/functions/deployments',
  disableFunctions: 'POST /v1/admin/functions/disable',
  enableFunctions: 'POST /v1/admin/functions/enable',
  limitFunctions: 'PUT /v1/admin/functions/limits',
  readFunctionLogs: 'GET /v1/admin/functions/logs',
  listFunctionSecrets: 'GET /v1/admin/functions/secrets',
  readFunctionSeries: 'GET /v1/admin/functions/series',
  runFunctionCron: 'POST /v1/admin/functions/crons/run',
  readFunctionSecret: 'GET /v1/admin/functions/secrets/:name',
  writeFunctionSecret: 'PUT /v1/admin/functions/secrets/:name',
  deleteFunctionSecret: 'DELETE /v1/admin/functions/secrets/:name',
  migrateFunctionDatabase: 'POST /v1/admin/functions/db/:binding/migrate',
  queryFunctionDatabase: 'POST /v1/admin/functions/db/:binding/query',
  readFunctionSourceMap: 'GET /v1/admin/functions/deployments/:version/source-map',
  readLiveView: 'GET /v1/admin/realtime',
  readOutbox: 'GET /v1/dev/outbox',
  moveClock: 'POST /v1/dev/clock',
} as const

/** What a secret key may call: request and response by name. */
export type SecretKeyCalls = {
  /** List players of the environment, newest first; with `q`, the player with that id or email, or all whose name starts with `q`, sorted by name. A page of a filtered list can be short or empty and still have a `nextCursor`. With `sort` lastSeen or name, a player who is seen or renamed between two pages moves; newest returns everyone once */
  searchPlayers: {
    request: RequestOf<typeof players.searchPlayers>
    response: ResponseOf<typeof players.searchPlayers>
  }
  /** Get a player; with sign-in methods, age group, bans and stored data */
  readPlayerDetail: {
    request: RequestOf<typeof players.readPlayerDetail>
    response: ResponseOf<typeof players.readPlayerDetail>
  }
  /** Permanently delete a player and all its data */
  deletePlayer: {
    request: RequestOf<typeof players.deletePlayer>
    response: ResponseOf<typeof players.deletePlayer>
  }
  /** Permanently delete a player and all its data, with DELETE; the same as POST */
  deletePlayerByDelete: {
    request: RequestOf<typeof players.deletePlayerByDelete>
    response: ResponseOf<typeof players.deletePlayerByDelete>
  }
  /** Export all data stored about a player */
  exportPlayer: {
    request: RequestOf<typeof players.exportPlayer>
    response: ResponseOf<typeof players.exportPlayer>
  }
  /** Export all data stored about a player, with POST; the same as GET */
  exportPlayerByPost: {
    request: RequestOf<typeof players.exportPlayerByPost>
    response: ResponseOf<typeof players.exportPlayerByPost>
  }
  /** Sign a player out everywhere; ends all sessions and connections. A guest has no sign-in method and cannot come back */
  signOutPlayer: {
    request: RequestOf<typeof players.signOutPlayer>
    response: ResponseOf<typeof players.signOutPlayer>
  }
  /** Get a player’s stats by period; works even while the feature is off */
  readPlayerStats: {
    request: RequestOf<typeof players.readPlayerStats>
    response: ResponseOf<typeof players.readPlayerStats>
  }
  /** Read a player’s save; works even while the feature is off */
  readPlayerSave: {
    request: RequestOf<typeof players.readPlayerSave>
    response: ResponseOf<typeof players.readPlayerSave>
  }
  /** Write a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log */
  writePlayerSave: {
    request: RequestOf<typeof players.writePlayerSave>
    response: ResponseOf<typeof players.writePlayerSave>
  }
  /** Delete a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log */
  deletePlayerSave: {
    request: RequestOf<typeof players.deletePlayerSave>
    response: ResponseOf<typeof players.deletePlayerSave>
  }
  /** Simulate a slow, lossy or paused network for a player; only in development. It applies to the current and the next WebSocket connections of the player, for an hour. What you leave out is 0 */
  simulateNetwork: {
    request: RequestOf<typeof playground.simulateNetwork>
    response: ResponseOf<typeof playground.simulateNetwork>
  }
  /** Verify a player’s access token; tokens of banned players are still valid, so check `banned` */
  verifyToken: {
    request: RequestOf<typeof sessions.verifyToken>
    response: ResponseOf<typeof sessions.verifyToken>
  }
  /** List the appeals of the environment, newest first */
  listAppeals: {
    request: RequestOf<typeof moderation.listAppeals>
    response: ResponseOf<typeof moderation.listAppeals>
  }
  /** Resolve an appeal; accepting it lifts the ban */
  resolveAppeal: {
    request: RequestOf<typeof moderation.resolveAppeal>
    response: ResponseOf<typeof moderation.resolveAppeal>
  }
  /** Correct a player’s age group; in either direction */
  correctAge: {
    request: RequestOf<typeof moderation.correctAge>
    response: ResponseOf<typeof moderation.correctAge>
  }
  /** Ban a player; immediately ends sessions, closes connections, and rejects sign-ins and writes */
  banPlayer: {
    request: RequestOf<typeof moderation.banPlayer>
    response: ResponseOf<typeof moderation.banPlayer>
  }
  /** Lift a ban */
  unbanPlayer: {
    request: RequestOf<typeof moderation.unbanPlayer>
    response: ResponseOf<typeof moderation.unbanPlayer>
  }
  /** List rejected values of all players, newest first */
  listSignals: {
    request: RequestOf<typeof stats.listSignals>
    response: ResponseOf<typeof stats.listSignals>
  }
  /** List the last 100 webhook deliveries, newest first */
  listWebhookDeliveries: {
    request: RequestOf<typeof stats.listWebhookDeliveries>
    response: ResponseOf<typeof stats.listWebhookDeliveries>
  }
  /** Get the signing secret of the stats verification webhook */
  readWebhookSecret: {
    request: RequestOf<typeof stats.readWebhookSecret>
    response: ResponseOf<typeof stats.readWebhookSecret>
  }
  /** Send a test delivery to the configured webhook; no player data is stored */
  testWebhook: {
    request: RequestOf<typeof stats.testWebhook>
    response: ResponseOf<typeof stats.testWebhook>
  }
  /** Resend an earlier delivery to the webhook; the response does not change any stats */
  replayWebhookDelivery: {
    request: RequestOf<typeof stats.replayWebhookDelivery>
    response: ResponseOf<typeof stats.replayWebhookDelivery>
  }
  /** Report a player’s values from your server; at most 64 stats at once. The rules of the config apply, but neither the webhook nor the limit per minute */
  submitPlayerStats: {
    request: RequestOf<typeof stats.submitPlayerStats>
    response: ResponseOf<typeof stats.submitPlayerStats>
  }
  /** List the leaderboards; with the number of entries */
  listLeaderboards: {
    request: RequestOf<typeof leaderboards.listLeaderboards>
    response: ResponseOf<typeof leaderboards.listLeaderboards>
  }
  /** Read a leaderboard as a developer; with all ids and names, and the players who are not shown */
  readLeaderboardAsAdmin: {
    request: RequestOf<typeof leaderboards.readLeaderboardAsAdmin>
    response: ResponseOf<typeof leaderboards.readLeaderboardAsAdmin>
  }
  /** List the last 100 closed periods, newest first */
  listLeaderboardPeriodsAsAdmin: {
    request: RequestOf<typeof leaderboards.listLeaderboardPeriodsAsAdmin>
    response: ResponseOf<typeof leaderboards.listLeaderboardPeriodsAsAdmin>
  }
  /** Reset a leaderboard; deletes the values of its stat for all players. Closed periods stay */
  resetLeaderboard: {
    request: RequestOf<typeof leaderboards.resetLeaderboard>
    response: ResponseOf<typeof leaderboards.resetLeaderboard>
  }
  /** Hide a player on a leaderboard; or show the player again. Takes effect immediately */
  hideLeaderboardEntry: {
    request: RequestOf<typeof leaderboards.hideLeaderboardEntry>
    response: ResponseOf<typeof leaderboards.hideLeaderboardEntry>
  }
  /** Remove a player from a leaderboard; also from its closed periods, and deletes the values of the stat */
  removeLeaderboardEntry: {
    request: RequestOf<typeof leaderboards.removeLeaderboardEntry>
    response: ResponseOf<typeof leaderboards.removeLeaderboardEntry>
  }
  /** Create a tracked link; counts the visits from one post or page. At most 1,000 per environment */
  createTrackedLink: {
    request: RequestOf<typeof sharing.createTrackedLink>
    response: ResponseOf<typeof sharing.createTrackedLink>
  }
  /** Get share statistics; visits, new players and plays per share link, by UTC day; the last 30 days by default, at most 366 */
  readShareStats: {
    request: RequestOf<typeof sharing.readShareStats>
    response: ResponseOf<typeof sharing.readShareStats>
  }
  /** Get the card tags as a developer or server */
  readShareTagsAsAdmin: {
    request: RequestOf<typeof sharing.readShareTagsAsAdmin>
    response: ResponseOf<typeof sharing.readShareTagsAsAdmin>
  }
  /** Open a room with code; players join it by id or code. It ends if nobody joins within 5 minutes, unless its mode has `keepDays` */
  openRoom: {
    request: RequestOf<typeof codeRooms.openRoom>
    response: ResponseOf<typeof codeRooms.openRoom>
  }
  /** Close a room with code; its players get `room_closed` with the reason `closed` */
  closeRoom: {
    request: RequestOf<typeof codeRooms.closeRoom>
    response: ResponseOf<typeof codeRooms.closeRoom>
  }
  /** Send a message to `onServerMessage` of a room with code, and get what it returns; opens a room that is kept */
  messageRoom: {
    request: RequestOf<typeof codeRooms.messageRoom>
    response: ResponseOf<typeof codeRooms.messageRoom>
  }
  /** Get the state of a room with code; in production only its size, unless you give a reason, which the audit log keeps */
  readRoomState: {
    request: RequestOf<typeof codeRooms.readRoomState>
    response: ResponseOf<typeof codeRooms.readRoomState>
  }
  /** Get the last 60 s of a room with code, turn by turn; only in development, and up to ten minutes after its end */
  readRoomTurns: {
    request: RequestOf<typeof codeRooms.readRoomTurns>
    response: ResponseOf<typeof codeRooms.readRoomTurns>
  }
  /** Get a channel; with its settings, lists and members */
  readChannel: {
    request: RequestOf<typeof channels.readChannel>
    response: ResponseOf<typeof channels.readChannel>
  }
  /** Create or update a persistent channel; omitted fields keep their values */
  writeChannel: {
    request: RequestOf<typeof channels.writeChannel>
    response: ResponseOf<typeof channels.writeChannel>
  }
  /** Delete a channel and notify its members */
  deleteChannel: {
    request: RequestOf<typeof channels.deleteChannel>
    response: ResponseOf<typeof channels.deleteChannel>
  }
  /** Send a message as the server, regardless of the send rule; at most 600 per minute per key */
  sendToChannel: {
    request: RequestOf<typeof channels.sendToChannel>
    response: ResponseOf<typeof channels.sendToChannel>
  }
  /** Moderate a player; invite, mute, remove and more */
  moderateChannel: {
    request: RequestOf<typeof channels.moderateChannel>
    response: ResponseOf<typeof channels.moderateChannel>
  }
  /** Get the config document; as it was pushed, or version 0 and {} before the first push */
  readConfig: {
    request: RequestOf<typeof config.readConfig>
    response: ResponseOf<typeof config.readConfig>
  }
  /** Push the config document; it replaces the previous one */
  pushConfig: {
    request: RequestOf<typeof config.pushConfig>
    response: ResponseOf<typeof config.pushConfig>
  }
  /** List all features with their state and what determines it */
  listFeatures: {
    request: RequestOf<typeof config.listFeatures>
    response: ResponseOf<typeof config.listFeatures>
  }
  /** List config versions, newest first */
  listConfigVersions: {
    request: RequestOf<typeof config.listConfigVersions>
    response: ResponseOf<typeof config.listConfigVersions>
  }
  /** Get one config version */
  readConfigVersion: {
    request: RequestOf<typeof config.readConfigVersion>
    response: ResponseOf<typeof config.readConfigVersion>
  }
  /** Restore an old version as a new version */
  restoreConfigVersion: {
    request: RequestOf<typeof config.restoreConfigVersion>
    response: ResponseOf<typeof config.restoreConfigVersion>
  }
  /** List deployments, newest first */
  listDeployments: {
    request: RequestOf<typeof hosting.listDeployments>
    response: ResponseOf<typeof hosting.listDeployments>
  }
  /** Create a deployment; send its file list and get the hashes of the files to upload */
  createDeployment: {
    request: RequestOf<typeof hosting.createDeployment>
    response: ResponseOf<typeof hosting.createDeployment>
  }
  /** Get the live version and its URL */
  readHosting: {
    request: RequestOf<typeof hosting.readHosting>
    response: ResponseOf<typeof hosting.readHosting>
  }
  /** Upload the bytes of a file, at most 50 MB */
  uploadBlob: {
    request: RequestOf<typeof hosting.uploadBlob>
    response: ResponseOf<typeof hosting.uploadBlob>
  }
  /** Get a deployment with its files */
  readDeployment: {
    request: RequestOf<typeof hosting.readDeployment>
    response: ResponseOf<typeof hosting.readDeployment>
  }
  /** List which version went live when; newest first, the last 200 */
  listActivations: {
    request: RequestOf<typeof hosting.listActivations>
    response: ResponseOf<typeof hosting.listActivations>
  }
  /** Activate a finalized version, including an older one */
  activateDeployment: {
    request: RequestOf<typeof hosting.activateDeployment>
    response: ResponseOf<typeof hosting.activateDeployment>
  }
  /** Finalize a deployment when all files are uploaded, and optionally activate it */
  finalizeDeployment: {
    request: RequestOf<typeof hosting.finalizeDeployment>
    response: ResponseOf<typeof hosting.finalizeDeployment>
  }
  /** Get the state of the functions; version, URL, crons, resources and the names of secrets */
  readFunctions: {
    request: RequestOf<typeof functions.readFunctions>
    response: ResponseOf<typeof functions.readFunctions>
  }
  /** Remove the code; with `purge`, also databases, KV, files, queues and durable objects */
  removeFunctions: {
    request: RequestOf<typeof functions.removeFunctions>
    response: ResponseOf<typeof functions.removeFunctions>
  }
  /** List deployed versions of the functions, newest first */
  listFunctionDeployments: {
    request: RequestOf<typeof functions.listFunctionDeployments>
    response: ResponseOf<typeof functions.listFunctionDeployments>
  }
  /** Deploy code; or an older version again. The previous version serves until the new one is ready */
  deployFunctions: {
    request: RequestOf<typeof functions.deployFunctions>
    response: ResponseOf<typeof functions.deployFunctions>
  }
  /** Disable functions; code and data are kept */
  disableFunctions: {
    request: RequestOf<typeof functions.disableFunctions>
    response: ResponseOf<typeof functions.disableFunctions>
  }
  /** Enable functions; if they are enabled already, only sets the limits */
  enableFunctions: {
    request: RequestOf<typeof functions.enableFunctions>
    response: ResponseOf<typeof functions.enableFunctions>
  }
  /** Set the limits of the functions; CPU time per request and outgoing requests per invocation */
  limitFunctions: {
    request: RequestOf<typeof functions.limitFunctions>
    response: ResponseOf<typeof functions.limitFunctions>
  }
  /** Read the newest log lines; oldest first. With `after`, the lines that follow it */
  readFunctionLogs: {
    request: RequestOf<typeof functions.readFunctionLogs>
    response: ResponseOf<typeof functions.readFunctionLogs>
  }
  /** List the names of the secrets; values are never returned */
  listFunctionSecrets: {
    request: RequestOf<typeof functions.listFunctionSecrets>
    response: ResponseOf<typeof functions.listFunctionSecrets>
  }
  /** Get function metrics; requests, errors and CPU time per minute, oldest first; the last minute is still in progress, and numbers arrive up to a minute late */
  readFunctionSeries: {
    request: RequestOf<typeof functions.readFunctionSeries>
    response: ResponseOf<typeof functions.readFunctionSeries>
  }
  /** Run a cron of a development environment now */
  runFunctionCron: {
    request: RequestOf<typeof functions.runFunctionCron>
    response: ResponseOf<typeof functions.runFunctionCron>
  }
  /** Check whether a secret is set; its value is never returned */
  readFunctionSecret: {
    request: RequestOf<typeof functions.readFunctionSecret>
    response: ResponseOf<typeof functions.readFunctionSecret>
  }
  /** Set a secret; running code gets it with its next request */
  writeFunctionSecret: {
    request: RequestOf<typeof functions.writeFunctionSecret>
    response: ResponseOf<typeof functions.writeFunctionSecret>
  }
  /** Delete a secret */
  deleteFunctionSecret: {
    request: RequestOf<typeof functions.deleteFunctionSecret>
    response: ResponseOf<typeof functions.deleteFunctionSecret>
  }
  /** Apply pending migrations; in order, stops at the first failure */
  migrateFunctionDatabase: {
    request: RequestOf<typeof functions.migrateFunctionDatabase>
    response: ResponseOf<typeof functions.migrateFunctionDatabase>
  }
  /** Run SQL in a functions database; several statements run in one transaction */
  queryFunctionDatabase: {
    request: RequestOf<typeof functions.queryFunctionDatabase>
    response: ResponseOf<typeof functions.queryFunctionDatabase>
  }
  /** Get the source map of a deployed version; as it was sent */
  readFunctionSourceMap: {
    request: RequestOf<typeof functions.readFunctionSourceMap>
    response: ResponseOf<typeof functions.readFunctionSourceMap>
  }
  /** Get the live view; current connections, rooms, queues and channels; supports ETag */
  readLiveView: {
    request: RequestOf<typeof liveView.readLiveView>
    response: ResponseOf<typeof liveView.readLiveView>
  }
  /** List emails of a development environment, newest first; empty in production */
  readOutbox: {
    request: RequestOf<typeof mail.readOutbox>
    response: ResponseOf<typeof mail.readOutbox>
  }
  /** Advance the clock of a test service; requires SVC_TEST_CLOCK=on and a development key */
  moveClock: {
    request: RequestOf<typeof platform.moveClock>
    response: ResponseOf<typeof platform.moveClock>
  }
}
