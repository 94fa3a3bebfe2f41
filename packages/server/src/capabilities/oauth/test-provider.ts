import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

import { type Provider, PROVIDERS } from '@svc/contract/common/features'
import type { JWTPayload } from 'jose'

import { type Clock, MINUTE_MS } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { lazy } from '../../platform/memory/lazy.ts'
import type { Credentials } from './credentials.ts'

type TestProviderDeps = {
  clock: Clock
  baseUrl: string
  credentials: Pick<Credentials, 'open'>
  secrets: { getOrCreate(id: string, make: () => string): Promise<string> }
}

export type TestProvider = ReturnType<typeof createTestProvider>

/** The validated parameters of an authorization request. */
export type AuthorizationRequest = {
  clientId: string
  provider: Provider
  redirectUri: string
  state: string
  nonce: string
  challenge: string
}

export const TEST_ACCOUNTS = ['Ada', 'Chiyo', 'Kofi', 'Sam'] as const

const PATH = '/.test-provider'
const CODE_MS = MINUTE_MS
/** The form of `testClientId`; it contains only characters that a database can store. */
const CLIENT_ID = /^(env_[a-z0-9]+)\.([a-z]+)$/
const NAME_LENGTH_MAX = 32
/** Each name has its own account; upper and lower case and Unicode forms do not matter. */
const subjectOf = (name: string) => `test-${sha256(name.normalize('NFKC').toLowerCase()).slice(0, 24)}`

/** Loaded at the first use, because it would slow the start. */
const jose = lazy(() => import('jose'))

/**
 * The built-in OpenID provider, so that sign-in can be tried offline in development environments that use it. Its page accepts any
 * account and does not check who the user is. It stores nothing: a code contains its signed data.
 */
export function createTestProvider({ clock, baseUrl, credentials, secrets }: TestProviderDeps) {
  const issuer = baseUrl + PATH
  let key: Promise<KeyObject> | undefined

  async function signingKey(): Promise<KeyObject> {
    const pem = await secrets.getOrCreate('oauth:test-provider', () =>
      generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    )
    return createPrivateKey(pem)
  }
  const theKey = () =>
    (key ??= signingKey().catch((error: unknown) => {
      key = undefined
      throw error
    }))

  async function sign(typ: 'code' | 'JWT', audience: string, claims: JWTPayload) {
    const { SignJWT } = await jose()
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(clock.now())
      .setExpirationTime(new Date(clock.now().getTime() + CODE_MS))
      .sign(await theKey())
  }

  async function readCode(code: string, clientId: string): Promise<JWTPayload | undefined> {
    const checks = {
      issuer,
      audience: clientId,
      typ: 'code',
      algorithms: ['ES256'],
      currentDate: clock.now(),
    }
    const { jwtVerify } = await jose()
    const verified = await jwtVerify(code, createPublicKey(await theKey()), checks).catch(() => undefined)
    return verified?.payload
  }

  async function token(form: URLSearchParams) {
    const input = (name: string) => form.get(name) ?? ''
    const clientId = input('client_id')
    const code = await readCode(input('code'), clientId)
    const isGood =
      input('grant_type') === 'authorization_code' &&
      code?.['redirect_uri'] === input('redirect_uri') &&
      code['challenge'] === challengeOf(input('code_verifier'))
    if (!isGood) return { status: 400, body: { error: 'invalid_grant' } }

    const { sub, name, nonce } = code
    const claims = { sub, name, nonce, preferred_username: usernameOf(String(name)) } as JWTPayload
    const idToken = await sign('JWT', clientId, claims)
    return { status: 200, body: { access_token: 'of-no-use', token_type: 'Bearer', id_token: idToken } }
  }

  return {
    path: PATH,

    /** Called by the engine directly, without a network. */
    server: {
      issuer,
      async answer(address: URL, form: URLSearchParams): Promise<{ status: number; body: object }> {
        if (address.href === `${issuer}/token`) return token(form)
        return {
          status: 200,
          body: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['ES256'],
            code_challenge_methods_supported: ['S256'],
            token_endpoint_auth_methods_supported: ['none'],
          },
        }
      },
    },

    /** Undefined if the environment of the request does not use the test provider. */
    async read(parameters: Record<string, string>): Promise<AuthorizationRequest | undefined> {
      const { client_id: clientId = '', redirect_uri: redirectUri = '', state = '', nonce = '' } = parameters
      const [, environmentId = '', name] = CLIENT_ID.exec(clientId) ?? []
      const provider = PROVIDERS.find((known) => known === name)
      if (!provider) return undefined
      const { code_challenge: challenge = '' } = parameters
      const isSound =
        parameters['response_type'] === 'code' &&
        parameters['code_challenge_method'] === 'S256' &&
        /^[\w-]{43}$/.test(challenge) &&
        redirectUri === `${baseUrl}/v1/auth/oauth/${provider}/callback`
      if (!isSound) return undefined

      const stored = await credentials.open(environmentId, provider)
      if (!stored?.settings.testProvider) return undefined
      return { clientId, provider, redirectUri, state, nonce, challenge }
    },

    /** The redirect back to the app, signed in as this test account. */
    async signIn(authorization: AuthorizationRequest, name: string): Promise<string> {
      const { clientId, redirectUri, state, challenge, nonce } = authorization
      const claims = { sub: subjectOf(name), name, redirect_uri: redirectUri, challenge, nonce }
      return addressWith(redirectUri, { state, code: await sign('code', clientId, claims) })
    },

    cancel: ({ redirectUri, state }: AuthorizationRequest): string =>
      addressWith(redirectUri, { state, error: 'access_denied' }),

    /** Undefined if the text is not a valid name. */
    readName(text: string): string | undefined {
      // Truncated before normalising: 32,000 combining marks on one letter take 1.7 s.
      const begin = text.slice(0, 10 * NAME_LENGTH_MAX).toWellFormed()
      const name = begin.replace(/\p{C}/gu, '').normalize('NFC').trim()
      return Array.from(name).slice(0, NAME_LENGTH_MAX).join('') || undefined
    },
  }
}

const addressWith = (address: string, parameters: Record<string, string>) =>
  `${address}?${new URLSearchParams(parameters).toString()}`

const usernameOf = (name: string) => name.replace(/[^A-Za-z0-9_]/g, '').slice(0, 15) || undefined

/** S256 of RFC 7636. */
const challengeOf = (verifier: string) => Buffer.from(sha256(verifier), 'hex').toString('base64url')
