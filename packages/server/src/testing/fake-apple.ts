import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { exportJWK, jwtVerify, SignJWT } from 'jose'

import { lazy } from '../platform/memory/lazy.ts'
import { type Choice, close, listen } from './oidc-provider.ts'

export type AppleAccount = { sub: string; email: string; firstName: string; lastName: string }

type Options = {
  redirectUri: string
  accounts: Record<string, AppleAccount>
  /** The clock for the expiry of client secrets. */
  now: () => Date
}

type Grant = { account: AppleAccount; nonce: string }

export type IdTokenClaims = {
  subject?: string
  audience?: string
  issuer?: string
  nonce?: string
  expiresAt?: Date
  key?: KeyObject
}

const CLIENT = {
  servicesId: 'com.example.game.web',
  bundleId: 'com.example.game',
  teamId: 'ABCDE12345',
  keyId: 'FGHIJ67890',
}
const HALF_A_YEAR_SECONDS = 15_777_000

/** One for all Apples of a process: it takes a tenth of a second. */
const ownKeys = lazy(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }))

/**
 * Like Apple: the response is a form that the browser posts, the name is sent only the first time, and the client secret is a token
 * signed with the developer's P-256 key, which is checked strictly.
 */
export async function startFakeApple({ redirectUri, accounts, now }: Options) {
  const developer = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = ownKeys()
  const codes = new Map<string, Grant>()
  const known = new Set<string>()
  /** Tests set it: claims that replace the true ones in every ID token. */
  const state: { claims?: Record<string, unknown> } = {}
  let secretsSeen = 0
  let keysRead = 0

  const { server, origin } = await listen((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return send(response, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/auth/authorize`,
          token_endpoint: `${origin}/auth/token`,
          jwks_uri: `${origin}/auth/keys`,
          response_types_supported: ['code'],
          response_modes_supported: ['query', 'fragment', 'form_post'],
          subject_types_supported: ['pairwise'],
          id_token_signing_alg_values_supported: ['RS256'],
          scopes_supported: ['openid', 'email', 'name'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        })
      case '/auth/keys':
        keysRead++
        return send(response, 200, {
          keys: [{ ...(await exportJWK(own.publicKey)), kid: 'apple-1', use: 'sig', alg: 'RS256' }],
        })
      case '/auth/authorize':
        return authorize(searchParams, request, response)
      case '/auth/token': {
        const { status, body } = await redeem(new URLSearchParams(await text(request)))
        return send(response, status, body)
      }
      default:
        return send(response, 404, {})
    }
  }

  function authorize(query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const wanted = {
      response_type: 'code',
      // Apple requires it if name or email are requested.
      response_mode: 'form_post',
      scope: 'name email',
      client_id: CLIENT.servicesId,
      redirect_uri: redirectUri,
    }
    const wrong = Object.entries(wanted).find(([name, value]) => query.get(name) !== value)
    if (wrong) return send(response, 400, { error: 'invalid_request', error_description: wrong[0] })

    const choice = JSON.parse(String(request.headers['x-choice'])) as Choice
    const fields: Record<string, string> = { state: query.get('state') ?? '' }
    const account = 'account' in choice ? accounts[choice.account] : undefined
    if (!account) fields['error'] = 'user_cancelled_authorize'
    else {
      const code = randomBytes(16).toString('hex')
      codes.set(code, { account, nonce: query.get('nonce') ?? '' })
      fields['code'] = code
      const { firstName, lastName, email } = account
      if (!known.has(account.sub)) fields['user'] = JSON.stringify({ name: { firstName, lastName }, email })
      known.add(account.sub)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
  }

  async function redeem(form: URLSearchParams): Promise<{ status: number; body: object }> {
    if (!(await isClientSecret(form.get('client_secret') ?? '', form.get('client_id')))) {
      return { status: 400, body: { error: 'invalid_client' } }
    }
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    if (!grant || form.get('redirect_uri') !== redirectUri) {
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    const { sub, email } = grant.account
    const claims = { sub, nonce: grant.nonce, email, email_verified: 'true', ...state.claims }
    const id_token = await signed(claims)
    return { status: 200, body: { access_token: 'unused', token_type: 'Bearer', expires_in: 3600, id_token } }
  }

  async function isClientSecret(secret: string, clientId: string | null): Promise<boolean> {
    try {
      const { payload, protectedHeader } = await jwtVerify(secret, developer.publicKey, {
        algorithms: ['ES256'],
        issuer: CLIENT.teamId,
        subject: CLIENT.servicesId,
        audience: origin,
        currentDate: now(),
        requiredClaims: ['iat', 'exp'],
      })
      const { exp = 0, iat = 0 } = payload
      secretsSeen++
      return (
        clientId === CLIENT.servicesId &&
        protectedHeader.kid === CLIENT.keyId &&
        iat <= now().getTime() / 1_000 &&
        exp - iat <= HALF_A_YEAR_SECONDS
      )
    } catch {
      return false
    }
  }

  /** Also used for the ID token of Apple's native dialog. */
  function idToken(claims: IdTokenClaims): Promise<string> {
    const { subject = 'nobody', audience = CLIENT.servicesId, issuer = origin, nonce, expiresAt } = claims
    return new SignJWT(nonce === undefined ? {} : { nonce, nonce_supported: true })
      .setProtectedHeader({ alg: 'RS256', kid: 'apple-1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(expiresAt ?? '1h')
      .sign(claims.key ?? own.privateKey)
  }

  /** An ID token with any claims, also those that Apple would never send. */
  const signed = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT({ iss: origin, aud: CLIENT.servicesId, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'apple-1' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(own.privateKey)

  return {
    issuer: origin,
    credentials: {
      ...CLIENT,
      privateKey: developer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    idToken,
    signed,
    state,
    secretsSeen: () => secretsSeen,
    keysRead: () => keysRead,
    close: () => close(server),
  }
}

/** Signs in on Apple's page; returns the fields that the browser then posts to the callback. */
export async function signInAtApple(address: string, choice: Choice): Promise<Record<string, string>> {
  const response = await fetch(address, { headers: { 'x-choice': JSON.stringify(choice) } })
  if (response.status !== 200) throw new Error(`the provider answered ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

const send = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
