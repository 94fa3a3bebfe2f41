import { type Provider, PROVIDERS } from '@svc/contract/common/features'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { ReadCredentials } from './credential-validation.ts'
import type { Credentials } from './credentials.ts'
import {
  type AppleClient,
  type ResolvedProvider,
  type OAuthClient,
  type ProviderEngine,
  withClient,
} from './provider.ts'

export type OfferDeps = {
  credentials: Pick<Credentials, 'open'>
  config: {
    current(environmentId: string): Awaitable<{
      config: { auth: { providers: Record<Provider, { enabled: boolean }> } }
    }>
  }
  engines: Record<'google' | 'discord' | 'x', ProviderEngine<OAuthClient>> & {
    apple: ProviderEngine<AppleClient>
  }
  testProvider: ProviderEngine<{ clientId: string }>
  /** The operator's shared client at X, and whether X charges for its sign-ins. */
  sharedXApp: OAuthClient | undefined
  xSignInCharged: boolean
  /** Whether the project of this environment owes money. */
  sharedAppOverdue(environment: Environment): Promise<boolean>
  /** Called for every player that the shared app has identified. */
  noteSharedSignIn(environmentId: string): void
}

/** A provider with the client that an environment has stored; undefined without one. */
export const createProviderBinding =
  ({ engines, testProvider, sharedXApp }: Pick<OfferDeps, 'engines' | 'testProvider' | 'sharedXApp'>) =>
  (environmentId: string, provider: Provider, { settings, secret }: ReadCredentials) => {
    if (settings.testProvider) {
      return withClient(testProvider, { clientId: testClientId(environmentId, provider) })
    }
    if (settings.useShared) return sharedXApp && withClient(engines.x, sharedXApp)
    if (secret === undefined) return undefined
    if (provider !== 'apple') {
      return withClient(engines[provider], { clientId: settings.clientId ?? '', clientSecret: secret })
    }
    const { servicesId = '', teamId = '', keyId = '', bundleId } = settings
    const client = { servicesId, teamId, keyId, privateKey: secret }
    return withClient(engines.apple, bundleId === undefined ? client : { ...client, bundleId })
  }

export type ProviderResolver = ReturnType<typeof createProviderResolver>

/** Which providers an environment signs its players in with: enabled in its config, and with credentials stored. */
export function createProviderResolver(deps: OfferDeps) {
  const { credentials, config, xSignInCharged, sharedAppOverdue } = deps

  const counted = (provider: ResolvedProvider, environmentId: string): ResolvedProvider => ({
    ...provider,
    async finish(answer) {
      const finished = await provider.finish(answer)
      if ('identity' in finished) deps.noteSharedSignIn(environmentId)
      return finished
    },
  })

  const bind = createProviderBinding(deps)

  /** Checks in this order: not enabled, no credentials, not available at the moment. */
  return async (environment: Environment, name: string): Promise<ResolvedProvider> => {
    const provider = PROVIDERS.find((known) => known === name)
    const current = await config.current(environment.id)
    if (!provider || !current.config.auth.providers[provider].enabled) throw new ApiError('provider_disabled')

    const stored = await credentials.open(environment.id, provider)
    const offered = stored && bind(environment.id, provider, stored)
    if (!offered) throw new ApiError('provider_not_configured')

    const mayOwe = stored.settings.useShared && xSignInCharged
    if (mayOwe && (await sharedAppOverdue(environment))) {
      throw new ApiError('x_signin_unavailable', { continueAsGuest: true })
    }
    return stored.settings.useShared ? counted(offered, environment.id) : offered
  }
}

/** The client id of an environment at the built-in test provider. */
const testClientId = (environmentId: string, provider: string) => `${environmentId}.${provider}`
