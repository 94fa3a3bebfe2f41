import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import * as openid from 'openid-client'

import { type Clock, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import {
  type Identity,
  identityOf,
  type NativeFailure,
  type NativeSignIn,
  type ProviderClient,
  type SignInAnswer,
  type SignInRequest,
  UnusableSubject,
} from './identity.ts'
import { authorizationUrl, configurationOf, reasonOf, redeemCode } from './oauth.ts'
import { isLoopback, outbound } from './provider-fetch.ts'

export type OpenIdOptions = {
  issuer: string
  clock: Clock
  timeoutMs: number
}

export type OpenId = ReturnType<typeof createOpenId>

const DISCOVERED_FOR_MS = HOUR_MS
const KEYS_TTL_MS = 10 * MINUTE_MS
/** The keys are read again for an ID token with an unknown key, but not more often than this. */
const KEYS_COOLDOWN_MS = 30_000

type Discovered = { server: Promise<openid.ServerMetadata>; until: number }

/** The common part of providers with OpenID Connect. */
export function createOpenId({ issuer: address, clock, timeoutMs }: OpenIdOptions) {
  const issuer = new URL(address)
  let discovered: Discovered | undefined
  let keys: { address: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined

  async function configure(client: ProviderClient) {
    const fetch = outbound(AbortSignal.timeout(timeoutMs))
    return configurationOf(await discover(fetch), client, fetch)
  }

  /** Concurrent callers share one request; a failure is not cached. */
  function discover(fetch: openid.CustomFetch): Promise<openid.ServerMetadata> {
    const now = clock.elapsedMs()
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

  function keysAt(address: string | undefined) {
    if (address === undefined) throw new Error('the discovery document contains no URL of keys')
    if (keys?.address === address) return keys.find
    const find = createRemoteJWKSet(new URL(address), {
      timeoutDuration: timeoutMs,
      cacheMaxAge: KEYS_TTL_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customFetch]: (url, { signal }) =>
        outbound(signal)(url, { method: 'GET', redirect: 'manual', headers: {}, body: undefined }),
    })
    keys = { address, find }
    return find
  }

  return {
    async start(client: ProviderClient, request: SignInRequest, parameters: Record<string, string>) {
      const url = await authorizationUrl(await configure(client), request, {
        nonce: request.nonce,
        ...parameters,
      })
      return { url }
    },

    /** The ID token comes directly from the provider over TLS, so its signature need not be checked (Core 3.1.3.7). */
    async finish(client: ProviderClient, answer: SignInAnswer): Promise<Record<string, unknown>> {
      const tokens = await redeemCode(await configure(client), answer, { expectedNonce: answer.nonce })
      return tokens.claims() ?? {}
    },

    /** Verifies an ID token from an app: signature, issuer, audience, expiry and nonce (OAU-14). */
    async verify(
      audience: string[],
      { idToken, nonce }: NativeSignIn,
      alsoIssuer: string[] = [],
    ): Promise<{ identity: Identity } | NativeFailure> {
      try {
        const server = await discover(outbound(AbortSignal.timeout(timeoutMs)))
        const { payload } = await jwtVerify(idToken, keysAt(server.jwks_uri), {
          algorithms: ['RS256', 'ES256'],
          issuer: [server.issuer, ...alsoIssuer],
          audience,
          currentDate: clock.now(),
          requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
        })
        const isOurs = payload['nonce'] === nonce || payload['nonce'] === sha256(nonce)
        if (!isOurs) return { failure: 'invalid_id_token', reason: 'another nonce' }
        return { identity: identityOf(standardClaims(payload)) }
      } catch (error) {
        const reason = reasonOf(error)
        return isOfToken(error)
          ? { failure: 'invalid_id_token', reason }
          : { failure: 'provider_error', reason }
      }
    },
  }
}

/** False if the keys could not be read: then the provider failed, and the token may be valid. */
const isOfToken = (error: unknown) =>
  error instanceof UnusableSubject ||
  (error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC')

/** The standard claims. Apple sends `email_verified` as text. */
export const standardClaims = (claims: Record<string, unknown>) => ({
  subject: claims['sub'],
  email: claims['email'],
  emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
  name: claims['name'],
  username: claims['preferred_username'],
  avatarUrl: claims['picture'],
})
