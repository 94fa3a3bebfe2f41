import { identityOf, type IdentityProvider } from './identity.ts'
import { authorizationUrl, configurationOf, orFailure, readProfile, redeemCode } from './oauth.ts'
import { outbound } from './provider-fetch.ts'

export type DiscordEndpoints = { authorizationEndpoint?: string; tokenEndpoint?: string; apiBaseUrl?: string }

const DISCORD = {
  authorizationEndpoint: 'https://discord.com/oauth2/authorize',
  tokenEndpoint: 'https://discord.com/api/oauth2/token',
  apiBaseUrl: 'https://discord.com/api/v10',
}

type User = {
  id?: unknown
  username?: unknown
  global_name?: unknown
  avatar?: unknown
  email?: unknown
  verified?: unknown
}

/** OAuth 2 without OpenID. A person who is signed in there must always confirm, so there is no account selection. */
export function createDiscord(timeoutMs: number, endpoints: DiscordEndpoints = {}): IdentityProvider {
  const { authorizationEndpoint, tokenEndpoint, apiBaseUrl } = { ...DISCORD, ...endpoints }
  const server = {
    issuer: new URL(authorizationEndpoint).origin,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  }

  return {
    start: (client, request) =>
      orFailure(async () => {
        const configuration = configurationOf(server, client, outbound(AbortSignal.timeout(timeoutMs)))
        const asked = { ...request, selectAccount: false }
        return { url: await authorizationUrl(configuration, asked, { scope: 'identify email' }) }
      }),

    finish: (client, answer) =>
      orFailure(async () => {
        const configuration = configurationOf(server, client, outbound(AbortSignal.timeout(timeoutMs)))
        const { access_token } = await redeemCode(configuration, answer)
        const user = await readProfile<User>(configuration, access_token, `${apiBaseUrl}/users/@me`)
        return {
          identity: identityOf({
            subject: user.id,
            email: user.email,
            emailVerified: user.verified,
            name: user.global_name ?? user.username,
            username: user.username,
            avatarUrl: avatarUrlOf(user),
          }),
        }
      }),
  }
}

const avatarUrlOf = ({ id, avatar }: User) =>
  typeof avatar === 'string' ? `https://cdn.discordapp.com/avatars/${String(id)}/${avatar}.png` : null
