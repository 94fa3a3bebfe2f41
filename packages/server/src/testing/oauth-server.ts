import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { type Choice, close, listen } from './oidc-provider.ts'

export type OauthAccount = { id: string; username: string; name: string; email?: string }

type Rules = {
  redirectUri: string
  accounts: Record<string, OauthAccount>
  clientId: string
  clientSecret: string
  /** Exactly these, in this order. */
  scope: string
  /** The only way in which the token endpoint accepts the client secret. */
  clientProof: 'basic' | 'body'
  profilePath: string
  profileOf: (account: OauthAccount) => object
}

type Answer = { status: number; body: object }
type Grant = { account: string; challenge: string }

/**
 * A strict OAuth 2 server: exact scopes, redirect URL, client secret, PKCE S256, every code once. Tests can set: `refusal`, the
 * response to every request after the sign-in page; `name`, the name of every account; `profile`, the profile of every account.
 */
async function startOauthServer(rules: Rules) {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, string>()
  const state: { refusal?: Answer & { at: 'token' | 'profile' }; name?: string; profile?: object } = {}

  const { server, origin } = await listen((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    if (pathname === '/authorize') return authorize(searchParams, request, response)
    if (pathname === '/token')
      return send(response, redeem(request, new URLSearchParams(await text(request))))
    if (pathname === rules.profilePath) return send(response, profile(request))
    send(response, { status: 404, body: { message: 'Not Found' } })
  }

  function authorize(query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const wanted = {
      response_type: 'code',
      client_id: rules.clientId,
      redirect_uri: rules.redirectUri,
      scope: rules.scope,
      code_challenge_method: 'S256',
    }
    const wrong = Object.entries(wanted).find(([name, value]) => query.get(name) !== value)
    const challenge = query.get('code_challenge') ?? ''
    if (wrong || challenge.length !== 43 || query.has('prompt')) {
      return send(response, { status: 400, body: { error: `not ${wrong?.[0] ?? 'a known request'}` } })
    }

    const choice = JSON.parse(String(request.headers['x-choice'])) as Choice
    const back = new URL(rules.redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if ('deny' in choice) back.searchParams.set('error', 'access_denied')
    else {
      const code = randomBytes(10).toString('hex')
      codes.set(code, { account: choice.account, challenge })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function redeem(request: IncomingMessage, form: URLSearchParams): Answer {
    if (state.refusal?.at === 'token') return state.refusal
    if (!isClient(request, form)) return { status: 401, body: { error: 'invalid_client' } }
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const isGood =
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === rules.redirectUri &&
      grant?.challenge === s256(form.get('code_verifier') ?? '')
    if (!grant || !isGood) return { status: 400, body: { error: 'invalid_grant' } }

    const token = randomBytes(10).toString('hex')
    tokens.set(token, grant.account)
    return { status: 200, body: { access_token: token, token_type: 'bearer', scope: rules.scope } }
  }

  function isClient(request: IncomingMessage, form: URLSearchParams): boolean {
    const { clientId, clientSecret, clientProof } = rules
    const inBody = form.get('client_id') === clientId && form.get('client_secret') === clientSecret
    const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const inHeader = request.headers.authorization === `Basic ${pair}`
    return clientProof === 'basic'
      ? inHeader && !form.has('client_secret')
      : inBody && !request.headers.authorization
  }

  function profile(request: IncomingMessage): Answer {
    if (state.refusal?.at === 'profile') return state.refusal
    const account = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    const known = account === undefined ? undefined : rules.accounts[account]
    if (!known) return { status: 401, body: { message: '401: Unauthorized' } }
    return {
      status: 200,
      body:
        state.profile ?? rules.profileOf({ ...known, ...(state.name !== undefined && { name: state.name }) }),
    }
  }

  return {
    endpoints: {
      authorizationEndpoint: `${origin}/authorize`,
      tokenEndpoint: `${origin}/token`,
      apiBaseUrl: `${origin}/api`,
    },
    clientId: rules.clientId,
    clientSecret: rules.clientSecret,
    state,
    close: () => close(server),
  }
}

type FakeServerOptions = { redirectUri: string; accounts: Record<string, OauthAccount> }

export const startFakeDiscord = (input: FakeServerOptions) =>
  startOauthServer({
    ...input,
    clientId: '157730590492196864',
    clientSecret: 'discord-client-secret',
    scope: 'identify email',
    clientProof: 'body',
    profilePath: '/api/users/@me',
    profileOf: ({ id, username, name, email }) => ({
      id,
      username,
      global_name: name,
      avatar: '8342729096ea3675442027381ff50dfe',
      email: email ?? null,
      verified: true,
    }),
  })

export const startFakeX = (input: FakeServerOptions) =>
  startOauthServer({
    ...input,
    clientId: 'rG9n6402A3dbUJKzXTNX4oWHJ_-1',
    clientSecret: 'x-client_secret-with_both',
    scope: 'users.read tweet.read',
    clientProof: 'basic',
    profilePath: '/api/users/me',
    profileOf: ({ id, username, name }) => ({
      data: { id, username, name, profile_image_url: `https://pbs.twimg.com/${id}.jpg` },
    }),
  })

/** The response of X to an app that is not in its developer programme. */
export const NOT_ENROLLED = {
  status: 403,
  body: {
    title: 'Client Forbidden',
    reason: 'client-not-enrolled',
    required_enrollment: 'Appropriate Level of API Access',
    type: 'https://api.twitter.com/2/problems/client-forbidden',
  },
}

const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

const send = (response: ServerResponse, { status, body }: Answer) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
