import type { Endpoint, RequestOf } from '@svc/contract/common/endpoint'
import type * as config from '@svc/contract/config/config'
import type * as moderation from '@svc/contract/moderation'
import type * as players from '@svc/contract/players'
import type * as channels from '@svc/contract/realtime/channels'
import type * as sessions from '@svc/contract/sessions'
import type * as stats from '@svc/contract/stats'

import { SvcError } from '../http/errors.ts'
import { type BodyOf, type CallOptions, createHttp, type Parts, type QueryOf } from '../http/http.ts'
import { type Fetch, isInBrowser, thisPlatform } from '../http/platform.ts'
import { createDeployments, type Deployments } from './deployments.ts'

export { isSvcError, SvcError, type SvcErrorCode } from '../http/errors.ts'
export { verifyWebhook, type WebhookOptions } from './webhook.ts'

/** The options of `createServerClient`. */
export type ServerOptions = {
  /** The URL of the service. */
  url: string
  /** The secret key (sk_…). It gives full access to the environment, so keep it on your server. */
  secretKey: string
  /** How long a call may take; 15,000 by default. */
  timeoutMs?: number
  /** Used instead of the global `fetch`. */
  fetch?: Fetch
}
/** A client with a secret key, see `createServerClient`. */
export type ServerClient = ReturnType<typeof createServerClient>

/** `GET /v1/admin/players`, with the names of parameters as the reference has them: `/v1/admin/players/:playerId`. */
export type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * A client for your own server, with the secret key of an environment.
 *
 * @example
 * import { createServerClient } from '@svc/sdk/server'
 *
 * const server = createServerClient({ url: process.env.SVC_URL, secretKey: process.env.SVC_DEVELOPMENT_SECRET_KEY })
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

  return {
    /**
     * Calls any endpoint that accepts a secret key; the reference lists the responses.
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
     * Returns the player of an access token. Tokens of banned players are valid, too: check `banned`.
     *
     * @example
     * const player = await server.verifyToken(token)
     * console.log(player.id === playerId, player.banned) // → true false
     */
    verifyToken: async (token: string) =>
      (await call<typeof sessions.verifyToken>('POST /v1/admin/players/verify-token', { body: { token } }))
        .player,

    /** Finds, bans, exports and deletes players. */
    players: {
      /**
       * Searches players by id, email or the beginning of the name; newest first.
       *
       * @example
       * const { players } = await server.players.find({ q: 'Ada', sort: 'lastSeen' })
       * console.log(players.map(({ displayName }) => displayName)) // → [ 'Ada'… ]
       */
      find: (query: QueryOf<typeof players.searchPlayers> = {}) =>
        call<typeof players.searchPlayers>('GET /v1/admin/players', { query }),
      /**
       * Returns everything about a player.
       *
       * @example
       * const { displayName, banned } = await server.players.get(playerId)
       * console.log(displayName, banned) // → Ada false
       */
      get: async (playerId: string) =>
        (await onPlayer<typeof players.readPlayerDetail>('GET /v1/admin/players/:playerId', playerId, {}))
          .player,
      /**
       * Bans a player and closes its connections; without `durationHours` until it is lifted.
       *
       * @example
       * const { banExpiresAt } = await server.players.ban(playerId, { reason: 'Cheating', durationHours: 24 })
       * console.log(`Banned until ${banExpiresAt}`) // → Banned until 20…
       */
      ban: async (playerId: string, body: BodyOf<typeof moderation.banPlayer> = {}) =>
        (
          await onPlayer<typeof moderation.banPlayer>('POST /v1/admin/players/:playerId/ban', playerId, {
            body,
          })
        ).player,
      /**
       * Lifts the ban; an open appeal is accepted.
       *
       * @example
       * const { banned } = await server.players.unban(playerId)
       * console.log(banned) // → false
       */
      unban: async (playerId: string) =>
        (
          await onPlayer<typeof moderation.unbanPlayer>('POST /v1/admin/players/:playerId/unban', playerId, {
            body: {},
          })
        ).player,
      /**
       * Sets the age group, also to a less strict one.
       *
       * @example
       * const { ageBand } = await server.players.correctAge(playerId, 'adult')
       * console.log(ageBand) // → adult
       */
      correctAge: (playerId: string, band: moderation.AgeBand) =>
        onPlayer<typeof moderation.correctAge>('PUT /v1/admin/players/:playerId/age', playerId, {
          body: { band },
        }),
      /**
       * Reports values of a player, as `svc.stats.submit` does for players; the webhook is not asked.
       *
       * @example
       * const { rejected } = await server.players.submitStats(playerId, { points: 120 })
       * console.log(rejected) // → []
       */
      submitStats: (playerId: string, values: Record<string, number>) =>
        onPlayer<typeof stats.submitPlayerStats>('POST /v1/admin/x/players/:playerId/stats', playerId, {
          body: { stats: values },
        }),
      /**
       * Exports everything that is stored about a player.
       *
       * @example
       * const data = await server.players.export(playerId)
       * console.log(Object.keys(data)) // → [ 'exportedAt', 'player'… ]
       */
      export: (playerId: string) =>
        onPlayer<typeof players.exportPlayer>('GET /v1/admin/players/:playerId/export', playerId, {}),
      /**
       * Deletes a player and all its data; cannot be undone.
       *
       * @example
       * await server.players.delete(playerId)
       */
      delete: async (playerId: string): Promise<void> => {
        await onPlayer<typeof players.deletePlayer>('POST /v1/admin/players/:playerId/delete', playerId, {})
      },
    },

    /** Appeals of banned players. */
    appeals: {
      /**
       * Lists appeals, newest first.
       *
       * @example
       * const { appeals } = await server.appeals.list({ status: 'open' })
       * for (const { player, message } of appeals) console.log(player.displayName, message) // → Ada It was my little brother.
       */
      list: (query: QueryOf<typeof moderation.listAppeals> = {}) =>
        call<typeof moderation.listAppeals>('GET /v1/admin/appeals', { query }),
      /**
       * Accepts or rejects an appeal; this is final.
       *
       * @example
       * const { status } = await server.appeals.resolve(appealId, { accept: true, response: 'Welcome back.' })
       * console.log(status) // → accepted
       */
      resolve: async (appealId: string, body: BodyOf<typeof moderation.resolveAppeal>) =>
        (
          await call<typeof moderation.resolveAppeal>('POST /v1/admin/appeals/:appealId/resolve', {
            params: { appealId },
            body,
          })
        ).appeal,
    },

    /** Realtime channels. */
    channels: {
      /**
       * Creates the channel, or changes the given fields.
       *
       * @example
       * await server.channels.put('@news', { send: 'server', open: true })
       */
      put: (name: string, body: BodyOf<typeof channels.writeChannel> = {}) =>
        onChannel<typeof channels.writeChannel>('PUT /v1/realtime/channels/:name', name, { body }),
      /**
       * Reads a channel with its settings, lists and members.
       *
       * @example
       * const { members } = await server.channels.get('@news')
       * console.log(members.length) // → 1
       */
      get: (name: string) =>
        onChannel<typeof channels.readChannel>('GET /v1/realtime/channels/:name', name, {}),
      /**
       * Deletes a channel; its members receive `closed`.
       *
       * @example
       * await server.channels.delete('@news')
       */
      delete: async (name: string): Promise<void> => {
        await onChannel<typeof channels.deleteChannel>('DELETE /v1/realtime/channels/:name', name, {})
      },
      /**
       * Sends a message as the server; resolves with the number of connections that received it.
       *
       * @example
       * const delivered = await server.channels.send('@news', 'headline', { text: 'A new level is out' })
       * console.log(delivered) // → 1
       */
      send: async (name: string, type: string, data?: unknown): Promise<number> => {
        const route = 'POST /v1/realtime/channels/:name/messages'
        const body = { type, ...(data !== undefined && { data }) }
        return (await onChannel<typeof channels.sendToChannel>(route, name, { body })).delivered
      },
      /**
       * Mutes, kicks or bans a player in the channel, and so on.
       *
       * @example
       * await server.channels.moderate('@news', { op: 'ban', playerId, seconds: 3_600 })
       */
      moderate: async (name: string, body: BodyOf<typeof channels.moderateChannel>): Promise<void> => {
        const route = 'POST /v1/realtime/channels/:name/moderate'
        await onChannel<typeof channels.moderateChannel>(route, name, { body })
      },
    },

    /** The config document of the environment. */
    config: {
      /**
       * Reads the document that is in effect.
       *
       * @example
       * const { version, config } = await server.config.read()
       * console.log(version, config.features?.saves) // → 1 true
       */
      read: () => call<typeof config.readConfig>('GET /v1/config', {}),
      /**
       * Replaces the whole document; `changed` is false if it was equal.
       *
       * @example
       * const { config } = await server.config.read()
       * const { changed } = await server.config.push({ ...config, resetTimeZone: 'Europe/Berlin' })
       * console.log(changed) // → true
       */
      push: async (document: object): Promise<config.Pushed> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: {},
          body: document,
        })) as config.Pushed,
      /**
       * Returns what a push would change, without changing it.
       *
       * @example
       * const { config } = await server.config.read()
       * const { changes } = await server.config.dryRun({ ...config, resetTimeZone: 'Asia/Tokyo' })
       * console.log(changes.map(({ path }) => path)) // → [ '$.resetTimeZone' ]
       */
      dryRun: async (document: object): Promise<config.DryRun> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: { dryRun: true },
          body: document,
        })) as config.DryRun,
      /**
       * Lists versions, newest first.
       *
       * @example
       * const { versions } = await server.config.versions({ limit: 5 })
       * console.log(versions.map(({ version }) => version)) // → [ 2, 1 ]
       */
      versions: (query: QueryOf<typeof config.listConfigVersions> = {}) =>
        call<typeof config.listConfigVersions>('GET /v1/config/versions', { query }),
      /**
       * Reads the document of a version.
       *
       * @example
       * const { config } = await server.config.version(1)
       * console.log(config.features?.saves) // → true
       */
      version: (version: number) =>
        call<typeof config.readConfigVersion>('GET /v1/config/versions/:version', { params: { version } }),
      /**
       * Pushes the document of an old version again, as a new version.
       *
       * @example
       * const { version } = await server.config.restore(1)
       * console.log(`Version ${version} is the same as version 1`) // → Version 3 is the same as version 1
       */
      restore: (version: number) =>
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
      features: async () => (await call<typeof config.listFeatures>('GET /v1/admin/features', {})).features,
    },

    /** App hosting. */
    deployments: createDeployments(call) as Deployments,

    /** The stats verification webhook. */
    webhook: {
      /**
       * Reads the secret for `verifyWebhook`.
       *
       * @example
       * const secret = await server.webhook.secret()
       */
      secret: async () =>
        (await call<typeof stats.readWebhookSecret>('GET /v1/admin/integrity/webhook-secret', {})).secret,
      /**
       * Lists the last deliveries.
       *
       * @example
       * const [last] = await server.webhook.deliveries({ limit: 1 })
       * console.log(last?.status) // → undefined
       */
      deliveries: async (query: QueryOf<typeof stats.listWebhookDeliveries> = {}) =>
        (
          await call<typeof stats.listWebhookDeliveries>('GET /v1/admin/integrity/webhook-deliveries', {
            query,
          })
        ).deliveries,
      /**
       * Sends a test delivery and returns its result.
       *
       * @example
       * const { outcome, status } = await server.webhook.test()
       * console.log(outcome, status)
       */
      test: async () =>
        (await call<typeof stats.testWebhook>('POST /v1/admin/integrity/webhook-test', {})).delivery,
    },
  }
}
