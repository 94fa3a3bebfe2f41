import type { Clock } from '../../platform/clock.ts'
import { identityOf, type NativeProvider } from './identity.ts'
import { orFailure } from './oauth.ts'
import { createOpenId, standardClaims } from './openid.ts'

export type GoogleEndpoints = { issuer?: string }

const GOOGLE = 'https://accounts.google.com'

export function createGoogle(
  clock: Clock,
  timeoutMs: number,
  { issuer = GOOGLE }: GoogleEndpoints = {},
): NativeProvider {
  const openId = createOpenId({ issuer, clock, timeoutMs })
  // Google uses its issuer with and without the scheme.
  const alsoIssuer = issuer === GOOGLE ? ['accounts.google.com'] : []

  return {
    start: (client, request) =>
      orFailure(() => openId.start(client, request, { scope: 'openid email profile' })),

    finish: (client, answer) =>
      orFailure(async () => ({ identity: identityOf(standardClaims(await openId.finish(client, answer))) })),

    verifyIdToken: ({ clientId }, input) => openId.verify([clientId], input, alsoIssuer),
  }
}
