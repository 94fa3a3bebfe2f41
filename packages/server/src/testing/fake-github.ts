import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { type Choice, close, listen, signIn } from './oidc-provider.ts'

export type GithubAccount = {
  id: number
  name?: string | null
  emails: { email: string; primary: boolean; verified: boolean }[]
}

export type GithubOptions = {
  redirectUri: string
  accounts: Record<string, GithubAccount>
  clientId?: string
  clientSecret?: string
}

type Grant = { login: string; redirectUri: string; challenge: string | null }

/**
 * As strict as GitHub: client secret, redirect URL, every code once, PKCE if the start had a challenge. And as unusual: errors of
 * the token endpoint have status 200, responses contain `iss`.
 */
export async function startFakeGithub({
  redirectUri,
  accounts,
  clientId = 'github-client',
  clientSecret = 'github-client-secret',
}: GithubOptions) {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, string>()

  const { server, origin } = await listen((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    if (pathname === '/login/oauth/authorize') return authorize(searchParams, request, response)
    if (pathname === '/login/oauth/access_token')
      return send(response, 200, redeem(new URLSearchParams(await text(request))))

    const login = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    const account = login === undefined ? undefined : accounts[login]
    if (!account || !request.headers['user-agent']) return send(response, 401, { message: 'Bad credentials' })
    if (pathname === '/api/user')
      return send(response, 200, { id: account.id, login, name: account.name ?? null, avatar_url: null })
    if (pathname === '/api/user/emails') return send(response, 200, account.emails)
    send(response, 404, { message: 'Not Found' })
  }

  function authorize(query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const challenge = query.get('code_challenge')
    const sound =
      query.get('client_id') === clientId &&
      query.get('redirect_uri') === redirectUri &&
      (challenge === null || query.get('code_challenge_method') === 'S256')
    if (!sound) return send(response, 400, { error: 'the request is not one of this client' })

    const choice = JSON.parse(String(request.headers['x-choice'])) as Choice
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', `${origin}/login/oauth`)
    if ('deny' in choice) {
      back.searchParams.set('error', 'access_denied')
    } else {
      const code = randomBytes(10).toString('hex')
      codes.set(code, { login: choice.account, redirectUri, challenge })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function redeem(form: URLSearchParams) {
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
      return { error: 'incorrect_client_credentials' }
    }
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    if (!grant) return { error: 'bad_verification_code' }
    if (form.get('redirect_uri') !== grant.redirectUri) return { error: 'redirect_uri_mismatch' }
    if (grant.challenge !== null && grant.challenge !== s256(form.get('code_verifier'))) {
      return { error: 'bad_verification_code' }
    }
    const token = `gho_${randomBytes(10).toString('hex')}`
    tokens.set(token, grant.login)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  return {
    endpoints: {
      authorizationEndpoint: `${origin}/login/oauth/authorize`,
      tokenEndpoint: `${origin}/login/oauth/access_token`,
      apiBaseUrl: `${origin}/api`,
    },
    clientId,
    clientSecret,
    signIn,
    close: () => close(server),
  }
}

const s256 = (verifier: string | null) =>
  createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url')

const send = (response: ServerResponse, status: number, body: object) =>
  void response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body))
