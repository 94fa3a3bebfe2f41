import * as openid from 'openid-client'

import { type Clock, systemClock } from '../../platform/clock.ts'
import { identityOf, type IdentityProvider } from './identity.ts'
import { authorizationUrl, orFailure, redeemCode } from './oauth.ts'
import { standardClaims } from './openid.ts'

/** An OpenID provider in this process, called without a network. */
export type InProcessServer = {
  issuer: string
  answer(address: URL, form: URLSearchParams): Promise<{ status: number; body: object }>
}

/** The same exchange as with an external provider: discovery, PKCE, code, ID token with nonce; its clients have no secret. */
export function createInProcessProvider(
  clock: Clock,
  { issuer, answer }: InProcessServer,
): IdentityProvider<{ clientId: string }> {
  const fetch: openid.CustomFetch = async (address, { body }) => {
    const form = body instanceof URLSearchParams ? body : new URLSearchParams()
    const { status, body: received } = await answer(new URL(address), form)
    return Response.json(received, { status })
  }

  const configure = (clientId: string) =>
    openid.discovery(new URL(issuer), clientId, { [openid.clockSkew]: skewSeconds() }, openid.None(), {
      [openid.customFetch]: fetch,
      // No request leaves this process, so http is safe.
      execute: [openid.allowInsecureRequests],
    })

  /** Both sides use the service's clock, openid-client uses the machine's. */
  const skewSeconds = () => Math.round((clock.now().getTime() - systemClock.now().getTime()) / 1_000)

  return {
    start: ({ clientId }, request) =>
      orFailure(async () => {
        const parameters = { scope: 'openid profile', nonce: request.nonce }
        return { url: await authorizationUrl(await configure(clientId), request, parameters) }
      }),

    finish: ({ clientId }, answer) =>
      orFailure(async () => {
        const tokens = await redeemCode(await configure(clientId), answer, { expectedNonce: answer.nonce })
        return { identity: identityOf(standardClaims(tokens.claims() ?? {})) }
      }),
  }
}
