import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../api-error.ts'
import { type Clock, MINUTE_MS, timestamp } from '../clock.ts'
import { sha256 } from '../crypto.ts'
import { type Random, randomToken } from '../random.ts'

/** What a provider gets at the start of a sign-in, and again at its end. */
export type ProviderRequest = { redirectUri: string; state: string; nonce: string; verifier: string }
/** `reason` is for the operator's log. */
export type ProviderFailure = { failure: 'access_denied' | 'provider_error'; reason: string }

type Provider = {
  start(request: ProviderRequest & { selectAccount: boolean }): Promise<{ url: URL } | ProviderFailure>
}
/** What the steps of a sign-in need. */
export type SignInDeps = {
  clock: Clock
  random: Random
  /** For the operator's log. */
  reportFailure(failure: { provider: string; reason: string }): void
}

const SIGN_IN_MS = 10 * MINUTE_MS
const CODE_MS: number = LIMITS.exchangeCodeTtlMs
/** Expired and used sign-ins are kept for this time, so that they can be distinguished from unknown ones. */
export const RETENTION_AFTER_EXPIRY_MS = 10 * MINUTE_MS

/**
 * External sign-in: start → the provider → callback → the page that started it → exchange. Nothing takes effect before the exchange,
 * where the verifier proves that the same client started the sign-in: otherwise a mailed link could link a victim's identity to an
 * attacker's account. Developers and players have the same steps, with tables of their own.
 *
 * Returns the provider's URL, and what the callback needs.
 */
export async function startSignIn(
  name: string,
  provider: Provider,
  request: { redirectUri: string; selectAccount: boolean },
  { clock, random, reportFailure }: SignInDeps,
) {
  const [state, nonce, verifier] = [randomToken(random), randomToken(random), randomToken(random)]
  const started = await provider.start({ ...request, state, nonce, verifier })
  if ('failure' in started) {
    reportFailure({ provider: name, reason: started.reason })
    throw new ApiError('service_unavailable', { provider: name })
  }
  const expiresAt = timestamp(clock, SIGN_IN_MS)
  return { url: started.url.href, begun: { stateHash: sha256(state), verifier, nonce, expiresAt } }
}

/** A code for the exchange, and what is stored of it. */
export function newCode({ clock, random }: Pick<SignInDeps, 'clock' | 'random'>, lifetimeMs = CODE_MS) {
  const code = randomToken(random)
  return { code, stored: { codeHash: sha256(code), expiresAt: timestamp(clock, lifetimeMs) } }
}

/** Whether a code has not expired and the verifier belongs to its challenge (S256 of RFC 7636). */
export const provesCode = (
  { expiresAt, challenge }: { expiresAt: string; challenge: string },
  verifier: string,
  clock: Clock,
): boolean =>
  timestamp(clock) < expiresAt && Buffer.from(sha256(verifier), 'hex').toString('base64url') === challenge
