import { importPKCS8, SignJWT } from 'jose'

import { type Clock, MINUTE_MS } from '../../platform/clock.ts'
import { identityOf, type NativeProvider } from './identity.ts'
import { orFailure } from './oauth.ts'
import { createOpenId, standardClaims } from './openid.ts'

export type AppleEndpoints = { issuer?: string }

/** `servicesId` is the client id of web pages; apps on Apple's systems are identified by their bundle id. */
export type AppleClient = {
  servicesId: string
  bundleId?: string
  teamId: string
  keyId: string
  privateKey: string
}

const SECRET_LIFETIME_MS = 5 * MINUTE_MS

/**
 * OpenID Connect with three differences: the client secret is a token that we sign, the response is a form sent from another site,
 * and the name is sent only once, in the first such form, next to the ID token.
 */
export function createApple(
  clock: Clock,
  timeoutMs: number,
  { issuer = 'https://appleid.apple.com' }: AppleEndpoints = {},
): NativeProvider<AppleClient> {
  const openId = createOpenId({ issuer, clock, timeoutMs })

  async function clientOf({ servicesId, teamId, keyId, privateKey }: AppleClient) {
    const now = clock.now().getTime()
    const secret = new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(servicesId)
      .setAudience(issuer)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(now + SECRET_LIFETIME_MS))
    return {
      clientId: servicesId,
      clientSecret: await secret.sign(await importPKCS8(privateKey, 'ES256')),
    }
  }

  return {
    start: (client, request) =>
      orFailure(async () => {
        const asked = { ...request, selectAccount: false }
        const parameters = { scope: 'name email', response_mode: 'form_post' }
        return openId.start(await clientOf(client), asked, parameters)
      }),

    finish: (client, answer) =>
      orFailure(async () => {
        const claims = await openId.finish(await clientOf(client), answer)
        const name = nameIn(answer.parameters['user'])
        return { identity: identityOf({ ...standardClaims(claims), name }) }
      }),

    verifyIdToken: ({ servicesId, bundleId = servicesId }, input) =>
      openId.verify([servicesId, bundleId], input),
  }
}

/** `{"name":{"firstName":"Ada","lastName":"Lovelace"},…}`: not signed, so only the name is used. */
function nameIn(user: string | undefined): string | undefined {
  try {
    const { name } = JSON.parse(user ?? '{}') as { name?: { firstName?: unknown; lastName?: unknown } }
    return [name?.firstName, name?.lastName].filter((part) => typeof part === 'string').join(' ')
  } catch {
    return undefined
  }
}
