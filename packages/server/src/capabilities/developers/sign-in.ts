import type { SignInError, SignInIntent } from '@svc/contract/developers/sign-in'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Random } from '../../platform/random.ts'
import {
  newCode,
  type ProviderFailure,
  type ProviderRequest,
  RETENTION_AFTER_EXPIRY_MS,
  startSignIn,
} from '../../platform/security/sign-in.ts'
import { createExchange, type ExchangeDeps } from './exchange.ts'
import { createIdentities, type IdentityDeps } from './identities.ts'
import { isReturnAddress } from './redirects.ts'
import type { SignInStore } from './sign-in-store.ts'

/** A provider, called by an engine that has our client id and secret. */
type SignInProvider = {
  start(request: ProviderRequest & { selectAccount: boolean }): Promise<{ url: URL } | ProviderFailure>
  finish(
    answer: ProviderRequest & { parameters: Record<string, string> },
  ): Promise<{ identity: ProviderProfile } | ProviderFailure>
}
type ProviderProfile = { subject: string; email: string | null; emailVerified: boolean; name: string | null }

export type SignInDeps = ExchangeDeps &
  IdentityDeps & {
    /** The providers for which the operator has configured a client; the others are disabled. */
    providers: ReadonlyMap<string, SignInProvider>
    baseUrl: string
    clock: Clock
    random: Random
    /** For the operator's log. */
    reportFailure: (failure: { provider: string; reason: string }) => void
  }

export type SignIn = ReturnType<typeof createSignIn>

type Start = { redirectUrl: string; challenge: string; intent?: SignInIntent }
type Callback = { redirectTo: string } | { problem: 'provider_disabled' | 'state_expired' }

const WRONG_RETURN = 'redirectUrl must be on the origin of this service, or on localhost.'

/** External sign-in of developers; `platform/sign-in.ts` describes its steps. */
export function createSignIn(store: SignInStore, deps: SignInDeps) {
  const { sessions, providers, baseUrl, clock, reportFailure } = deps
  const redirectUri = (provider: string) => `${baseUrl}/v1/developers/oauth/${provider}/callback`

  async function requireDeveloper(bearer: string | undefined): Promise<string> {
    const developer = bearer === undefined ? undefined : await sessions.find(bearer)
    if (!developer) throw new ApiError('unauthorized')
    return developer.id
  }

  return {
    /** `oauthProviders` of the platform info (DEV-06). */
    providers: [...providers.keys()],
    exchange: createExchange(store, deps),
    identities: createIdentities(store, deps),

    async start(
      name: string,
      { redirectUrl, challenge, intent = 'signin' }: Start,
      bearer: string | undefined,
    ) {
      const provider = providers.get(name)
      if (!provider) throw new ApiError('provider_disabled')
      if (!isReturnAddress(redirectUrl, baseUrl))
        throw new ApiError('redirect_url_not_allowed', undefined, { message: WRONG_RETURN })
      const developerId = intent === 'signin' ? null : await requireDeveloper(bearer)

      const request = { redirectUri: redirectUri(name), selectAccount: intent !== 'signin' }
      const { url, begun } = await startSignIn(name, provider, request, deps)
      await store.begin({ ...begun, provider: name, redirectUrl, challenge, intent, developerId })
      return { url }
    },

    /** Redirects only to the URL that was passed to `start`; if the state is unknown, it returns a page instead. */
    async callback(name: string, parameters: Record<string, string>): Promise<Callback> {
      const provider = providers.get(name)
      if (!provider) return { problem: 'provider_disabled' }
      const { state = '' } = parameters
      const begun = await store.take(sha256(state), name)
      if (!begun) return { problem: 'state_expired' }

      const { redirectUrl, challenge, intent, developerId, verifier, nonce } = begun
      const backWith = (error: SignInError) => ({ redirectTo: `${redirectUrl}#svc_error=${error}` })
      if (timestamp(clock) >= begun.expiresAt) return backWith('state_expired')

      const finished = await provider.finish({
        redirectUri: redirectUri(name),
        state,
        nonce,
        verifier,
        parameters,
      })
      if ('failure' in finished) {
        if (finished.failure === 'provider_error') reportFailure({ provider: name, reason: finished.reason })
        return backWith(finished.failure)
      }

      const { subject, email, emailVerified, name: called } = finished.identity
      const isNew = intent === 'signin' && !(await store.findIdentity({ provider: name, subject }))
      if (isNew && email === null) return backWith('email_required')

      const { code, stored } = newCode(deps)
      const identity = { provider: name, subject, email, emailVerified: emailVerified ? 1 : 0, name: called }
      await store.addCode({ ...stored, ...identity, challenge, intent, developerId })
      return { redirectTo: `${redirectUrl}#svc_code=${code}` }
    },

    purgeExpired: (stopping?: AbortSignal) =>
      store.sweep(timestamp(clock, -RETENTION_AFTER_EXPIRY_MS), stopping),
  }
}
