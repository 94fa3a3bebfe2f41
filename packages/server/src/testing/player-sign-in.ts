import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { signInAtApple, startFakeApple } from './fake-apple.ts'
import { startFakeDiscord, startFakeX } from './oauth-server.ts'
import { type Choice, signIn, startOidcProvider } from './oidc-provider.ts'
import { type Answer, type Call, type Engine, type Service, startService } from './service.ts'

const BASE_URL = 'http://localhost:8787'
export const RETURN_URL = 'https://game.example/signed-in'

export const PEOPLE = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gina', 'hal', 'ivy', 'jo'] as const
export type ProviderName = 'google' | 'discord' | 'apple' | 'x'

type Begin = { call?: Call; mode?: string; redirectUrl?: string; orSignIn?: boolean }
export type Journey = { verifier: string; provider: string; answer: Record<string, string> }

const people = <T>(make: (name: string, at: number) => T) =>
  Object.fromEntries(PEOPLE.map((name, at) => [name, make(name, at)]))

export const newPkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A service whose players can sign in with all four providers, each with the same people, all with the same emails. */
export async function startServiceForPlayers(engine: Engine, settings: Record<string, string> = {}) {
  const callback = (provider: string) => `${BASE_URL}/v1/auth/oauth/${provider}/callback`
  const email = (name: string) => `${name}@example.com`
  let running: Service | undefined

  const google = await startOidcProvider({
    redirectUris: [callback('google'), NATIVE_REDIRECT],
    accounts: people((name) => ({ email: email(name), emailVerified: true, name: capital(name) })),
  })
  const plain = people((name, at) => ({
    id: `${80_351_110_224 + at}`,
    username: name,
    name: capital(name),
    email: email(name),
  }))
  const discord = await startFakeDiscord({ redirectUri: callback('discord'), accounts: plain })
  const x = await startFakeX({ redirectUri: callback('x'), accounts: plain })
  const apple = await startFakeApple({
    redirectUri: callback('apple'),
    accounts: people((name, at) => ({
      sub: `00110${at}.abc`,
      email: email(name),
      firstName: capital(name),
      lastName: 'Lovelace',
    })),
    now: () => running?.clock.now() ?? new Date(0),
  })

  const endpoints = join(tmpdir(), `providers-${randomBytes(8).toString('hex')}.json`)
  await writeFile(
    endpoints,
    JSON.stringify({
      google: { issuer: google.issuer },
      discord: discord.endpoints,
      apple: { issuer: apple.issuer },
      x: x.endpoints,
    }),
  )
  const service = await startService(engine, {
    settings: {
      SVC_BASE_URL: BASE_URL,
      SVC_RATE_LIMITS: 'off',
      SVC_PROVIDER_ENDPOINTS: endpoints,
      ...settings,
    },
  })
  running = service

  const credentials: Record<ProviderName, object> = {
    google: { clientId: google.clientId, clientSecret: google.clientSecret },
    discord: { clientId: discord.clientId, clientSecret: discord.clientSecret },
    apple: apple.credentials,
    x: { clientId: x.clientId, clientSecret: x.clientSecret },
  }

  /** A project with every provider turned on in both environments, and with stored credentials. */
  async function newApp(owner?: Parameters<typeof service.newProject>[0]) {
    const project = await service.newProject(owner)
    for (const side of [project.development, project.production]) {
      await ok(side.server('PUT', '/v1/config', CONFIG))
      for (const [provider, stored] of Object.entries(credentials)) {
        await ok(project.developer.call('PUT', `${side.path}/auth/providers/${provider}`, stored))
      }
    }
    return project
  }

  const app = await newApp()

  /** Start, and the provider's pages, up to the redirect back. */
  async function begin(provider: string, choice: Choice, options: Begin = {}): Promise<Journey> {
    const { call = app.development.public, mode, redirectUrl = RETURN_URL, orSignIn } = options
    const { verifier, challenge } = newPkce()
    const body = { redirectUrl, challenge, ...(mode && { mode }), ...(orSignIn && { orSignIn }) }
    const started = await ok(call('POST', `/v1/auth/oauth/${provider}/start`, body))
    return { verifier, provider, answer: await answerOf(provider, started.body.url, choice) }
  }

  /** Follows the redirect back; returns the response and the content of its fragment. */
  async function followCallback({ provider, answer }: Journey) {
    const path = `/v1/auth/oauth/${provider}/callback`
    const { status, headers, body } =
      provider === 'apple'
        ? await postForm(path, answer)
        : await service.call('GET', `${path}?${new URLSearchParams(answer).toString()}`)
    const [address, fragment] = (headers['location'] ?? '').split('#')
    return { status, headers, body, address, said: Object.fromEntries(new URLSearchParams(fragment)) }
  }

  async function postForm(url: string, fields: Record<string, string>): Promise<Answer> {
    const response = await service.http.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' },
      payload: new URLSearchParams(fields).toString(),
    })
    const headers = response.headers as Record<string, string>
    return { status: response.statusCode, headers, body: response.body }
  }

  /** All steps except the exchange. */
  async function codeFor(provider: string, choice: Choice, options?: Begin) {
    const journey = await begin(provider, choice, options)
    const { said } = await followCallback(journey)
    return { code: said['svc_code'] ?? '', verifier: journey.verifier }
  }

  const exchange = (body: { code: string; verifier: string }, call: Call = app.development.public) =>
    call('POST', '/v1/auth/oauth/exchange', body)

  /** The ID token that an app gets from Google's native dialog, issued by the real provider. */
  async function googleIdToken(account: string, nonce: string): Promise<string> {
    const { verifier, challenge } = newPkce()
    const address = new URL(`${google.issuer}/auth`)
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: google.clientId,
      redirect_uri: NATIVE_REDIRECT,
      scope: 'openid email profile',
      nonce,
      state: 'native',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString()
    const back = await signIn(address, { account })
    const response = await fetch(`${google.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: NATIVE_REDIRECT,
        code_verifier: verifier,
        client_id: google.clientId,
        client_secret: google.clientSecret,
      }),
    })
    return ((await response.json()) as { id_token: string }).id_token
  }

  return {
    ...service,
    app,
    google,
    discord,
    x,
    apple,
    credentials,
    newApp,
    begin,
    followCallback,
    postForm,
    codeFor,
    exchange,
    googleIdToken,
    /** All steps of a sign-in. */
    signInWith: async (provider: string, account: string, options: Begin = {}) =>
      exchange(await codeFor(provider, { account }, options)),
    async stop() {
      await service.stop()
      await Promise.all([google, discord, x, apple].map((provider) => provider.close()))
      await rm(endpoints)
    },
  }
}

const NATIVE_REDIRECT = 'http://127.0.0.1:9/native'

const ON = { enabled: true }
export const CONFIG = {
  features: { emailLogin: true, saves: true, stats: true },
  stats: [{ key: 'points', aggregation: 'max' }],
  auth: {
    redirectUrls: ['https://game.example/*', 'game:///signed-in'],
    providers: { google: ON, discord: ON, apple: ON, x: ON },
  },
}

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, headers, body } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { status, headers, body }
}

async function answerOf(provider: string, address: string, choice: Choice) {
  if (provider === 'apple') return signInAtApple(address, choice)
  return Object.fromEntries((await signIn(address, choice)).searchParams)
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
