import type { FeatureName } from '@svc/contract/common/features'
import type { FieldsOf } from '@svc/contract/common/frame'
import type { auth } from '@svc/contract/realtime/realtime'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { CallerLookups } from '../http/callers/callers.ts'
import { type Addresses, isOriginAllowed } from '../http/callers/origins.ts'
import type { Identity } from './connection.ts'

export type AuthDeps = {
  lookups: Pick<CallerLookups, 'findKey' | 'verifyPlayer'>
  /** A database lookup of the player's name: throws `player_banned`, or `invalid_token` if the player was deleted. */
  requireNameOf(player: Player): Promise<string | null>
  /** How many renames this node has received. */
  renames(): number
  allowedOrigins(environmentId: string): Promise<readonly string[]>
  /** Throws `feature_disabled` or `feature_unavailable`. */
  requireFeature(environmentId: string, feature: FeatureName): void
  addresses: Addresses
}

/** Rooms and channels share the connection: one of the two features suffices (WSK-03). */
const EITHER: readonly FeatureName[] = ['multiplayer', 'realtimeChannels']

export type Authenticate = ReturnType<typeof createAuthenticate>

/** Authenticates the sender of an auth frame. Throws ApiError; its code decides the close code. */
export function createAuthenticate(deps: AuthDeps) {
  const { lookups, requireNameOf, renames, allowedOrigins, requireFeature, addresses } = deps

  return async (
    fields: FieldsOf<typeof auth>,
    origin: string | undefined,
    /** Loads the features of the environment, which `requireFeature` reads. */
    learnFeatures: (environmentId: string) => Promise<void>,
  ): Promise<Identity> => {
    const key = await lookups.findKey(fields.key)
    if (!key) throw new ApiError('invalid_key')
    if (key.type !== 'publishable') throw new ApiError('publishable_key_required')
    const { environment } = key
    // Together, because both read the config.
    await Promise.all([requireOrigin(environment, origin), learnFeatures(environment.id)])
    requireEither(environment.id)
    const known = { environment, key: fields.key, renamesBefore: renames() }
    if (fields.anon) return { ...known, player: null, displayName: null }

    if (fields.token === undefined) throw new ApiError('unauthorized')
    const player = await lookups.verifyPlayer(environment, fields.token)
    return { ...known, player, displayName: await requireNameOf(player) }
  }

  async function requireOrigin(environment: Environment, origin: string | undefined) {
    if (origin === undefined) return
    const allowed = await allowedOrigins(environment.id)
    if (!isOriginAllowed(origin, allowed, environment, addresses)) throw new ApiError('origin_not_allowed')
  }

  function requireEither(environmentId: string) {
    const refusals = EITHER.map((feature) => refusalOf(() => requireFeature(environmentId, feature)))
    if (refusals.every((refusal) => refusal !== undefined)) throw refusals[0]
  }
}

function refusalOf(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}
