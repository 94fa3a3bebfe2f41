import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startFakeGithub } from './fake-github.ts'
import { type Choice, signIn, startOidcProvider } from './oidc-provider.ts'
import { type Call, type Engine, startService } from './service.ts'

const BASE_URL = 'http://localhost:8787'
const RETURN_URL = `${BASE_URL}/dashboard/signed-in`

type Begin = { intent?: string; call?: Call }
export type Journey = { verifier: string; callback: URL }

/** A service whose developers can sign in with both providers; `ada` has the same email at both, and so on. */
export async function startServiceWithProviders(engine: Engine, settings: Record<string, string> = {}) {
  const google = await startOidcProvider({
    redirectUris: [`${BASE_URL}/v1/developers/oauth/google/callback`],
    accounts: { ...accountsAtGoogle('ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gina', 'hal'), nobody: {} },
  })
  const github = await startFakeGithub({
    redirectUri: `${BASE_URL}/v1/developers/oauth/github/callback`,
    accounts: Object.fromEntries(
      ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gina', 'hal'].map((name, at) => [
        name,
        { id: at + 1, name, emails: [{ email: `${name}@github.example`, primary: true, verified: true }] },
      ]),
    ),
  })
  const endpoints = join(tmpdir(), `providers-${randomBytes(8).toString('hex')}.json`)
  await writeFile(endpoints, JSON.stringify({ google: { issuer: google.issuer }, github: github.endpoints }))

  const service = await startService(engine, {
    settings: {
      SVC_BASE_URL: BASE_URL,
      SVC_RATE_LIMITS: 'off',
      SVC_PROVIDER_ENDPOINTS: endpoints,
      SVC_GOOGLE_CLIENT_ID: google.clientId,
      SVC_GOOGLE_CLIENT_SECRET: google.clientSecret,
      SVC_GITHUB_CLIENT_ID: github.clientId,
      SVC_GITHUB_CLIENT_SECRET: github.clientSecret,
      ...settings,
    },
  })

  /** Start, and the provider's pages, up to the redirect back. */
  async function begin(
    provider: string,
    choice: Choice,
    { intent, call = service.call }: Begin = {},
  ): Promise<Journey> {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const body = { redirectUrl: RETURN_URL, challenge, ...(intent && { intent }) }
    const started = await call('POST', `/v1/developers/oauth/${provider}/start`, body)
    if (started.status !== 200) throw new Error(JSON.stringify(started.body))
    return { verifier, callback: await signIn(started.body.url, choice) }
  }

  /** Follows the redirect back; returns the response and the content of its fragment. */
  async function followCallback(callback: URL) {
    const { status, headers } = await service.call('GET', callback.pathname + callback.search)
    const [address, fragment] = (headers['location'] ?? '').split('#')
    return { status, address, said: Object.fromEntries(new URLSearchParams(fragment)) }
  }

  /** All steps except the exchange. */
  async function codeFor(provider: string, choice: Choice, options?: Begin) {
    const { verifier, callback } = await begin(provider, choice, options)
    const { said } = await followCallback(callback)
    return { code: said['svc_code'] ?? '', verifier }
  }

  const exchange = (
    body: { code: string; verifier: string; inviteCode?: string },
    call: Call = service.call,
  ) => call('POST', '/v1/developers/oauth/exchange', body)

  return {
    ...service,
    returnUrl: RETURN_URL,
    begin,
    followCallback,
    codeFor,
    exchange,
    /** All steps of a sign-in. */
    signInWith: async (provider: string, account: string, options: Begin = {}) =>
      exchange(await codeFor(provider, { account }, options), options.call),
    async stop() {
      await service.stop()
      await google.close()
      await github.close()
      await rm(endpoints)
    },
  }
}

const accountsAtGoogle = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { email: `${name}@google.example`, emailVerified: true, name }]),
  )
