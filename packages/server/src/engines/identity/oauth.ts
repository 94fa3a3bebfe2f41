import * as openid from 'openid-client'

import type { Failure, ProviderClient, SignInAnswer, SignInRequest } from './identity.ts'
import { isLoopback } from './provider-fetch.ts'

/** The common part of all providers: OAuth 2 with code, state, and PKCE S256. */

export function configurationOf(
  server: openid.ServerMetadata,
  { clientId, clientSecret }: ProviderClient,
  fetch: openid.CustomFetch,
  authenticate: openid.ClientAuth = openid.ClientSecretPost(clientSecret),
): openid.Configuration {
  const configuration = new openid.Configuration(server, clientId, clientSecret, authenticate)
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

/** For OAuth 2 without OpenID: reads the identity from the provider's API. */
export async function readProfile<T>(
  configuration: openid.Configuration,
  accessToken: string,
  address: string,
  accept = 'application/json',
): Promise<T> {
  const headers = new Headers({ accept })
  const url = new URL(address)
  const answer = await openid.fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers)
  if (answer.status !== 200) throw new Error(`${url.pathname} answered ${answer.status}`)
  return (await answer.json()) as T
}

/** The provider rejects our client, independent of the person. */
export class NotEnrolled extends Error {}

/** Errors for a person who denied the sign-in; the second is Apple's. */
const DENIED = ['access_denied', 'user_cancelled_authorize']

/** Returns all errors of a provider as a `Failure`, not as an exception. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work()
  } catch (error) {
    const denied = error instanceof openid.AuthorizationResponseError && DENIED.includes(error.error)
    const notEnrolled = error instanceof Error && [error, error.cause].some((e) => e instanceof NotEnrolled)
    return {
      failure: denied ? 'access_denied' : 'provider_error',
      reason: reasonOf(error),
      ...(notEnrolled && { refusal: 'client-not-enrolled' }),
    }
  }
}

/** Messages only: other fields of causes may contain codes and tokens. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const received =
    error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError
  if (received) return `${error.message} (${error.error})`
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
