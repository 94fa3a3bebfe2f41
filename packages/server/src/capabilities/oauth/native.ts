import type { SessionView } from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { OpenedSession, ExternalIdentity } from './exchange.ts'
import type { ProviderResolver } from './provider-resolver.ts'
import { profileOf } from './provider.ts'
import type { SignInStore, Transaction } from './sign-in-store.ts'

type NativeDeps = {
  offer: ProviderResolver
  players: {
    signInNatively(
      transaction: Transaction,
      environmentId: string,
      externalIdentity: ExternalIdentity,
      caller: Player,
      wantsLink: boolean,
    ): Promise<OpenedSession & { linked: boolean }>
    answer(environmentId: string, openedSession: OpenedSession): Promise<SessionView>
  }
  reportFailure(failure: { provider: string; reason: string }): void
}

export type Native = ReturnType<typeof createNative>

type NativeSignInInput = { idToken: string; nonce: string; link?: boolean; name?: string }

/** Sign-in with the dialog of the platform, which gives the app an ID token (OAU-13, OAU-14). */
export function createNative(store: SignInStore, { offer, players, reportFailure }: NativeDeps) {
  return async (
    environment: Environment,
    caller: Player,
    provider: string,
    { idToken, nonce, link = false, name }: NativeSignInInput,
  ): Promise<SessionView & { provider: string; linked: boolean }> => {
    if (provider !== 'apple' && provider !== 'google') throw new ApiError('provider_disabled')
    const { verifyIdToken } = await offer(environment, provider)
    // The built-in test provider has no native dialog.
    if (!verifyIdToken) throw new ApiError('provider_not_configured')

    const verified = await verifyIdToken({ idToken, nonce })
    if ('failure' in verified) {
      if (verified.failure === 'invalid_id_token') throw new ApiError('invalid_id_token')
      reportFailure({ provider, reason: verified.reason })
      throw new ApiError('service_unavailable', { provider })
    }

    // Apple sends the name only to the app, and only once.
    const identity = { ...verified.identity, name: verified.identity.name ?? name ?? null }
    const externalIdentity = {
      provider,
      subject: identity.subject,
      name: identity.name,
      profile: profileOf(identity),
    }
    const { linked, ...openedSession } = await store.transaction((transaction) =>
      players.signInNatively(transaction, environment.id, externalIdentity, caller, link),
    )
    return { ...(await players.answer(environment.id, openedSession)), provider, linked }
  }
}
