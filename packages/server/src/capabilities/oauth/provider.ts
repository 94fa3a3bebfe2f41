/** The types of providers; engines/identity implements them. */

export type ExternalIdentity = {
  subject: string
  email: string | null
  name: string | null
  username: string | null
  avatarUrl: string | null
}

type OneSignIn = { redirectUri: string; state: string; nonce: string; verifier: string }
export type SignInRequest = OneSignIn & { selectAccount: boolean }
export type SignInAnswer = OneSignIn & { parameters: Record<string, string> }
export type NativeSignIn = { idToken: string; nonce: string }

type Failure = {
  failure: 'access_denied' | 'provider_error'
  reason: string
  refusal?: 'client-not-enrolled'
}
type NativeFailure = { failure: 'invalid_id_token' | 'provider_error'; reason: string }

/** Calls a provider, with any client. */
export type ProviderEngine<Client> = {
  start(client: Client, request: SignInRequest): Promise<{ url: URL } | Failure>
  finish(client: Client, answer: SignInAnswer): Promise<{ identity: ExternalIdentity } | Failure>
  verifyIdToken?(client: Client, input: NativeSignIn): Promise<{ identity: ExternalIdentity } | NativeFailure>
}

/** A provider with the client of one environment. */
export type ResolvedProvider = {
  start(request: SignInRequest): Promise<{ url: URL } | Failure>
  finish(answer: SignInAnswer): Promise<{ identity: ExternalIdentity } | Failure>
  verifyIdToken?(input: NativeSignIn): Promise<{ identity: ExternalIdentity } | NativeFailure>
}

export function withClient<Client>(engine: ProviderEngine<Client>, client: Client): ResolvedProvider {
  const { start, finish, verifyIdToken } = engine
  return {
    start: (request) => start(client, request),
    finish: (answer) => finish(client, answer),
    ...(verifyIdToken && { verifyIdToken: (input) => verifyIdToken(client, input) }),
  }
}

export type OAuthClient = { clientId: string; clientSecret: string }
export type AppleClient = {
  servicesId: string
  bundleId?: string
  teamId: string
  keyId: string
  privateKey: string
}

/** The part of a provider's data that is stored. */
export const profileOf = ({ name, username, avatarUrl, email }: ExternalIdentity): string =>
  JSON.stringify({ name, username, avatarUrl, email })
