import { createHmac } from 'node:crypto'

import { LIMITS } from '@svc/contract/common/limits'

import { SECOND_MS, type WallClock } from '../../platform/clock.ts'

/**
 * The scheme that coturn calls `use-auth-secret`; other TURN servers support it, too. The user name contains the expiry and the id,
 * and the password proves that it was created with the secret.
 */
export function credentialsFor(id: string, secret: string | Buffer, clock: WallClock) {
  const expiresAtSeconds = Math.floor((clock.now().getTime() + LIMITS.turnCredentialTtlMs) / SECOND_MS)
  const username = `${expiresAtSeconds}:${id}`
  return {
    username,
    credential: passwordOf(username, secret),
    expiresAt: new Date(expiresAtSeconds * SECOND_MS).toISOString(),
  }
}

export const passwordOf = (username: string, secret: string | Buffer): string =>
  createHmac('sha1', secret).update(username).digest('base64')
