import type { Clock } from '../../platform/clock.ts'
import { type AppleEndpoints, createApple } from './apple.ts'
import { createDiscord, type DiscordEndpoints } from './discord.ts'
import { createGithub, type GithubEndpoints } from './github.ts'
import { createGoogle, type GoogleEndpoints } from './google.ts'
import { forClient, type IdentityProvider, type ProviderClient } from './identity.ts'
import { createInProcessProvider, type InProcessServer } from './in-process.ts'
import { createX, type XEndpoints } from './x.ts'

/** What SVC_PROVIDER_ENDPOINTS may replace. */
export type ProviderEndpoints = {
  google?: GoogleEndpoints
  github?: GithubEndpoints
  discord?: DiscordEndpoints
  apple?: AppleEndpoints
  x?: XEndpoints
}

type Needs = { clock: Clock; endpoints?: ProviderEndpoints; timeoutMs?: number }

export type IdentityProviders = ReturnType<typeof createIdentityProviders>

/** One deadline for all that a start or a finish needs of the provider. */
const TIMEOUT_MS = 5_000

export function createIdentityProviders({ clock, endpoints = {}, timeoutMs = TIMEOUT_MS }: Needs) {
  return {
    google: createGoogle(clock, timeoutMs, endpoints.google),
    github: createGithub(timeoutMs, endpoints.github),
    discord: createDiscord(timeoutMs, endpoints.discord),
    apple: createApple(clock, timeoutMs, endpoints.apple),
    x: createX(timeoutMs, endpoints.x),
    inProcess: (server: InProcessServer) => createInProcessProvider(clock, server),
  }
}

export type SignInProviders = ReadonlyMap<string, ReturnType<typeof forClient>>

/** Those that developers may sign in with: the operator has a client of them. */
export function createSignInProviders(
  { google, github }: Record<'google' | 'github', IdentityProvider>,
  clients: Record<'google' | 'github', ProviderClient | undefined>,
): SignInProviders {
  const offered = new Map<string, ReturnType<typeof forClient>>()
  if (clients.google) offered.set('google', forClient(google, clients.google))
  if (clients.github) offered.set('github', forClient(github, clients.github))
  return offered
}
