import type { Endpoint } from '@svc/contract/common/endpoint'

import { ApiError } from '../../../platform/api-error.ts'
import { MINUTE_MS } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import { limitedAddress } from '../../../platform/network/networks.ts'
import type { Counters } from '../../../platform/security/failed-attempts.ts'
import type { Caller } from './callers.ts'

/** The general limits of GEN-13, in addition to those of single endpoints; turned off by SVC_RATE_LIMITS. */
type GeneralLimits = {
  publicPerMinute: number
  secretPerMinute: number
  developerPerMinute: number
  signInPerMinute: number
  guestsPerMinute: number
}

/** `visitor`: a browser on the host of an app. */
type LimitedCaller = Caller | { kind: 'visitor'; environment: Pick<Environment, 'id' | 'name'> }
export type EnforceRateLimit = (
  endpoint: Endpoint,
  caller: LimitedCaller,
  clientAddress: string,
) => Promise<void>

/** The general rate limits; undefined if they are turned off. */
export function createRateLimits(
  counters: Counters,
  limits: GeneralLimits | 'off',
): EnforceRateLimit | undefined {
  if (limits === 'off') return undefined

  return async (endpoint, caller, clientAddress) => {
    const rule = ruleFor(limits, endpoint, caller, clientAddress)
    if (!rule) return
    const { count, resetsInMs } = await counters.hit(rule.key, MINUTE_MS).catch((error: unknown) => {
      // If the counters are down, requests are not limited, except sign-in: it fails, because its limit stops password guessing.
      if (endpoint.signIn) throw error
      return { count: 0, resetsInMs: 0 }
    })
    if (count > rule.perMinute) {
      throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / 1_000)) })
    }
  }
}

function ruleFor(limits: GeneralLimits, endpoint: Endpoint, caller: LimitedCaller, clientAddress: string) {
  const environment = caller.kind === 'none' ? undefined : caller.environment
  if (endpoint.signIn && environment?.name !== 'development') {
    return { key: `sign-in:${limitedAddress(clientAddress)}`, perMinute: limits.signInPerMinute }
  }
  if (caller.kind === 'developer')
    return { key: `session:${caller.session}`, perMinute: limits.developerPerMinute }
  // Development is not limited.
  if (environment?.name !== 'production') return undefined
  if ('key' in caller && caller.key.type === 'secret')
    return { key: `key:${caller.key.id}`, perMinute: limits.secretPerMinute }
  const from = `${environment.id}:${limitedAddress(clientAddress)}`
  if (endpoint.guest) return { key: `guests:${from}`, perMinute: limits.guestsPerMinute }
  return { key: `public:${from}`, perMinute: limits.publicPerMinute }
}
