import type { ClientAuth, CustomFetch } from 'openid-client'

import { identityOf, type IdentityProvider, type ProviderClient } from './identity.ts'
import {
  authorizationUrl,
  configurationOf,
  NotEnrolled,
  orFailure,
  readProfile,
  redeemCode,
} from './oauth.ts'
import { outbound } from './provider-fetch.ts'

export type XEndpoints = { authorizationEndpoint?: string; tokenEndpoint?: string; apiBaseUrl?: string }

const X = {
  authorizationEndpoint: 'https://x.com/i/oauth2/authorize',
  tokenEndpoint: 'https://api.x.com/2/oauth2/token',
  apiBaseUrl: 'https://api.x.com/2',
}

/** Only these two (OAU-15). */
const SCOPE = 'users.read tweet.read'

type Me = { data?: { id?: unknown; name?: unknown; username?: unknown; profile_image_url?: unknown } }

/** OAuth 2 as a confidential client. X sends no email. */
export function createX(timeoutMs: number, endpoints: XEndpoints = {}): IdentityProvider {
  const { authorizationEndpoint, tokenEndpoint, apiBaseUrl } = { ...X, ...endpoints }
  const server = {
    issuer: new URL(authorizationEndpoint).origin,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  }
  const configure = (client: ProviderClient) =>
    configurationOf(server, client, refusing(outbound(AbortSignal.timeout(timeoutMs))), basic(client))

  return {
    start: (client, request) =>
      orFailure(async () => {
        const asked = { ...request, selectAccount: false }
        return { url: await authorizationUrl(configure(client), asked, { scope: SCOPE }) }
      }),

    finish: (client, answer) =>
      orFailure(async () => {
        const configuration = configure(client)
        const { access_token } = await redeemCode(configuration, answer)
        const address = `${apiBaseUrl}/users/me?user.fields=profile_image_url`
        const { data: user = {} } = await readProfile<Me>(configuration, access_token, address)
        return {
          identity: identityOf({
            subject: user.id,
            name: user.name ?? user.username,
            username: user.username,
            avatarUrl: user.profile_image_url,
          }),
        }
      }),
  }
}

/** Does not encode `_` and `-`, unlike openid-client: ids and secrets contain them, and not every server decodes them. */
const basic =
  ({ clientId, clientSecret }: ProviderClient): ClientAuth =>
  (_server, _client, _body, headers) => {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }

/** X rejects an app that is not in its current developer programme, at the first endpoint that is called. */
const refusing =
  (fetch: CustomFetch): CustomFetch =>
  async (address, options) => {
    const answer = await fetch(address, options)
    if (answer.status !== 403) return answer
    const received = (await answer
      .clone()
      .json()
      .catch(() => undefined)) as { reason?: unknown } | undefined
    if (received?.reason === 'client-not-enrolled') throw new NotEnrolled('X says: client-not-enrolled')
    return answer
  }
