import type { Clock } from '../../platform/clock.ts'
import { lazy } from '../../platform/memory/lazy.ts'
import type { AppleEndpoints } from './apple.ts'
import type { DiscordEndpoints } from './discord.ts'
import type { GithubEndpoints } from './github.ts'
import type { GoogleEndpoints } from './google.ts'
import { forClient, type IdentityProvider, type NativeProvider, type ProviderClient } from './identity.ts'
import type { InProcessServer } from './in-process.ts'
import type { XEndpoints } from './x.ts'

/** What SVC_PROVIDER_ENDPOINTS may replace. */
export type ProviderEndpoints = {
  google?: GoogleEndpoints
  github?: GithubEndpoints
  discord?: DiscordEndpoints
  apple?: AppleEndpoints
  x?: XEndpoints
}

type Deps = { clock: Clock; endpoints?: ProviderEndpoints; timeoutMs?: number }

/** All providers, for the sign-in of players. */
export type IdentityProviders = ReturnType<typeof createIdentityProviders>

/** Deadline for all requests to the provider in one start or finish. */
const TIMEOUT_MS = 5_000

/** Each provider is loaded at its first use, so that the start of the service does not wait for it. */
export function createIdentityProviders({ clock, endpoints = {}, timeoutMs = TIMEOUT_MS }: Deps) {
  return {
    google: nativeOnDemand(async () =>
      (await import('./google.ts')).createGoogle(clock, timeoutMs, endpoints.google),
    ),
    github: onDemand(async () => (await import('./github.ts')).createGithub(timeoutMs, endpoints.github)),
    discord: onDemand(async () => (await import('./discord.ts')).createDiscord(timeoutMs, endpoints.discord)),
    apple: nativeOnDemand(async () =>
      (await import('./apple.ts')).createApple(clock, timeoutMs, endpoints.apple),
    ),
    x: onDemand(async () => (await import('./x.ts')).createX(timeoutMs, endpoints.x)),
    inProcess: (server: InProcessServer) =>
      onDemand(async () => (await import('./in-process.ts')).createInProcessProvider(clock, server)),
  }
}

function onDemand<Client>(load: () => Promise<IdentityProvider<Client>>): IdentityProvider<Client> {
  const provider = lazy(load)
  return {
    start: async (client, request) => (await provider()).start(client, request),
    finish: async (client, answer) => (await provider()).finish(client, answer),
  }
}

function nativeOnDemand<Client>(load: () => Promise<NativeProvider<Client>>): NativeProvider<Client> {
  const provider = lazy(load)
  return {
    ...onDemand(async () => provider()),
    verifyIdToken: async (client, input) => (await provider()).verifyIdToken(client, input),
  }
}

/** Providers by name, for the sign-in of developers. */
export type SignInProviders = ReadonlyMap<string, ReturnType<typeof forClient>>

/** The providers for which the operator has configured a client. */
export function createSignInProviders(
  { google, github }: Record<'google' | 'github', IdentityProvider>,
  clients: Record<'google' | 'github', ProviderClient | undefined>,
): SignInProviders {
  const offered = new Map<string, ReturnType<typeof forClient>>()
  if (clients.google) offered.set('google', forClient(google, clients.google))
  if (clients.github) offered.set('github', forClient(github, clients.github))
  return offered
}
