import { type Endpoint, isForOwnPages } from '@svc/contract/common/endpoint'
import type { FeatureName, ShareTool } from '@svc/contract/common/features'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { ApiError } from '../../../platform/api-error.ts'
import { hostLabel } from '../../../platform/environment.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import type { Player, PlayerStatus } from '../../../platform/player.ts'
import type { Authorizer } from '../routes.ts'
import { agentCheckOf } from './agents.ts'
import { type CallerLookups, environmentOf, identify, type Key } from './callers.ts'
import { type Addresses, isOriginAllowed, originsBelow } from './origins.ts'
import type { OwnMachine } from './own-machine.ts'
import type { EnforceRateLimit } from './rate-limits.ts'

type Config = {
  features: Record<FeatureName, boolean>
  share: Record<ShareTool, { enabled: boolean }>
  web: { allowedOrigins: readonly string[] }
}

type AuthorizerDeps = {
  lookups: CallerLookups
  config: { current(environmentId: string): Awaitable<{ config: Config }> }
  unavailableFeatures: ReadonlySet<string>
  addresses: Addresses
  /** Undefined if other machines may reach the service. */
  ownMachine: OwnMachine | undefined
  /** Undefined if rate limits are off. */
  enforceRateLimit: EnforceRateLimit | undefined
  /**
   * A database lookup on every write, because a bus message may be lost: throws `player_banned`, or `invalid_token` if the player
   * was deleted.
   */
  requireMayWrite(player: Player): Promise<PlayerStatus>
  /** Warns the owner of a secret key that is used in a browser; the request is not blocked (GEN-47). */
  warnOfSecretKeyInBrowser(key: Key, origin: string): Promise<void>
}

/** Checks caller, origin, rate limit and feature, in this order, before the body is read; checks for a ban after it is read. */
export function createAuthorizer({
  lookups,
  config,
  unavailableFeatures,
  addresses,
  ownMachine,
  enforceRateLimit,
  warnOfSecretKeyInBrowser,
  requireMayWrite,
}: AuthorizerDeps): Authorizer {
  const originOf = originsBelow(addresses)

  return {
    async authorize(endpoint, address, request, reply) {
      if (isForOwnPages(endpoint)) ownMachine?.requireOwnPage(request)
      const caller = await identify(lookups, endpoint, address, request)
      if ('key' in caller) {
        const origin = request.headers.origin ?? originOfOtherApp(request, caller.key)
        if (origin !== undefined) await checkOrigin(caller.key, origin, reply)
      }
      if (enforceRateLimit) await enforceRateLimit(endpoint, caller, request.clientAddress)
      if (endpoint.feature || endpoint.share) {
        const environment = environmentOf(caller)
        requireSwitchedOn(endpoint, environment && (await config.current(environment.id)))
      }
      return caller
    },

    banCheckOf: (endpoint) =>
      isWrite(endpoint)
        ? (caller) => (caller.kind === 'player' ? requireMayWrite(caller.player) : undefined)
        : undefined,

    agentCheckOf: (endpoint) => agentCheckOf(lookups.agents, endpoint),
  }

  /** A page that reads from its own origin does not name it. The page of the key's own app is always allowed (GEN-30). */
  function originOfOtherApp({ appHost }: FastifyRequest, { environment }: Key): string | undefined {
    return appHost && appHost.label !== hostLabel(environment) ? originOf(appHost.label) : undefined
  }

  async function checkOrigin(key: Key, origin: string, reply: FastifyReply) {
    const { environment } = key
    const { config: current } = await config.current(environment.id)
    if (!isOriginAllowed(origin, current.web.allowedOrigins, environment, addresses)) {
      throw new ApiError('origin_not_allowed')
    }
    if (key.type === 'secret' && environment.name === 'production') {
      reply.header(
        'Warning',
        '299 - "A secret key was sent from a browser. Revoke it and keep secret keys on your server."',
      )
      await warnOfSecretKeyInBrowser(key, origin)
    }
  }

  function requireSwitchedOn({ feature, share }: Endpoint, current: { config: Config } | undefined) {
    if (feature) requireFeature(feature, current?.config)
    if (share) requireShareTool(share, current?.config)
  }

  function requireFeature(feature: FeatureName, current: Config | undefined) {
    if (!unavailableFeatures.has(feature) && current?.features[feature]) return
    const code = unavailableFeatures.has(feature) ? 'feature_unavailable' : 'feature_disabled'
    throw new ApiError(code, { feature, configPath: `features.${feature}` })
  }
}

function requireShareTool(tool: ShareTool, current: Config | undefined) {
  if (!current?.share[tool].enabled) throw new ApiError(`share_${tool}_disabled`)
}

/** BAN-09: a ban stops writes immediately; reads work until the next refresh, and an appeal must be possible. */
const isWrite = ({ route, whileBanned }: Endpoint) => !route.startsWith('GET ') && !whileBanned
