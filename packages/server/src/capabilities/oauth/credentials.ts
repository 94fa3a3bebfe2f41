import { type Provider, PROVIDERS } from '@svc/contract/common/features'
import type { Actor } from '@svc/contract/common/schemas'
import type {
  ProviderCredentialsInput,
  ProviderCredentials,
} from '@svc/contract/developers/provider-credentials'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import { type PublicSettings, type ReadCredentials, validateCredentials } from './credential-validation.ts'
import type { CredentialStore, StoredCredentials, Transaction } from './store.ts'

type CredentialDeps = {
  clock: Clock
  baseUrl: string
  /** Whether the operator has a shared client at X, for apps without their own. */
  sharedXApp: boolean
  secrets: {
    write(transaction: Transaction, id: string, plaintext: string): Promise<void>
    remove(transaction: Transaction, id: string): Promise<void>
    read(id: string): Promise<string | undefined>
  }
  audit: Audit<Transaction>
}

export type Credentials = ReturnType<typeof createCredentials>

/** The credentials of external providers, per environment. Secrets are stored encrypted and never shown (OAU-18). */
export function createCredentials(store: CredentialStore, deps: CredentialDeps) {
  const { clock, baseUrl, sharedXApp, secrets, audit } = deps

  const view = (provider: Provider, stored: StoredCredentials | undefined): ProviderCredentials => {
    const settings: PublicSettings = stored ? JSON.parse(stored.settings) : {}
    return {
      provider,
      configured: stored !== undefined,
      redirectUri: `${baseUrl}/v1/auth/oauth/${provider}/callback`,
      secretSet: stored !== undefined && !settings.testProvider && !settings.useShared,
      updatedAt: stored?.updatedAt ?? null,
      ...settings,
    }
  }

  return {
    async list({ id }: Environment): Promise<{ providers: ProviderCredentials[] }> {
      const stored = new Map((await store.list(id)).map((credentials) => [credentials.provider, credentials]))
      return { providers: PROVIDERS.map((provider) => view(provider, stored.get(provider))) }
    },

    async read({ id }: Environment, name: string): Promise<ProviderCredentials> {
      const provider = providerOf(name)
      return view(provider, await store.find(id, provider))
    },

    async write(environment: Environment, name: string, actor: Actor, input: ProviderCredentialsInput) {
      const { id, name: env } = environment
      const provider = providerOf(name)
      const { settings, secret } = validateCredentials(input, { provider, env, sharedXApp })
      const updatedAt = timestamp(clock)
      const stored = { environmentId: id, provider, settings: JSON.stringify(settings), updatedAt }

      await store.change(id, provider, async (transaction) => {
        await store.write(transaction, stored)
        if (secret === undefined) await secrets.remove(transaction, secretId(id, provider))
        else await secrets.write(transaction, secretId(id, provider), secret)
        const entry = changeIn(environment, actor, 'provider.credentials.set', provider, settings)
        await audit.record(transaction, entry)
      })
      return view(provider, stored)
    },

    async remove(environment: Environment, name: string, actor: Actor): Promise<{ deleted: true }> {
      const { id } = environment
      const provider = providerOf(name)
      await store.change(id, provider, async (transaction) => {
        if (!(await store.remove(transaction, id, provider))) throw new ApiError('not_found')
        await secrets.remove(transaction, secretId(id, provider))
        const entry = changeIn(environment, actor, 'provider.credentials.removed', provider)
        await audit.record(transaction, entry)
      })
      return { deleted: true }
    },

    /** The stored credentials including the secret, for calls to the provider. */
    async open(environmentId: string, provider: Provider): Promise<ReadCredentials | undefined> {
      const stored = await store.find(environmentId, provider)
      if (!stored) return undefined
      const settings: PublicSettings = JSON.parse(stored.settings)
      return { settings, secret: await secrets.read(secretId(environmentId, provider)) }
    },

    async removeEnvironment(transaction: Transaction, environmentId: string): Promise<void> {
      for (const provider of PROVIDERS) {
        await store.remove(transaction, environmentId, provider)
        await secrets.remove(transaction, secretId(environmentId, provider))
      }
    },
  }
}

const secretId = (environmentId: string, provider: Provider) => `oauth:${environmentId}:${provider}`

/** An unknown name answers like a provider that is off (OAU-02). */
function providerOf(name: string): Provider {
  const provider = PROVIDERS.find((known) => known === name)
  if (!provider) throw new ApiError('provider_disabled')
  return provider
}
