/* Written by `npm run generate`; do not edit. */
import type * as audit from '@svc/contract/audit'
import type * as channels from '@svc/contract/channels'
import type * as config from '@svc/contract/config'
import type * as developerSignIn from '@svc/contract/developer-sign-in'
import type * as developers from '@svc/contract/developers'
import type * as hosting from '@svc/contract/hosting'
import type * as liveView from '@svc/contract/live-view'
import type * as mail from '@svc/contract/mail'
import type * as moderation from '@svc/contract/moderation'
import type * as news from '@svc/contract/news'
import type * as platform from '@svc/contract/platform'
import type * as players from '@svc/contract/players'
import type * as projects from '@svc/contract/projects'
import type * as providerCredentials from '@svc/contract/provider-credentials'
import type * as sessions from '@svc/contract/sessions'
import type * as stats from '@svc/contract/stats'
import type { RequestOf, ResponseOf } from '@svc/contract/endpoint'

import type { InEnvironment } from './environment.ts'

/** Name → method and path, of what a developer session may call. */
export const DEVELOPER_CALLS = {
  searchPlayers: 'GET /v1/projects/:projectId/environments/:env/players',
  readPlayerDetail: 'GET /v1/projects/:projectId/environments/:env/players/:playerId',
  deletePlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/delete',
  deletePlayerByDelete: 'DELETE /v1/projects/:projectId/environments/:env/players/:playerId/delete',
  exportPlayer: 'GET /v1/projects/:projectId/environments/:env/players/:playerId/export',
  exportPlayerByPost: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/export',
  listAppeals: 'GET /v1/projects/:projectId/environments/:env/appeals',
  resolveAppeal: 'POST /v1/projects/:projectId/environments/:env/appeals/:appealId/resolve',
  correctAge: 'PUT /v1/projects/:projectId/environments/:env/players/:playerId/age',
  banPlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/ban',
  unbanPlayer: 'POST /v1/projects/:projectId/environments/:env/players/:playerId/unban',
  confirmNews: 'POST /v1/news/confirm',
  unsubscribeFromNews: 'POST /v1/news/unsubscribe',
  listWebhookDeliveries: 'GET /v1/projects/:projectId/environments/:env/integrity/webhook-deliveries',
  readWebhookSecret: 'GET /v1/projects/:projectId/environments/:env/integrity/webhook-secret',
  testWebhook: 'POST /v1/projects/:projectId/environments/:env/integrity/webhook-test',
  logIn: 'POST /v1/developers/login',
  logOut: 'POST /v1/developers/logout',
  readMe: 'GET /v1/developers/me',
  signUp: 'POST /v1/developers/signup',
  resendVerification: 'POST /v1/developers/email/resend',
  verifyEmail: 'POST /v1/developers/email/verify',
  changePassword: 'POST /v1/developers/me/password',
  forgotPassword: 'POST /v1/developers/password/forgot',
  resetPassword: 'POST /v1/developers/password/reset',
  listIdentities: 'GET /v1/developers/me/identities',
  exchangeCode: 'POST /v1/developers/oauth/exchange',
  removeIdentity: 'DELETE /v1/developers/me/identities/:provider',
  startSignIn: 'POST /v1/developers/oauth/:provider/start',
  listProjects: 'GET /v1/projects',
  createProject: 'POST /v1/projects',
  readProject: 'GET /v1/projects/:projectId',
  renameProject: 'PATCH /v1/projects/:projectId',
  deleteProject: 'DELETE /v1/projects/:projectId',
  revokeKey: 'DELETE /v1/projects/:projectId/keys/:keyId',
  listKeys: 'GET /v1/projects/:projectId/environments/:env/keys',
  createKey: 'POST /v1/projects/:projectId/environments/:env/keys',
  readOverview: 'GET /v1/projects/:projectId/environments/:env/overview',
  readConfig: 'GET /v1/projects/:projectId/environments/:env/config',
  pushConfig: 'PUT /v1/projects/:projectId/environments/:env/config',
  listFeatures: 'GET /v1/projects/:projectId/environments/:env/features',
  listConfigVersions: 'GET /v1/projects/:projectId/environments/:env/config/versions',
  readConfigVersion: 'GET /v1/projects/:projectId/environments/:env/config/versions/:version',
  restoreConfigVersion: 'POST /v1/projects/:projectId/environments/:env/config/versions/:version/restore',
  listProviderCredentials: 'GET /v1/projects/:projectId/environments/:env/auth/providers',
  readProviderCredentials: 'GET /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  writeProviderCredentials: 'PUT /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  deleteProviderCredentials: 'DELETE /v1/projects/:projectId/environments/:env/auth/providers/:provider',
  listDeployments: 'GET /v1/projects/:projectId/environments/:env/deployments',
  createDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments',
  readHosting: 'GET /v1/projects/:projectId/environments/:env/hosting',
  uploadBlob: 'PUT /v1/projects/:projectId/environments/:env/blobs/:sha256',
  readDeployment: 'GET /v1/projects/:projectId/environments/:env/deployments/:ref',
  activateDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments/:ref/activate',
  finalizeDeployment: 'POST /v1/projects/:projectId/environments/:env/deployments/:ref/finalize',
  readLiveView: 'GET /v1/projects/:projectId/environments/:env/realtime',
  listAudit: 'GET /v1/projects/:projectId/audit',
  readHealth: 'GET /healthz',
  readReadiness: 'GET /readyz',
  readPlatformInfo: 'GET /v1/platform/info',
} as const

/** What a developer session may call: request and response by name. */
export type DeveloperCalls = {
  /** List players of the environment, newest first; with q the player with that id or email, or all whose name begins with q, sorted by name */
  searchPlayers: {
    request: RequestOf<typeof players.searchPlayers> & InEnvironment
    response: ResponseOf<typeof players.searchPlayers>
  }
  /** One player: identities, age, sanctions and what the features keep */
  readPlayerDetail: {
    request: RequestOf<typeof players.readPlayerDetail> & InEnvironment
    response: ResponseOf<typeof players.readPlayerDetail>
  }
  /** Delete a player and everything of it, irreversibly */
  deletePlayer: {
    request: RequestOf<typeof players.deletePlayer> & InEnvironment
    response: ResponseOf<typeof players.deletePlayer>
  }
  /** The same as POST */
  deletePlayerByDelete: {
    request: RequestOf<typeof players.deletePlayerByDelete> & InEnvironment
    response: ResponseOf<typeof players.deletePlayerByDelete>
  }
  /** Everything that is stored about a player */
  exportPlayer: {
    request: RequestOf<typeof players.exportPlayer> & InEnvironment
    response: ResponseOf<typeof players.exportPlayer>
  }
  /** The same as GET */
  exportPlayerByPost: {
    request: RequestOf<typeof players.exportPlayerByPost> & InEnvironment
    response: ResponseOf<typeof players.exportPlayerByPost>
  }
  /** Appeals of the environment, newest first */
  listAppeals: {
    request: RequestOf<typeof moderation.listAppeals> & InEnvironment
    response: ResponseOf<typeof moderation.listAppeals>
  }
  /** Accept an appeal, which lifts its ban, or reject it */
  resolveAppeal: {
    request: RequestOf<typeof moderation.resolveAppeal> & InEnvironment
    response: ResponseOf<typeof moderation.resolveAppeal>
  }
  /** Correct the age group of a player, in either direction */
  correctAge: {
    request: RequestOf<typeof moderation.correctAge> & InEnvironment
    response: ResponseOf<typeof moderation.correctAge>
  }
  /** Ban a player: sessions end, connections close, sign-in and writes are refused, at once */
  banPlayer: {
    request: RequestOf<typeof moderation.banPlayer> & InEnvironment
    response: ResponseOf<typeof moderation.banPlayer>
  }
  /** Lift the ban of a player */
  unbanPlayer: {
    request: RequestOf<typeof moderation.unbanPlayer> & InEnvironment
    response: ResponseOf<typeof moderation.unbanPlayer>
  }
  /** The click in the confirmation mail (30 days) */
  confirmNews: {
    request: RequestOf<typeof news.confirmNews>
    response: ResponseOf<typeof news.confirmNews>
  }
  /** No more news to this address, whichever app it came from; works for ever */
  unsubscribeFromNews: {
    request: RequestOf<typeof news.unsubscribeFromNews>
    response: ResponseOf<typeof news.unsubscribeFromNews>
  }
  /** The last 100 deliveries of the webhook, newest first */
  listWebhookDeliveries: {
    request: RequestOf<typeof stats.listWebhookDeliveries> & InEnvironment
    response: ResponseOf<typeof stats.listWebhookDeliveries>
  }
  /** The secret that signs the stats verification webhook */
  readWebhookSecret: {
    request: RequestOf<typeof stats.readWebhookSecret> & InEnvironment
    response: ResponseOf<typeof stats.readWebhookSecret>
  }
  /** Send a test delivery to the configured webhook now; nothing is stored of a player */
  testWebhook: {
    request: RequestOf<typeof stats.testWebhook> & InEnvironment
    response: ResponseOf<typeof stats.testWebhook>
  }
  /** Log in with email and password */
  logIn: {
    request: RequestOf<typeof developers.logIn>
    response: ResponseOf<typeof developers.logIn>
  }
  /** End this session at once */
  logOut: {
    request: RequestOf<typeof developers.logOut>
    response: ResponseOf<typeof developers.logOut>
  }
  /** Your account */
  readMe: {
    request: RequestOf<typeof developers.readMe>
    response: ResponseOf<typeof developers.readMe>
  }
  /** Create a developer account */
  signUp: {
    request: RequestOf<typeof developers.signUp>
    response: ResponseOf<typeof developers.signUp>
  }
  /** Send the confirmation mail again, at most once a minute; earlier links stop working */
  resendVerification: {
    request: RequestOf<typeof developers.resendVerification>
    response: ResponseOf<typeof developers.resendVerification>
  }
  /** Confirm an email address with the token of its link (24 hours, once) */
  verifyEmail: {
    request: RequestOf<typeof developers.verifyEmail>
    response: ResponseOf<typeof developers.verifyEmail>
  }
  /** Set or change the password; ends every other session */
  changePassword: {
    request: RequestOf<typeof developers.changePassword>
    response: ResponseOf<typeof developers.changePassword>
  }
  /** Mail a link to set a new password; answers the same whether or not there is an account */
  forgotPassword: {
    request: RequestOf<typeof developers.forgotPassword>
    response: ResponseOf<typeof developers.forgotPassword>
  }
  /** Set a new password with the token of its link (30 minutes, once); ends every session */
  resetPassword: {
    request: RequestOf<typeof developers.resetPassword>
    response: ResponseOf<typeof developers.resetPassword>
  }
  /** The external sign-in methods of your account */
  listIdentities: {
    request: RequestOf<typeof developerSignIn.listIdentities>
    response: ResponseOf<typeof developerSignIn.listIdentities>
  }
  /** Finish an external sign-in with the svc_code of the return address (60 seconds, once) */
  exchangeCode: {
    request: RequestOf<typeof developerSignIn.exchangeCode>
    response: ResponseOf<typeof developerSignIn.exchangeCode>
  }
  /** Remove an external sign-in method; needs the password or a reauthToken, ends every other session */
  removeIdentity: {
    request: RequestOf<typeof developerSignIn.removeIdentity>
    response: ResponseOf<typeof developerSignIn.removeIdentity>
  }
  /** Begin an external sign-in; send the browser to the url */
  startSignIn: {
    request: RequestOf<typeof developerSignIn.startSignIn>
    response: ResponseOf<typeof developerSignIn.startSignIn>
  }
  /** Your projects, newest first */
  listProjects: {
    request: RequestOf<typeof projects.listProjects>
    response: ResponseOf<typeof projects.listProjects>
  }
  /** Create a project with a development and a production environment; returns all four keys in plain text, once */
  createProject: {
    request: RequestOf<typeof projects.createProject>
    response: ResponseOf<typeof projects.createProject>
  }
  /** One project */
  readProject: {
    request: RequestOf<typeof projects.readProject>
    response: ResponseOf<typeof projects.readProject>
  }
  /** Rename a project, at most 20 times an hour; the slug does not change */
  renameProject: {
    request: RequestOf<typeof projects.renameProject>
    response: ResponseOf<typeof projects.renameProject>
  }
  /** Delete a project and everything in it; its keys stop working at once */
  deleteProject: {
    request: RequestOf<typeof projects.deleteProject>
    response: ResponseOf<typeof projects.deleteProject>
  }
  /** Revoke a key; it is refused everywhere at once */
  revokeKey: {
    request: RequestOf<typeof projects.revokeKey>
    response: ResponseOf<typeof projects.revokeKey>
  }
  /** The live keys of an environment, without their text */
  listKeys: {
    request: RequestOf<typeof projects.listKeys>
    response: ResponseOf<typeof projects.listKeys>
  }
  /** Make another key; its text is shown this once */
  createKey: {
    request: RequestOf<typeof projects.createKey>
    response: ResponseOf<typeof projects.createKey>
  }
  /** An environment at a glance */
  readOverview: {
    request: RequestOf<typeof projects.readOverview>
    response: ResponseOf<typeof projects.readOverview>
  }
  /** The config document as it was pushed; version 0 and {} before the first push */
  readConfig: {
    request: RequestOf<typeof config.readConfig> & InEnvironment
    response: ResponseOf<typeof config.readConfig>
  }
  /** Push the config document, which replaces the whole earlier one */
  pushConfig: {
    request: RequestOf<typeof config.pushConfig> & InEnvironment
    response: ResponseOf<typeof config.pushConfig>
  }
  /** Everything that can be on or off, and why it is as it is */
  listFeatures: {
    request: RequestOf<typeof config.listFeatures> & InEnvironment
    response: ResponseOf<typeof config.listFeatures>
  }
  /** History of the config, newest first */
  listConfigVersions: {
    request: RequestOf<typeof config.listConfigVersions> & InEnvironment
    response: ResponseOf<typeof config.listConfigVersions>
  }
  /** One version of the config */
  readConfigVersion: {
    request: RequestOf<typeof config.readConfigVersion> & InEnvironment
    response: ResponseOf<typeof config.readConfigVersion>
  }
  /** Push an old version anew, as a new version */
  restoreConfigVersion: {
    request: RequestOf<typeof config.restoreConfigVersion> & InEnvironment
    response: ResponseOf<typeof config.restoreConfigVersion>
  }
  /** Every sign-in provider, and whether its credentials are stored */
  listProviderCredentials: {
    request: RequestOf<typeof providerCredentials.listProviderCredentials>
    response: ResponseOf<typeof providerCredentials.listProviderCredentials>
  }
  /** What is stored for a provider, without its secret */
  readProviderCredentials: {
    request: RequestOf<typeof providerCredentials.readProviderCredentials>
    response: ResponseOf<typeof providerCredentials.readProviderCredentials>
  }
  /** Store the credentials of a provider: { clientId, clientSecret } (google, discord, x), { servicesId, bundleId?, teamId, keyId, privateKey } (apple), { useShared: true } or { testProvider: true } */
  writeProviderCredentials: {
    request: RequestOf<typeof providerCredentials.writeProviderCredentials>
    response: ResponseOf<typeof providerCredentials.writeProviderCredentials>
  }
  /** Remove what is stored for a provider */
  deleteProviderCredentials: {
    request: RequestOf<typeof providerCredentials.deleteProviderCredentials>
    response: ResponseOf<typeof providerCredentials.deleteProviderCredentials>
  }
  /** The versions there are, newest first */
  listDeployments: {
    request: RequestOf<typeof hosting.listDeployments> & InEnvironment
    response: ResponseOf<typeof hosting.listDeployments>
  }
  /** Begin a version: tell its files, learn which of them are to be uploaded */
  createDeployment: {
    request: RequestOf<typeof hosting.createDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.createDeployment>
  }
  /** Which version is live, and where */
  readHosting: {
    request: RequestOf<typeof hosting.readHosting> & InEnvironment
    response: ResponseOf<typeof hosting.readHosting>
  }
  /** Upload the bytes of a file, at most 50 MB */
  uploadBlob: {
    request: RequestOf<typeof hosting.uploadBlob> & InEnvironment
    response: ResponseOf<typeof hosting.uploadBlob>
  }
  /** One version with its files */
  readDeployment: {
    request: RequestOf<typeof hosting.readDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.readDeployment>
  }
  /** Make a finished version the live one, an older one too */
  activateDeployment: {
    request: RequestOf<typeof hosting.activateDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.activateDeployment>
  }
  /** Finish a version whose files are all there, and make it live if told to */
  finalizeDeployment: {
    request: RequestOf<typeof hosting.finalizeDeployment> & InEnvironment
    response: ResponseOf<typeof hosting.finalizeDeployment>
  }
  /** Who is connected, live rooms, queues and channels */
  readLiveView: {
    request: RequestOf<typeof liveView.readLiveView> & InEnvironment
    response: ResponseOf<typeof liveView.readLiveView>
  }
  /** The audit log, newest first */
  listAudit: {
    request: RequestOf<typeof audit.listAudit>
    response: ResponseOf<typeof audit.listAudit>
  }
  /** Is the process alive? */
  readHealth: {
    request: RequestOf<typeof platform.readHealth>
    response: ResponseOf<typeof platform.readHealth>
  }
  /** Can it do its work? Asks every engine, with a write, at most once a second; 503 when one cannot or the process is stopping */
  readReadiness: {
    request: RequestOf<typeof platform.readReadiness>
    response: ResponseOf<typeof platform.readReadiness>
  }
  /** What this service offers; the sign-in page asks it first */
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
  verifyToken: 'POST /v1/admin/players/verify-token',
  listAppeals: 'GET /v1/admin/appeals',
  resolveAppeal: 'POST /v1/admin/appeals/:appealId/resolve',
  correctAge: 'PUT /v1/admin/players/:playerId/age',
  banPlayer: 'POST /v1/admin/players/:playerId/ban',
  unbanPlayer: 'POST /v1/admin/players/:playerId/unban',
  listWebhookDeliveries: 'GET /v1/admin/integrity/webhook-deliveries',
  readWebhookSecret: 'GET /v1/admin/integrity/webhook-secret',
  testWebhook: 'POST /v1/admin/integrity/webhook-test',
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
  activateDeployment: 'POST /v1/deployments/:ref/activate',
  finalizeDeployment: 'POST /v1/deployments/:ref/finalize',
  readLiveView: 'GET /v1/admin/realtime',
  readOutbox: 'GET /v1/dev/outbox',
  moveClock: 'POST /v1/dev/clock',
} as const

/** What a secret key may call: request and response by name. */
export type SecretKeyCalls = {
  /** List players of the environment, newest first; with q the player with that id or email, or all whose name begins with q, sorted by name */
  searchPlayers: {
    request: RequestOf<typeof players.searchPlayers>
    response: ResponseOf<typeof players.searchPlayers>
  }
  /** One player: identities, age, sanctions and what the features keep */
  readPlayerDetail: {
    request: RequestOf<typeof players.readPlayerDetail>
    response: ResponseOf<typeof players.readPlayerDetail>
  }
  /** Delete a player and everything of it, irreversibly */
  deletePlayer: {
    request: RequestOf<typeof players.deletePlayer>
    response: ResponseOf<typeof players.deletePlayer>
  }
  /** The same as POST */
  deletePlayerByDelete: {
    request: RequestOf<typeof players.deletePlayerByDelete>
    response: ResponseOf<typeof players.deletePlayerByDelete>
  }
  /** Everything that is stored about a player */
  exportPlayer: {
    request: RequestOf<typeof players.exportPlayer>
    response: ResponseOf<typeof players.exportPlayer>
  }
  /** The same as GET */
  exportPlayerByPost: {
    request: RequestOf<typeof players.exportPlayerByPost>
    response: ResponseOf<typeof players.exportPlayerByPost>
  }
  /** Is this the access token of a player of this environment? A banned player still verifies: look at banned */
  verifyToken: {
    request: RequestOf<typeof sessions.verifyToken>
    response: ResponseOf<typeof sessions.verifyToken>
  }
  /** Appeals of the environment, newest first */
  listAppeals: {
    request: RequestOf<typeof moderation.listAppeals>
    response: ResponseOf<typeof moderation.listAppeals>
  }
  /** Accept an appeal, which lifts its ban, or reject it */
  resolveAppeal: {
    request: RequestOf<typeof moderation.resolveAppeal>
    response: ResponseOf<typeof moderation.resolveAppeal>
  }
  /** Correct the age group of a player, in either direction */
  correctAge: {
    request: RequestOf<typeof moderation.correctAge>
    response: ResponseOf<typeof moderation.correctAge>
  }
  /** Ban a player: sessions end, connections close, sign-in and writes are refused, at once */
  banPlayer: {
    request: RequestOf<typeof moderation.banPlayer>
    response: ResponseOf<typeof moderation.banPlayer>
  }
  /** Lift the ban of a player */
  unbanPlayer: {
    request: RequestOf<typeof moderation.unbanPlayer>
    response: ResponseOf<typeof moderation.unbanPlayer>
  }
  /** The last 100 deliveries of the webhook, newest first */
  listWebhookDeliveries: {
    request: RequestOf<typeof stats.listWebhookDeliveries>
    response: ResponseOf<typeof stats.listWebhookDeliveries>
  }
  /** The secret that signs the stats verification webhook */
  readWebhookSecret: {
    request: RequestOf<typeof stats.readWebhookSecret>
    response: ResponseOf<typeof stats.readWebhookSecret>
  }
  /** Send a test delivery to the configured webhook now; nothing is stored of a player */
  testWebhook: {
    request: RequestOf<typeof stats.testWebhook>
    response: ResponseOf<typeof stats.testWebhook>
  }
  /** A channel with its lists and who is in it */
  readChannel: {
    request: RequestOf<typeof channels.readChannel>
    response: ResponseOf<typeof channels.readChannel>
  }
  /** Make a channel that stays, or change one; fields that are left out stay as they are */
  writeChannel: {
    request: RequestOf<typeof channels.writeChannel>
    response: ResponseOf<typeof channels.writeChannel>
  }
  /** Delete a channel; its members are told */
  deleteChannel: {
    request: RequestOf<typeof channels.deleteChannel>
    response: ResponseOf<typeof channels.deleteChannel>
  }
  /** A message from the server, whatever the send rule; at most 600 a minute per key */
  sendToChannel: {
    request: RequestOf<typeof channels.sendToChannel>
    response: ResponseOf<typeof channels.sendToChannel>
  }
  /** Invite, silence or remove a player */
  moderateChannel: {
    request: RequestOf<typeof channels.moderateChannel>
    response: ResponseOf<typeof channels.moderateChannel>
  }
  /** The config document as it was pushed; version 0 and {} before the first push */
  readConfig: {
    request: RequestOf<typeof config.readConfig>
    response: ResponseOf<typeof config.readConfig>
  }
  /** Push the config document, which replaces the whole earlier one */
  pushConfig: {
    request: RequestOf<typeof config.pushConfig>
    response: ResponseOf<typeof config.pushConfig>
  }
  /** Everything that can be on or off, and why it is as it is */
  listFeatures: {
    request: RequestOf<typeof config.listFeatures>
    response: ResponseOf<typeof config.listFeatures>
  }
  /** History of the config, newest first */
  listConfigVersions: {
    request: RequestOf<typeof config.listConfigVersions>
    response: ResponseOf<typeof config.listConfigVersions>
  }
  /** One version of the config */
  readConfigVersion: {
    request: RequestOf<typeof config.readConfigVersion>
    response: ResponseOf<typeof config.readConfigVersion>
  }
  /** Push an old version anew, as a new version */
  restoreConfigVersion: {
    request: RequestOf<typeof config.restoreConfigVersion>
    response: ResponseOf<typeof config.restoreConfigVersion>
  }
  /** The versions there are, newest first */
  listDeployments: {
    request: RequestOf<typeof hosting.listDeployments>
    response: ResponseOf<typeof hosting.listDeployments>
  }
  /** Begin a version: tell its files, learn which of them are to be uploaded */
  createDeployment: {
    request: RequestOf<typeof hosting.createDeployment>
    response: ResponseOf<typeof hosting.createDeployment>
  }
  /** Which version is live, and where */
  readHosting: {
    request: RequestOf<typeof hosting.readHosting>
    response: ResponseOf<typeof hosting.readHosting>
  }
  /** Upload the bytes of a file, at most 50 MB */
  uploadBlob: {
    request: RequestOf<typeof hosting.uploadBlob>
    response: ResponseOf<typeof hosting.uploadBlob>
  }
  /** One version with its files */
  readDeployment: {
    request: RequestOf<typeof hosting.readDeployment>
    response: ResponseOf<typeof hosting.readDeployment>
  }
  /** Make a finished version the live one, an older one too */
  activateDeployment: {
    request: RequestOf<typeof hosting.activateDeployment>
    response: ResponseOf<typeof hosting.activateDeployment>
  }
  /** Finish a version whose files are all there, and make it live if told to */
  finalizeDeployment: {
    request: RequestOf<typeof hosting.finalizeDeployment>
    response: ResponseOf<typeof hosting.finalizeDeployment>
  }
  /** Who is connected, live rooms, queues and channels */
  readLiveView: {
    request: RequestOf<typeof liveView.readLiveView>
    response: ResponseOf<typeof liveView.readLiveView>
  }
  /** The mails of a development environment, newest first; nothing in production */
  readOutbox: {
    request: RequestOf<typeof mail.readOutbox>
    response: ResponseOf<typeof mail.readOutbox>
  }
  /** Move the clock of a test service (SVC_TEST_CLOCK=on); development keys only */
  moveClock: {
    request: RequestOf<typeof platform.moveClock>
    response: ResponseOf<typeof platform.moveClock>
  }
}
