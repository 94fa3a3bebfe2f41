import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { type InteractionContext, interactionPolicy, Provider } from 'oidc-provider'

/** A test account; its name is its subject. */
export type Account = { email?: string; emailVerified?: boolean; name?: string; picture?: string }

export type ProviderOptions = {
  redirectUris: string[]
  accounts: Record<string, Account>
  clientId?: string
  clientSecret?: string
}

/** The choice on the sign-in page: an account, or deny. */
export type Choice = { account: string } | { deny: true }

/** A real OpenID provider on this machine, strict about PKCE, whose sign-in page `signIn` submits. */
export async function startOidcProvider({
  redirectUris,
  accounts,
  clientId = 'test-client',
  clientSecret = 'test-client-secret',
}: ProviderOptions) {
  const { server, origin } = await listen((request, response) => answer(request, response))

  const provider = new Provider(origin, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    // Like Google: the ID token itself contains email and name.
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    interactions: { policy: policyWithAccountSelection(), url: () => '/choose' },
    findAccount: (_: unknown, subject: string) => findAccount(subject),
    // Consent is given by signing in.
    loadExistingGrant: async ({ oidc }: InteractionContext) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const openId = provider.callback()

  const answer: RequestListener = (request, response) => {
    if (request.url !== '/choose') return openId(request, response)
    const choice = JSON.parse(String(request.headers['x-choice'])) as Choice
    const result =
      'account' in choice
        ? { login: { accountId: choice.account }, select_account: {} }
        : { error: 'access_denied', error_description: 'the person said no' }
    provider.interactionFinished(request, response, result).catch((error) => response.destroy(error))
  }

  function findAccount(subject: string) {
    const account = accounts[subject]
    if (!account) return undefined
    const { email, emailVerified, name, picture } = account
    return {
      accountId: subject,
      claims: () => ({ sub: subject, email, email_verified: emailVerified, name, picture }),
    }
  }

  return { issuer: origin, clientId, clientSecret, signIn, close: () => close(server) }
}

function policyWithAccountSelection() {
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  return policy
}

const REDIRECTS_MAX = 10

/** Like a browser with a sign-in URL: follows the redirects of the provider, and stops at the redirect to another host. */
export async function signIn(address: string | URL, choice: Choice): Promise<URL> {
  const start = new URL(address)
  const cookies = new Map<string, string>()
  let url = start
  for (let step = 0; step < REDIRECTS_MAX; step++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-choice': JSON.stringify(choice),
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
    if (url.origin !== start.origin) return url
  }
  throw new Error('the provider redirects in circles')
}

export async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export async function close(server: ReturnType<typeof createServer>) {
  if (!server.listening) return
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
