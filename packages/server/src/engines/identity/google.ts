import * as openid from 'openid-client'

import { type Clock, HOUR_MS } from '../../platform/clock.ts'
import { identityOf, type IdentityProvider } from './identity.ts'
import { authorizationUrl, configurationOf, orFailure, redeemCode } from './oauth.ts'
import { isLoopback, outbound } from './outbound.ts'

export type GoogleEndpoints = { issuer?: string }

const DISCOVERED_FOR_MS = HOUR_MS

type Discovered = { server: Promise<openid.ServerMetadata>; until: number }

/** OpenID Connect. The ID token comes straight from the provider over TLS, which stands for its signature (Core 3.1.3.7). */
export function createGoogle(
  clock: Clock,
  timeoutMs: number,
  endpoints: GoogleEndpoints = {},
): IdentityProvider {
  const issuer = new URL(endpoints.issuer ?? 'https://accounts.google.com')
  let discovered: Discovered | undefined

  return {
    start: (client, request) =>
      orFailure(async () => {
        const fetch = outbound(AbortSignal.timeout(timeoutMs))
        const configuration = configurationOf(await discover(fetch), client, fetch)
        const parameters = { scope: 'openid email profile', nonce: request.nonce }
        return { url: await authorizationUrl(configuration, request, parameters) }
      }),

    finish: (client, answer) =>
      orFailure(async () => {
        const fetch = outbound(AbortSignal.timeout(timeoutMs))
        const configuration = configurationOf(await discover(fetch), client, fetch)
        const tokens = await redeemCode(configuration, answer, { expectedNonce: answer.nonce })
        const claims = tokens.claims()
        return {
          identity: identityOf({
            subject: claims?.sub,
            email: claims?.['email'],
            emailVerified: claims?.['email_verified'],
            name: claims?.['name'],
            avatarUrl: claims?.['picture'],
          }),
        }
      }),
  }

  /** Those who ask at once share one request; a failure is not remembered. */
  function discover(fetch: openid.CustomFetch): Promise<openid.ServerMetadata> {
    const now = clock.now().getTime()
    if (discovered && now < discovered.until) return discovered.server

    const mine: Discovered = { server: ask(fetch), until: now + DISCOVERED_FOR_MS }
    mine.server.catch(() => {
      if (discovered === mine) discovered = undefined
    })
    discovered = mine
    return mine.server
  }

  async function ask(fetch: openid.CustomFetch): Promise<openid.ServerMetadata> {
    const configuration = await openid.discovery(issuer, 'discovery', undefined, undefined, {
      [openid.customFetch]: fetch,
      execute: isLoopback(issuer) ? [openid.allowInsecureRequests] : [],
    })
    return configuration.serverMetadata()
  }
}
