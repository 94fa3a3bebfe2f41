import * as openid from 'openid-client'

import type { Failure, ProviderClient, SignInAnswer, SignInRequest } from './identity.ts'
import { isLoopback } from './outbound.ts'

/** What the providers have in common: OAuth 2 with code, state, and PKCE S256. */

export function configurationOf(
  server: openid.ServerMetadata,
  { clientId, clientSecret }: ProviderClient,
  fetch: openid.CustomFetch,
): openid.Configuration {
  const configuration = new openid.Configuration(server, clientId, clientSecret)
  configuration[openid.customFetch] = fetch
  if (isLoopback(new URL(server.issuer))) openid.allowInsecureRequests(configuration)
  return configuration
}

export async function authorizationUrl(
  configuration: openid.Configuration,
  { redirectUri, state, verifier, selectAccount }: SignInRequest,
  parameters: Record<string, string>,
): Promise<URL> {
  return openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(selectAccount && { prompt: 'select_account' }),
    ...parameters,
  })
}

export function redeemCode(
  configuration: openid.Configuration,
  { redirectUri, state, verifier, parameters }: SignInAnswer,
  checks: Pick<openid.AuthorizationCodeGrantChecks, 'expectedNonce'> = {},
) {
  const callbackUrl = new URL(redirectUri)
  callbackUrl.search = new URLSearchParams(parameters).toString()
  return openid.authorizationCodeGrant(configuration, callbackUrl, {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...checks,
  })
}

/** Whatever goes wrong between us and a provider is an answer, not an exception. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work()
  } catch (error) {
    const denied = error instanceof openid.AuthorizationResponseError && error.error === 'access_denied'
    return { failure: denied ? 'access_denied' : 'provider_error', reason: reasonOf(error) }
  }
}

/** Messages only: causes may carry codes and tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const told = error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError
  if (told) return `${error.message} (${error.error})`
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
