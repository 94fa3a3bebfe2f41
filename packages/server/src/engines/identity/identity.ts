import { isEmailAddress } from '../../platform/email-address.ts'

/** Who somebody is, as an external provider tells it. `subject` is the provider's own id and never changes; the rest may. */
export type Identity = {
  subject: string
  email: string | null
  emailVerified: boolean
  name: string | null
  /** The handle, where the provider has such. */
  username: string | null
  avatarUrl: string | null
}

/** How the provider knows us: one client for all developers, one per environment for players. */
export type ProviderClient = { clientId: string; clientSecret: string }

/** `state`, `nonce` and `verifier` are random, of this one sign-in, and come back to `finish`. */
export type SignInRequest = {
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  /** Asks the provider to ask the person, even one who is signed in there. */
  selectAccount: boolean
}

/** What the provider sent to `redirectUri`, together with what the sign-in began with. */
export type SignInAnswer = Omit<SignInRequest, 'selectAccount'> & { parameters: Record<string, string> }

/** `reason` is for the operator's log; it holds no secret. `refusal` is the provider's own word, for whoever signs in (OAU-17). */
export type Failure = {
  failure: 'access_denied' | 'provider_error'
  reason: string
  refusal?: 'client-not-enrolled'
}

export type IdentityProvider<Client = ProviderClient> = {
  /** The address at the provider that the browser is sent to. */
  start(client: Client, request: SignInRequest): Promise<{ url: URL } | Failure>
  finish(client: Client, answer: SignInAnswer): Promise<{ identity: Identity } | Failure>
}

/** What the platform's own sign-in gave to an app. */
export type NativeSignIn = { idToken: string; nonce: string }
export type NativeFailure = { failure: 'invalid_id_token' | 'provider_error'; reason: string }

/** A provider whose ID tokens apps get without a browser. */
export type NativeProvider<Client = ProviderClient> = IdentityProvider<Client> & {
  verifyIdToken(client: Client, given: NativeSignIn): Promise<{ identity: Identity } | NativeFailure>
}

/** A provider for those who have one client of it. */
export const forClient = (provider: IdentityProvider, client: ProviderClient) => ({
  start: (request: SignInRequest) => provider.start(client, request),
  finish: (answer: SignInAnswer) => provider.finish(client, answer),
})

const SUBJECT_LENGTH_MAX = 255
const NAME_LENGTH_MAX = 80

/** What a provider said names nobody: an ID token like that is no proof of anything. */
export class UnusableSubject extends Error {}

/** Only the subject must be there and be sound (else `UnusableSubject`); what else a provider says is taken when it is usable. */
export function identityOf(told: { [Field in keyof Identity]?: unknown }): Identity {
  const subject = typeof told.subject === 'string' ? told.subject : ''
  if (subject === '' || subject.length > SUBJECT_LENGTH_MAX || /\p{C}/u.test(subject))
    throw new UnusableSubject('the provider names no usable subject')

  const email = emailOf(told.email)
  return {
    subject,
    email,
    emailVerified: email !== null && told.emailVerified === true,
    name: nameOf(told.name),
    username: nameOf(told.username),
    avatarUrl: avatarUrlOf(told.avatarUrl),
  }
}

const emailOf = (told: unknown): string | null =>
  typeof told === 'string' && isEmailAddress(told) ? told : null

function nameOf(told: unknown): string | null {
  if (typeof told !== 'string') return null
  const name = told.toWellFormed().replace(/\p{C}/gu, '').trim()
  return Array.from(name).slice(0, NAME_LENGTH_MAX).join('') || null
}

const avatarUrlOf = (told: unknown): string | null =>
  typeof told === 'string' && told.length <= 2_048 && URL.parse(told)?.protocol === 'https:' ? told : null
