import type { Endpoint, RequestOf } from '@svc/contract/common/endpoint'
import type * as config from '@svc/contract/config/config'
import type * as moderation from '@svc/contract/moderation'
import type * as players from '@svc/contract/players'
import type * as channels from '@svc/contract/realtime/channels'
import type * as sessions from '@svc/contract/sessions'
import type * as stats from '@svc/contract/stats'

import type { Submitted } from '../data/stats.ts'
import { SvcError } from '../http/errors.ts'
import { type CallOptions, createHttp, type Parts } from '../http/http.ts'
import { type Fetch, isInBrowser, thisPlatform } from '../http/platform.ts'
import { type Appeals, createAppeals } from './appeals.ts'
import { createDeployments, type Deployments } from './deployments.ts'
import { createServerRooms, type ServerRooms } from './rooms.ts'
import type * as types from './types.ts'

export { isSvcError, SvcError, type SvcErrorCode } from '../http/errors.ts'
export { verifyWebhook, type WebhookOptions } from './webhook.ts'

/** Options for `createServerClient`. */
export type ServerOptions = {
  /** The URL of the service. */
  url: string
  /** The environment's secret key, `sk_…`. It gives full access, so keep it on your server. */
  secretKey: string
  /** How long a call may take (default: 15,000). */
  timeoutMs?: number
  /** Used instead of the global `fetch`. */
  fetch?: Fetch
}
/** The client from `createServerClient`. */
export type ServerClient = ReturnType<typeof createServerClient>

/** A method and a path from the API reference, such as `GET /v1/admin/players/:playerId`. */
export type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * Creates a client for your own server, with the secret key of an environment. It sends nothing until you call it.
 *
 * @throws `secret_key_refused` The code runs in a browser.
 * @throws `invalid_options` The key is not a secret key.
 *
 * @example
 * import { createServerClient } from '@svc/sdk/server'
 *
 * const { SVC_URL: url, SVC_DEVELOPMENT_SECRET_KEY: secretKey } = process.env
 * const server = createServerClient({ url, secretKey })
 * const { players } = await server.players.find({ limit: 10 })
 */
export function createServerClient({ url, secretKey, timeoutMs, fetch }: ServerOptions) {
  if (isInBrowser()) throw new SvcError('secret_key_refused')
  if (!secretKey?.startsWith('sk_'))
    throw new SvcError('invalid_options', { message: 'createServerClient needs a secret key (sk_…)' })
  const platform = { ...thisPlatform(), ...(fetch && { fetch }) }
  const headers = { 'X-Svc-Key': secretKey }
  const call = createHttp({ url, headers, platform, ...(timeoutMs !== undefined && { timeoutMs }) })

  type Rest<E extends Endpoint> = Omit<RequestOf<E>, 'params'>
  const onPlayer = <E extends Endpoint>(route: E['route'], playerId: string, rest: Rest<E>) =>
    call<E>(route, { params: { playerId }, ...rest } as RequestOf<E>)
  const onChannel = <E extends Endpoint>(route: E['route'], name: string, rest: Rest<E>) =>
    call<E>(route, { params: { name }, ...rest } as RequestOf<E>)
  const readConfig = (): Promise<types.CurrentConfig> => call<typeof config.readConfig>('GET /v1/config', {})

  return {
    /**
     * Calls any endpoint that accepts a secret key. The [API reference](endpoints.md) lists them.
     *
     * @param request `params`, `query` and `body` of the endpoint.
     *
     * @example
     * const leaderboards = await server.call('GET /v1/admin/x/leaderboards')
     */
    call: async <Answer = unknown>(
      route: Route,
      request: Parts = {},
      options: CallOptions = {},
    ): Promise<Answer> => (await call<Endpoint>(route, request, options)) as Answer,

    /**
     * Returns the player of an access token that a page got from `svc.auth.accessToken`. Tokens of banned players stay valid for minutes,
     * so check `banned`.
     *
     * @throws `token_expired` The page must ask for a new token and try again.
     * @throws `invalid_token` The token is wrong, or belongs to another environment.
     *
     * @example
     * const player = await server.verifyToken(token)
     * console.log(player.id === playerId, player.banned) // → true false
     */
    verifyToken: async (token: string): Promise<types.VerifiedPlayer> =>
      (await call<typeof sessions.verifyToken>('POST /v1/admin/players/verify-token', { body: { token } }))
        .player,

    /** Finds, bans, exports and deletes players. */
    players: {
      /**
       * Searches players by id, email or the start of the name, newest first.
       *
       * @example
       * const { players } = await server.players.find({ q: 'Ada', sort: 'lastSeen' })
       * console.log(players.map(({ displayName }) => displayName)) // → [ 'Ada'… ]
       */
      find: (query: types.PlayerSearch = {}): Promise<types.PlayerList> =>
        call<typeof players.searchPlayers>('GET /v1/admin/players', { query }),
      /**
       * Returns everything about a player.
       *
       * @throws `player_not_found` There is no such player in this environment.
       *
       * @example
       * const { displayName, banned } = await server.players.get(playerId)
       * console.log(displayName, banned) // → Ada false
       */
      get: async (playerId: string): Promise<types.PlayerDetail> =>
        (await onPlayer<typeof players.readPlayerDetail>('GET /v1/admin/players/:playerId', playerId, {}))
          .player,
      /**
       * Bans a player and closes their connections. Without `durationHours` the ban has no end.
       *
       * @throws `player_not_found` There is no such player in this environment.
       *
       * @example
       * const ban = { reason: 'Cheating', durationHours: 24 }
       * const { banExpiresAt } = await server.players.ban(playerId, ban)
       * console.log(`Banned until ${banExpiresAt}`) // → Banned until 20…
       */
      ban: async (playerId: string, body: types.NewBan = {}): Promise<types.BannedPlayer> =>
        (
          await onPlayer<typeof moderation.banPlayer>('POST /v1/admin/players/:playerId/ban', playerId, {
            body,
          })
        ).player,
      /**
       * Lifts the ban, and accepts an open appeal.
       *
       * @throws `player_not_found` There is no such player in this environment.
       *
       * @example
       * const { banned } = await server.players.unban(playerId)
       * console.log(banned) // → false
       */
      unban: async (playerId: string): Promise<types.BannedPlayer> =>
        (
          await onPlayer<typeof moderation.unbanPlayer>('POST /v1/admin/players/:playerId/unban', playerId, {
            body: {},
          })
        ).player,
      /**
       * Sets the player's age group, stricter or less strict.
       *
       * @example
       * const { ageBand } = await server.players.correctAge(playerId, 'adult')
       * console.log(ageBand) // → adult
       */
      correctAge: (playerId: string, band: moderation.AgeBand): Promise<types.AgeProfile> =>
        onPlayer<typeof moderation.correctAge>('PUT /v1/admin/players/:playerId/age', playerId, {
          body: { band },
        }),
      /**
       * Reports values for a player, as `svc.stats.submit` does in a page. The verification webhook is not called.
       *
       * @example
       * const { rejected } = await server.players.submitStats(playerId, { points: 120 })
       * console.log(rejected) // → []
       */
      submitStats: (playerId: string, values: Record<string, number>): Promise<Submitted> =>
        onPlayer<typeof stats.submitPlayerStats>('POST /v1/admin/x/players/:playerId/stats', playerId, {
          body: { stats: values },
        }),
      /**
       * Exports everything that svc stores about a player.
       *
       * @example
       * const data = await server.players.export(playerId)
       * console.log(Object.keys(data)) // → [ 'exportedAt', 'player'… ]
       */
      export: (playerId: string): Promise<Record<string, unknown>> =>
        onPlayer<typeof players.exportPlayer>('GET /v1/admin/players/:playerId/export', playerId, {}),
      /**
       * Deletes a player and all their data. This cannot be undone.
       *
       * @example
       * await server.players.delete(playerId)
       */
      delete: async (playerId: string): Promise<void> => {
        await onPlayer<typeof players.deletePlayer>('POST /v1/admin/players/:playerId/delete', playerId, {})
      },
    },

    /** Appeals of banned players. */
    appeals: createAppeals(call) as Appeals,

    /** Realtime channels: create them, send as the server, moderate. */
    channels: {
      /**
       * Creates the channel, or changes the fields you pass. Its name starts with `@`.
       *
       * @example
       * await server.channels.put('@news', { send: 'server', open: true })
       */
      put: (name: string, body: types.ChannelChanges = {}): Promise<types.ChannelDetail> =>
        onChannel<typeof channels.writeChannel>('PUT /v1/realtime/channels/:name', name, { body }),
      /**
       * Reads a channel with its settings, lists and members.
       *
       * @throws `channel_not_found` There is no such channel.
       *
       * @example
       * const { members } = await server.channels.get('@news')
       * console.log(members.length) // → 1
       */
      get: (name: string): Promise<types.ChannelDetail> =>
        onChannel<typeof channels.readChannel>('GET /v1/realtime/channels/:name', name, {}),
      /**
       * Deletes a channel. Its members receive the event `closed`.
       *
       * @example
       * await server.channels.delete('@news')
       */
      delete: async (name: string): Promise<void> => {
        await onChannel<typeof channels.deleteChannel>('DELETE /v1/realtime/channels/:name', name, {})
      },
      /**
       * Sends a message as the server. Resolves with the number of connections that received it.
       *
       * @throws `channel_not_found` There is no such channel.
       *
       * @example
       * const data = { text: 'A new level is out' }
       * const delivered = await server.channels.send('@news', 'headline', data)
       * console.log(delivered) // → 1
       */
      send: async (name: string, type: string, data?: unknown): Promise<number> => {
        const route = 'POST /v1/realtime/channels/:name/messages'
        const body = { type, ...(data !== undefined && { data }) }
        return (await onChannel<typeof channels.sendToChannel>(route, name, { body })).delivered
      },
      /**
       * Invites, mutes, kicks or bans a player in the channel.
       *
       * @example
       * await server.channels.moderate('@news', { op: 'ban', playerId, seconds: 3_600 })
       */
      moderate: async (name: string, body: types.Moderation): Promise<void> => {
        const route = 'POST /v1/realtime/channels/:name/moderate'
        await onChannel<typeof channels.moderateChannel>(route, name, { body })
      },
    },

    /** Rooms with code: open them, send to their code, close them. */
    rooms: createServerRooms(call) as ServerRooms,

    /** The environment's config. */
    config: {
      /**
       * Reads the config that is in effect.
       *
       * @example
       * const { version, config } = await server.config.get()
       * console.log(version, config.features?.saves) // → 1 true
       */
      get: readConfig,
      /** @deprecated Use `get`. */
      read: readConfig,
      /**
       * Replaces the whole config. `changed` is false if it was the same.
       *
       * @throws `invalid_config` `error.details.errors` lists every problem with its path.
       *
       * @example
       * const { config } = await server.config.get()
       * const next = { ...config, resetTimeZone: 'Europe/Berlin' }
       * const { changed } = await server.config.push(next)
       * console.log(changed) // → true
       */
      push: async (document: object): Promise<config.Pushed> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: {},
          body: document,
        })) as config.Pushed,
      /**
       * Returns what a push would change, without changing anything.
       *
       * @example
       * const { config } = await server.config.get()
       * const changed = { ...config, resetTimeZone: 'Asia/Tokyo' }
       * const { changes } = await server.config.dryRun(changed)
       * console.log(changes.map(({ path }) => path)) // → [ '$.resetTimeZone' ]
       */
      dryRun: async (document: object): Promise<config.DryRun> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: { dryRun: true },
          body: document,
        })) as config.DryRun,
      /**
       * Lists the versions of the config, newest first.
       *
       * @example
       * const { versions } = await server.config.versions({ limit: 5 })
       * console.log(versions.map(({ version }) => version)) // → [ 2, 1 ]
       */
      versions: (query: types.VersionSearch = {}): Promise<types.VersionList> =>
        call<typeof config.listConfigVersions>('GET /v1/config/versions', { query }),
      /**
       * Reads the config of a version.
       *
       * @example
       * const { config } = await server.config.version(1)
       * console.log(config.features?.saves) // → true
       */
      version: (version: number): Promise<types.ConfigVersion> =>
        call<typeof config.readConfigVersion>('GET /v1/config/versions/:version', { params: { version } }),
      /**
       * Pushes the config of an old version again, as a new version.
       *
       * @example
       * const { version } = await server.config.restore(1)
       * console.log(`Version ${version} is version 1 again`) // → Version 3 is version 1 again
       */
      restore: (version: number): Promise<types.RestoredConfig> =>
        call<typeof config.restoreConfigVersion>('POST /v1/config/versions/:version/restore', {
          params: { version },
        }),
      /**
       * Lists all features, and whether each is on.
       *
       * @example
       * const features = await server.config.features()
       * console.log(features.find(({ key }) => key === 'saves')?.enabled) // → true
       */
      features: async (): Promise<types.FeatureList> =>
        (await call<typeof config.listFeatures>('GET /v1/admin/features', {})).features,
    },

    /** App hosting: create a deployment, upload the missing files, finalize, activate. */
    deployments: createDeployments(call) as Deployments,

    /** The stats verification webhook. */
    webhook: {
      /**
       * Reads the secret for `verifyWebhook`.
       *
       * @example
       * const secret = await server.webhook.secret()
       */
      secret: async (): Promise<string> =>
        (await call<typeof stats.readWebhookSecret>('GET /v1/admin/integrity/webhook-secret', {})).secret,
      /**
       * Lists the last deliveries, newest first.
       *
       * @example
       * const [last] = await server.webhook.deliveries({ limit: 1 })
       * console.log(last?.status) // → undefined
       */
      deliveries: async (query: types.DeliverySearch = {}): Promise<types.DeliveryList> =>
        (
          await call<typeof stats.listWebhookDeliveries>('GET /v1/admin/integrity/webhook-deliveries', {
            query,
          })
        ).deliveries,
      /**
       * Sends a test delivery and returns its result.
       *
       * @throws `webhook_not_configured` The config has no webhook.
       *
       * @example
       * const { outcome, status } = await server.webhook.test()
       * console.log(outcome, status)
       */
      test: async (): Promise<types.Delivery> =>
        (await call<typeof stats.testWebhook>('POST /v1/admin/integrity/webhook-test', {})).delivery,
    },
  }
}
