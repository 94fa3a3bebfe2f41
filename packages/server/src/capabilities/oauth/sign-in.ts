import type { PlayerSignInError } from '@svc/contract/player-sign-in'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { Random } from '../../platform/random.ts'
import { newCode, RETENTION_AFTER_EXPIRY_MS, startSignIn } from '../../platform/security/sign-in.ts'
import type { ProviderResolver } from './provider-resolver.ts'
import { profileOf } from './provider.ts'
import type { NewCode, SignIn as Begun, SignInStore } from './sign-in-store.ts'

export type SignInDeps = {
  offer: ProviderResolver
  players: {
    /** The error that this identity would get now, so that the callback can already return the reason. */
    precheck(
      environmentId: string,
      identity: { provider: string; subject: string },
      linking: { id: string | null; orSignIn: boolean },
    ): Promise<'identity_already_linked' | 'player_banned' | undefined>
  }
  isRedirectAllowed(environment: Environment, redirectUrl: string): Promise<boolean>
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  baseUrl: string
  clock: Clock
  random: Random
  /** For the operator's log. */
  reportFailure(failure: { provider: string; reason: string }): void
}

export type SignIn = ReturnType<typeof createSignIn>

type Start = { redirectUrl: string; challenge: string; mode?: 'redirect' | 'popup'; orSignIn?: boolean }
/** The redirect of the callback; `fragment` has no `#`. */
export type Return = { redirectUrl: string; mode: string; fragment: string }

/**
 * External sign-in of players; `platform/sign-in.ts` describes its steps. The state is stored here and not in a cookie, because
 * Apple's response is a form sent from another site.
 */
export function createSignIn(store: SignInStore, deps: SignInDeps) {
  const { offer, players, isRedirectAllowed, findEnvironment, baseUrl, clock, reportFailure } = deps
  const redirectUri = (provider: string) => `${baseUrl}/v1/auth/oauth/${provider}/callback`

  return {
    /** With a player, the provider is linked to that player (OAU-06). */
    async start(
      environment: Environment,
      provider: string,
      { redirectUrl, challenge, mode = 'redirect', orSignIn = false }: Start,
      player?: Player,
    ): Promise<{ url: string }> {
      const offered = await offer(environment, provider)
      if (!(await isRedirectAllowed(environment, redirectUrl))) throw new ApiError('redirect_url_not_allowed')

      const request = { redirectUri: redirectUri(provider), selectAccount: player !== undefined }
      const { url, begun } = await startSignIn(provider, offered, request, deps)
      await store.begin({
        ...begun,
        environmentId: environment.id,
        provider,
        redirectUrl,
        challenge,
        mode,
        playerId: player?.id ?? null,
        linkSessionId: player?.sessionId ?? null,
        orSignIn: Number(orSignIn),
      })
      return { url }
    },

    /** Returns the redirect to the URL that was passed to `start`; undefined if the state is not known. */
    async callback(provider: string, parameters: Record<string, string>): Promise<Return | undefined> {
      const { state = '' } = parameters
      const begun = await store.take(sha256(state), provider)
      if (!begun) return undefined

      const { redirectUrl, mode } = begun
      const outcome = await finish(begun, state, parameters)
      if ('error' in outcome) return { redirectUrl, mode, fragment: `svc_error=${outcome.error}` }

      const { code, stored } = newCode(deps)
      await store.addCode({ ...stored, ...outcome.code })
      return { redirectUrl, mode, fragment: `svc_code=${code}` }
    },

    exportForPlayer: async (environmentId: string, playerId: string) => ({
      externalSignIns: await store.listOf(environmentId, playerId),
    }),
    removeForPlayer: store.removeForPlayer,
    purgeExpired: (stopping?: AbortSignal) =>
      store.sweep(timestamp(clock, -RETENTION_AFTER_EXPIRY_MS), stopping),
  }

  async function finish(
    begun: Begun,
    state: string,
    parameters: Record<string, string>,
  ): Promise<{ code: Omit<NewCode, 'codeHash' | 'expiresAt'> } | { error: PlayerSignInError }> {
    const { environmentId, provider, challenge, playerId, linkSessionId, orSignIn, verifier, nonce } = begun
    if (timestamp(clock) >= begun.expiresAt) return { error: 'state_expired' }

    const environment = await findEnvironment(environmentId)
    const offered = environment && (await offer(environment, provider).catch(refusalOf))
    if (!offered) return { error: 'provider_error' }
    if (offered instanceof ApiError) {
      return { error: offered.code === 'x_signin_unavailable' ? offered.code : 'provider_error' }
    }

    const answer = { redirectUri: redirectUri(provider), state, nonce, verifier, parameters }
    const finished = await offered.finish(answer)
    const bound = { environmentId, provider, challenge, playerId, linkSessionId, orSignIn }
    if ('identity' in finished) {
      const { subject } = finished.identity
      const linking = { id: playerId, orSignIn: orSignIn === 1 }
      const error = await players.precheck(environmentId, { provider, subject }, linking)
      if (error) return { error }
      return { code: { ...bound, subject, profile: profileOf(finished.identity), refusal: null } }
    }

    if (finished.failure === 'provider_error') reportFailure({ provider, reason: finished.reason })
    // OAU-17: the exchange returns this error, with status and details.
    if (finished.refusal) return { code: { ...bound, subject: '', profile: '', refusal: finished.refusal } }
    return { error: finished.failure }
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error
  throw error
}
