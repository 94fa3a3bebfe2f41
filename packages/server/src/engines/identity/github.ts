import { identityOf, type IdentityProvider } from './identity.ts'
import { authorizationUrl, configurationOf, orFailure, readProfile, redeemCode } from './oauth.ts'
import { outbound } from './provider-fetch.ts'

export type GithubEndpoints = { authorizationEndpoint?: string; tokenEndpoint?: string; apiBaseUrl?: string }

const GITHUB = {
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  apiBaseUrl: 'https://api.github.com',
}

type User = { id?: unknown; login?: unknown; name?: unknown; avatar_url?: unknown }
type Email = { email?: unknown; primary?: unknown; verified?: unknown }

/** OAuth 2 without OpenID: the identity is read from the API, and there is no nonce. */
export function createGithub(timeoutMs: number, endpoints: GithubEndpoints = {}): IdentityProvider {
  const { authorizationEndpoint, tokenEndpoint, apiBaseUrl } = { ...GITHUB, ...endpoints }
  const server = {
    // The `iss` in GitHub's responses; GitHub has no discovery document that contains it.
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
        const read = <T>(path: string) =>
          readProfile<T>(configuration, access_token, apiBaseUrl + path, 'application/vnd.github+json')
        const user = await read<User>('/user')
        const emails = await read<Email[]>('/user/emails')
        const primary = emails.find((email) => email.primary === true)
        return {
          identity: identityOf({
            subject: Number.isSafeInteger(user.id) ? String(user.id) : undefined,
            email: primary?.email,
            emailVerified: primary?.verified,
            name: user.name ?? user.login,
            username: user.login,
            avatarUrl: user.avatar_url,
          }),
        }
      }),
  }
}
