import type { Clock } from '../../platform/clock.ts'
import { createGithub, type GithubEndpoints } from './github.ts'
import { createGoogle, type GoogleEndpoints } from './google.ts'
import { forClient, type IdentityProvider, type ProviderClient } from './identity.ts'

/** What SVC_PROVIDER_ENDPOINTS may replace. */
export type ProviderEndpoints = { google?: GoogleEndpoints; github?: GithubEndpoints }

type Needs = { clock: Clock; endpoints?: ProviderEndpoints; timeoutMs?: number }

export type IdentityProviders = ReturnType<typeof createIdentityProviders>

/** One deadline for all that a start or a finish needs of the provider. */
const TIMEOUT_MS = 5_000

export function createIdentityProviders({ clock, endpoints = {}, timeoutMs = TIMEOUT_MS }: Needs) {
  return {
    google: createGoogle(clock, timeoutMs, endpoints.google),
    github: createGithub(timeoutMs, endpoints.github),
  } satisfies Record<string, IdentityProvider>
}

export type SignInProviders = ReadonlyMap<string, ReturnType<typeof forClient>>

/** Those that developers may sign in with: the operator has a client of them. */
export function createSignInProviders(
  providers: Record<string, IdentityProvider>,
  clients: Record<string, ProviderClient | undefined>,
): SignInProviders {
  const offered = Object.entries(providers).flatMap(([name, provider]) => {
    const client = clients[name]
    return client ? [[name, forClient(provider, client)] as const] : []
  })
  return new Map(offered)
}
