import { createHmac, hash } from 'node:crypto'

import { type Clock, HOUR_MS, SECOND_MS } from '../../../platform/clock.ts'
import { credentialsFor, passwordOf } from '../credentials.ts'
import type { Link } from './client-transport.ts'
import { ATTRIBUTE, hasValidIntegrity, type Message, valueOf } from './stun.ts'

/** The player of the credentials, and their expiry. */
export type Identity = { environmentId: string; roomId: string; playerId: string; expiresAtMs: number }

export type Authenticated = { identity: Identity; key: Buffer }

export type Authentication = ReturnType<typeof createAuthentication>

/** Short, like every name here: a response to an unauthenticated client must not be longer than its request. */
export const REALM = 'svc'

const NONCE_MS = HOUR_MS
const NONCE_TIME_LENGTH = 6
const USERNAME = /^(?<seconds>\d{1,11}):(?<environmentId>[^:/]+)\/(?<roomId>[^:/]+):(?<playerId>[^:/]+)$/

/** Long-term credentials (RFC 8489, section 9.2) without a user table, and nonces that are not stored. */
export function createAuthentication(secret: Buffer, clock: Clock) {
  const credentialKey = createHmac('sha256', secret).update('turn credentials').digest()
  const nonceKey = createHmac('sha256', secret).update('turn nonces').digest()
  const nowSeconds = () => Math.floor(clock.now().getTime() / SECOND_MS)

  /** Bound to the address of the client: a client that forges its address never receives the nonce. */
  function nonceAt(seconds: number, link: Link): string {
    const time = Buffer.alloc(4)
    time.writeUInt32BE(seconds)
    const proof = createHmac('sha256', nonceKey).update(time).update(link.key).digest().subarray(0, 6)
    return Buffer.concat([time, proof]).toString('base64url')
  }

  function isFresh(nonce: string, link: Link): boolean {
    const time = Buffer.from(nonce.slice(0, NONCE_TIME_LENGTH), 'base64url')
    if (time.length < 4) return false
    const seconds = time.readUInt32BE(0)
    const ageMs = (nowSeconds() - seconds) * SECOND_MS
    return ageMs >= 0 && ageMs < NONCE_MS && nonce === nonceAt(seconds, link)
  }

  return {
    credentials: (environmentId: string, roomId: string, playerId: string) =>
      credentialsFor(`${environmentId}/${roomId}:${playerId}`, credentialKey, clock),

    nonceFor: (link: Link): string => nonceAt(nowSeconds(), link),

    /** Returns the sender of a request, or an error code. */
    check(message: Message, link: Link): Authenticated | 400 | 401 | 438 {
      if (!message.sealed) return 401
      const username = valueOf(message, ATTRIBUTE.username)?.toString()
      const nonce = valueOf(message, ATTRIBUTE.nonce)?.toString()
      if (username === undefined || nonce === undefined || !valueOf(message, ATTRIBUTE.realm)) return 400
      if (!isFresh(nonce, link)) return 438

      const identity = identityOf(username)
      if (!identity || clock.now().getTime() >= identity.expiresAtMs) return 401
      const password = passwordOf(username, credentialKey)
      const key = hash('md5', `${username}:${REALM}:${password}`, 'buffer')
      return hasValidIntegrity(key, message.sealed) ? { identity, key } : 401
    },
  }
}

function identityOf(username: string): Identity | undefined {
  const { seconds, environmentId, roomId, playerId } = USERNAME.exec(username)?.groups ?? {}
  if (!seconds || !environmentId || !roomId || !playerId) return undefined
  return { environmentId, roomId, playerId, expiresAtMs: Number(seconds) * SECOND_MS }
}
