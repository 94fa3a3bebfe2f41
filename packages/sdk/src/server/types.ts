import type { ResponseOf } from '@svc/contract/common/endpoint'
import type * as config from '@svc/contract/config/config'
import type * as hosting from '@svc/contract/hosting'
import type * as moderation from '@svc/contract/moderation'
import type * as players from '@svc/contract/players'
import type * as channels from '@svc/contract/realtime/channels'
import type * as codeRooms from '@svc/contract/realtime/code-rooms'
import type * as sessions from '@svc/contract/sessions'
import type * as stats from '@svc/contract/stats'

import type { BodyOf, QueryOf } from '../http/http.ts'

/** The player of an access token. */
export type VerifiedPlayer = ResponseOf<typeof sessions.verifyToken>['player']
/** What `server.players.find` searches for; `cursor` is `nextCursor` from the previous page. */
export type PlayerSearch = QueryOf<typeof players.searchPlayers>
/** A page of players. */
export type PlayerList = ResponseOf<typeof players.searchPlayers>
/** Everything about a player. */
export type PlayerDetail = ResponseOf<typeof players.readPlayerDetail>['player']
/** Options for `server.players.ban`. Without `durationHours` the ban has no end. */
export type NewBan = BodyOf<typeof moderation.banPlayer>
/** A player after a ban or its end. */
export type BannedPlayer = ResponseOf<typeof moderation.banPlayer>['player']
/** A player's age group and what it allows. */
export type AgeProfile = ResponseOf<typeof moderation.correctAge>

/** Which appeals `server.appeals.list` returns; `cursor` is `nextCursor` from the previous page. */
export type AppealSearch = QueryOf<typeof moderation.listAppeals>
/** A page of appeals. */
export type AppealList = ResponseOf<typeof moderation.listAppeals>
/** What you decide about an appeal, and what the player reads. */
export type AppealDecision = BodyOf<typeof moderation.resolveAppeal>
/** An appeal of a banned player. */
export type Appeal = ResponseOf<typeof moderation.resolveAppeal>['appeal']

/** What `server.channels.put` changes; the other fields stay as they are. `voice: null` removes voice. */
export type ChannelChanges = BodyOf<typeof channels.writeChannel>
/** A channel with its settings, lists and members. */
export type ChannelDetail = ResponseOf<typeof channels.readChannel>
/** What you do with one player in a channel; `seconds` limits a mute or a ban. */
export type Moderation = BodyOf<typeof channels.moderateChannel>

/** Options for `server.rooms.open`. */
export type NewServerRoom = BodyOf<typeof codeRooms.openRoom>
/** A room that your server has opened. */
export type OpenedRoom = ResponseOf<typeof codeRooms.openRoom>

/** The config that is in effect. */
export type CurrentConfig = ResponseOf<typeof config.readConfig>
/** Which versions `server.config.versions` returns. */
export type VersionSearch = QueryOf<typeof config.listConfigVersions>
/** A page of versions of the config. */
export type VersionList = ResponseOf<typeof config.listConfigVersions>
/** An old version of the config. */
export type ConfigVersion = ResponseOf<typeof config.readConfigVersion>
/** The result of `server.config.restore`. */
export type RestoredConfig = ResponseOf<typeof config.restoreConfigVersion>
/** The features of the environment, and whether each is on. */
export type FeatureList = ResponseOf<typeof config.listFeatures>['features']

/** The files and the message of a new deployment. */
export type NewDeployment = BodyOf<typeof hosting.createDeployment>
/** A new deployment, with the hashes of the files to upload. */
export type CreatedDeployment = ResponseOf<typeof hosting.createDeployment>
/** The result of an upload. */
export type UploadedFile = ResponseOf<typeof hosting.uploadBlob>
/** A deployment that is complete. */
export type FinalizedDeployment = ResponseOf<typeof hosting.finalizeDeployment>
/** A deployment after its activation. */
export type ActivatedDeployment = ResponseOf<typeof hosting.activateDeployment>
/** The deployments, newest first. */
export type DeploymentList = ResponseOf<typeof hosting.listDeployments>['deployments']
/** A deployment with its files. */
export type DeploymentDetail = ResponseOf<typeof hosting.readDeployment>
/** The live version of the app, and its URLs. */
export type LiveApp = ResponseOf<typeof hosting.readHosting>

/** Which deliveries `server.webhook.deliveries` returns. */
export type DeliverySearch = QueryOf<typeof stats.listWebhookDeliveries>
/** The last deliveries of the webhook. */
export type DeliveryList = ResponseOf<typeof stats.listWebhookDeliveries>['deliveries']
/** A delivery of the webhook. */
export type Delivery = ResponseOf<typeof stats.testWebhook>['delivery']
