import type * as channels from '@svc/contract/channels'
import type * as config from '@svc/contract/config'
import type { Endpoint } from '@svc/contract/endpoint'
import type * as moderation from '@svc/contract/moderation'
import type * as players from '@svc/contract/players'
import type * as sessions from '@svc/contract/sessions'
import type * as stats from '@svc/contract/stats'

import { createDeployments, type Deployments } from './deployments.ts'
import { SvcError } from './errors.ts'
import { type BodyOf, type CallOptions, createHttp, type Parts, type QueryOf } from './http.ts'
import { type Fetch, isInBrowser, thisPlatform } from './platform.ts'

export { isSvcError, SvcError, type SvcErrorCode } from './errors.ts'
export { verifyWebhook, type WebhookOptions } from './webhook.ts'

/** What `createServerClient` takes. */
export type ServerOptions = {
  /** The address of the service. */
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

/** A client for your own server, with the secret key of an environment. */
export function createServerClient({ url, secretKey, timeoutMs, fetch }: ServerOptions) {
  if (isInBrowser()) throw new SvcError('secret_key_refused')
  if (!secretKey?.startsWith('sk_'))
    throw new SvcError('invalid_options', { message: 'createServerClient needs a secret key (sk_…)' })
  const platform = { ...thisPlatform(), ...(fetch && { fetch }) }
  const headers = { 'X-Svc-Key': secretKey }
  const call = createHttp({ url, headers, platform, ...(timeoutMs !== undefined && { timeoutMs }) })
  const playerParams = (playerId: string) => ({ params: { playerId } })
  const channelParams = (name: string) => ({ params: { name } })

  return {
    /** Calls any endpoint that accepts a secret key; the reference lists the responses. */
    call: async <Answer = unknown>(
      route: Route,
      request: Parts = {},
      options: CallOptions = {},
    ): Promise<Answer> => (await call<Endpoint>(route, request, options)) as Answer,

    /** Returns the player of an access token. Tokens of banned players are valid, too: check `banned`. */
    verifyToken: async (token: string) =>
      (await call<typeof sessions.verifyToken>('POST /v1/admin/players/verify-token', { body: { token } }))
        .player,

    /** Finds, bans, exports and deletes players. */
    players: {
      find: (query: QueryOf<typeof players.searchPlayers> = {}) =>
        call<typeof players.searchPlayers>('GET /v1/admin/players', { query }),
      get: async (playerId: string) =>
        (
          await call<typeof players.readPlayerDetail>(
            'GET /v1/admin/players/:playerId',
            playerParams(playerId),
          )
        ).player,
      ban: async (playerId: string, body: BodyOf<typeof moderation.banPlayer> = {}) =>
        (
          await call<typeof moderation.banPlayer>('POST /v1/admin/players/:playerId/ban', {
            ...playerParams(playerId),
            body,
          })
        ).player,
      unban: async (playerId: string) =>
        (
          await call<typeof moderation.unbanPlayer>('POST /v1/admin/players/:playerId/unban', {
            ...playerParams(playerId),
            body: {},
          })
        ).player,
      correctAge: (playerId: string, band: moderation.AgeBand) =>
        call<typeof moderation.correctAge>('PUT /v1/admin/players/:playerId/age', {
          ...playerParams(playerId),
          body: { band },
        }),
      export: (playerId: string) =>
        call<typeof players.exportPlayer>('GET /v1/admin/players/:playerId/export', playerParams(playerId)),
      /** Deletes a player and all its data; cannot be undone. */
      delete: async (playerId: string): Promise<void> => {
        await call<typeof players.deletePlayer>(
          'POST /v1/admin/players/:playerId/delete',
          playerParams(playerId),
        )
      },
    },

    /** Appeals of banned players. */
    appeals: {
      list: (query: QueryOf<typeof moderation.listAppeals> = {}) =>
        call<typeof moderation.listAppeals>('GET /v1/admin/appeals', { query }),
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
      /** Creates the channel, or changes the given fields. */
      put: (name: string, body: BodyOf<typeof channels.writeChannel> = {}) =>
        call<typeof channels.writeChannel>('PUT /v1/realtime/channels/:name', {
          ...channelParams(name),
          body,
        }),
      get: (name: string) =>
        call<typeof channels.readChannel>('GET /v1/realtime/channels/:name', channelParams(name)),
      delete: async (name: string): Promise<void> => {
        await call<typeof channels.deleteChannel>('DELETE /v1/realtime/channels/:name', channelParams(name))
      },
      /** Sends a message as the server; resolves with the number of connections that received it. */
      send: async (name: string, type: string, data?: unknown): Promise<number> => {
        const body = { type, ...(data !== undefined && { data }) }
        const request = { ...channelParams(name), body }
        return (
          await call<typeof channels.sendToChannel>('POST /v1/realtime/channels/:name/messages', request)
        ).delivered
      },
      moderate: async (name: string, body: BodyOf<typeof channels.moderateChannel>): Promise<void> => {
        const request = { ...channelParams(name), body }
        await call<typeof channels.moderateChannel>('POST /v1/realtime/channels/:name/moderate', request)
      },
    },

    /** The config document of the environment. */
    config: {
      read: () => call<typeof config.readConfig>('GET /v1/config', {}),
      /** Replaces the whole document; `changed` is false if it was equal. */
      push: async (document: object): Promise<config.Pushed> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: {},
          body: document,
        })) as config.Pushed,
      /** Returns what a push would change, without changing it. */
      dryRun: async (document: object): Promise<config.DryRun> =>
        (await call<typeof config.pushConfig>('PUT /v1/config', {
          query: { dryRun: true },
          body: document,
        })) as config.DryRun,
      versions: (query: QueryOf<typeof config.listConfigVersions> = {}) =>
        call<typeof config.listConfigVersions>('GET /v1/config/versions', { query }),
      version: (version: number) =>
        call<typeof config.readConfigVersion>('GET /v1/config/versions/:version', { params: { version } }),
      restore: (version: number) =>
        call<typeof config.restoreConfigVersion>('POST /v1/config/versions/:version/restore', {
          params: { version },
        }),
      features: async () => (await call<typeof config.listFeatures>('GET /v1/admin/features', {})).features,
    },

    /** App hosting. */
    deployments: createDeployments(call) as Deployments,

    /** The stats verification webhook. */
    webhook: {
      /** Reads the secret for `verifyWebhook`. */
      secret: async () =>
        (await call<typeof stats.readWebhookSecret>('GET /v1/admin/integrity/webhook-secret', {})).secret,
      deliveries: async (query: QueryOf<typeof stats.listWebhookDeliveries> = {}) =>
        (
          await call<typeof stats.listWebhookDeliveries>('GET /v1/admin/integrity/webhook-deliveries', {
            query,
          })
        ).deliveries,
      test: async () =>
        (await call<typeof stats.testWebhook>('POST /v1/admin/integrity/webhook-test', {})).delivery,
    },
  }
}
