import { isEmailAddress } from '../../platform/mail/address.ts'

/** A person, as an external provider describes them. */
export type Identity = {
  /** The provider's id of the person; it never changes. */
  subject: string
  email: string | null
  /** Whether the provider has confirmed the email address. */
  emailVerified: boolean
  /** Display name. */
  name: string | null
  /** The handle, if the provider has handles. */
  username: string | null
  /** Always https. */
  avatarUrl: string | null
}

/** Our client at the provider: one for all developers, one per environment for players. */
export type ProviderClient = { clientId: string; clientSecret: string }

/** One sign-in. `state`, `nonce` and `verifier` are random, and are passed again to `finish`. */
export type SignInRequest = {
  /** Where the provider sends the browser. */
  redirectUri: string
  /** Returned by the provider; protects against forged responses. */
  state: string
  /** Must be in the ID token. */
  nonce: string
  /** PKCE (RFC 7636). */
  verifier: string
  /** Asks the provider to show its account choice, even to a person who is signed in there. */
  selectAccount: boolean
}

/** The parameters that the provider sent to `redirectUri`, with the values of the request. */
export type SignInAnswer = Omit<SignInRequest, 'selectAccount'> & { parameters: Record<string, string> }

/** Why a sign-in failed. */
export type Failure = {
  failure: 'access_denied' | 'provider_error'
  /** For the operator's log; contains no secret. */
  reason: string
  /** The provider's error code, for the person who signs in (OAU-17). */
  refusal?: 'client-not-enrolled'
}

/** A provider of identities. Its methods do not throw if the provider fails: they return a `Failure`. */
export type IdentityProvider<Client = ProviderClient> = {
  /** The URL at the provider to which the browser is redirected. */
  start(client: Client, request: SignInRequest): Promise<{ url: URL } | Failure>
  /** Exchanges the provider's response for the identity. */
  finish(client: Client, answer: SignInAnswer): Promise<{ identity: Identity } | Failure>
}

/** The ID token that an app got from the sign-in of its platform. */
export type NativeSignIn = { idToken: string; nonce: string }
/** Why an ID token was not accepted. */
export type NativeFailure = { failure: 'invalid_id_token' | 'provider_error'; reason: string }

/** A provider whose ID tokens apps can get without a browser. */
export type NativeProvider<Client = ProviderClient> = IdentityProvider<Client> & {
  /** Checks signature, issuer, audience, expiry and nonce. */
  verifyIdToken(client: Client, input: NativeSignIn): Promise<{ identity: Identity } | NativeFailure>
}

/** A provider with a fixed client. */
export const forClient = (provider: IdentityProvider, client: ProviderClient) => ({
  start: (request: SignInRequest) => provider.start(client, request),
  finish: (answer: SignInAnswer) => provider.finish(client, answer),
})

const SUBJECT_LENGTH_MAX = 255
const NAME_LENGTH_MAX = 80

/** The provider returned no usable subject, so the ID token proves nothing. */
export class UnusableSubject extends Error {}

/** Throws `UnusableSubject` without a valid subject; other values are used if they are valid. */
export function identityOf(received: { [Field in keyof Identity]?: unknown }): Identity {
  const subject = typeof received.subject === 'string' ? received.subject : ''
  if (subject === '' || subject.length > SUBJECT_LENGTH_MAX || /\p{C}/u.test(subject))
    throw new UnusableSubject('the provider sent no usable subject')

  const email = emailOf(received.email)
  return {
    subject,
    email,
    emailVerified: email !== null && received.emailVerified === true,
    name: nameOf(received.name),
    username: nameOf(received.username),
    avatarUrl: avatarUrlOf(received.avatarUrl),
  }
}

const emailOf = (received: unknown): string | null =>
  typeof received === 'string' && isEmailAddress(received) ? received : null

function nameOf(received: unknown): string | null {
  if (typeof received !== 'string') return null
  const name = received.toWellFormed().replace(/\p{C}/gu, '').trim()
  return Array.from(name).slice(0, NAME_LENGTH_MAX).join('') || null
}

const avatarUrlOf = (received: unknown): string | null =>
  typeof received === 'string' && received.length <= 2_048 && URL.parse(received)?.protocol === 'https:'
    ? received
    : null
