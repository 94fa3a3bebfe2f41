import * as openid from 'openid-client'

import { identityOf, type IdentityProvider } from './identity.ts'
import { authorizationUrl, configurationOf, orFailure, redeemCode } from './oauth.ts'
import { outbound } from './outbound.ts'

export type GithubEndpoints = { authorizationEndpoint?: string; tokenEndpoint?: string; apiBaseUrl?: string }

const GITHUB = {
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  apiBaseUrl: 'https://api.github.com',
}

type User = { id?: unknown; login?: unknown; name?: unknown; avatar_url?: unknown }
type Email = { email?: unknown; primary?: unknown; verified?: unknown }

/** Plain OAuth 2: who it is has to be asked at the API, and there is no nonce. */
export function createGithub(timeoutMs: number, endpoints: GithubEndpoints = {}): IdentityProvider {
  const { authorizationEndpoint, tokenEndpoint, apiBaseUrl } = { ...GITHUB, ...endpoints }
  const server = {
    // The `iss` that GitHub puts into its answers; there is no discovery to learn it from.
    issuer: authorizationEndpoint.replace(/\/authorize$/, ''),
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  }

  return {
    start: (client, request) =>
      orFailure(async () => {
        const configuration = configurationOf(server, client, outbound(AbortSignal.timeout(timeoutMs)))
        return { url: await authorizationUrl(configuration, request, { scope: 'read:user user:email' }) }
      }),

    finish: (client, answer) =>
      orFailure(async () => {
        const configuration = configurationOf(server, client, outbound(AbortSignal.timeout(timeoutMs)))
        const { access_token } = await redeemCode(configuration, answer)
        const user = await read<User>(configuration, access_token, '/user')
        const emails = await read<Email[]>(configuration, access_token, '/user/emails')
        const primary = emails.find((email) => email.primary === true)
        return {
          identity: identityOf({
            subject: Number.isSafeInteger(user.id) ? String(user.id) : undefined,
            email: primary?.email,
            emailVerified: primary?.verified,
            name: user.name ?? user.login,
            avatarUrl: user.avatar_url,
          }),
        }
      }),
  }

  async function read<T>(configuration: openid.Configuration, accessToken: string, path: string): Promise<T> {
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const url = new URL(apiBaseUrl + path)
    const answer = await openid.fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return (await answer.json()) as T
  }
}
