import { createHmac, timingSafeEqual } from 'node:crypto'

export type Addresses = ReturnType<typeof createAddresses>

const TOKEN = /^(?<addressHash>[\w-]{43})\.[\w-]{43}$/

/**
 * Hashes addresses with a key that is not in the database, so that mails can be counted after the address is deleted. The
 * unsubscribe token is derived from the same hash, so nothing is stored for it and it never expires.
 */
export function createAddresses(key: Buffer) {
  const mac = (text: string) => createHmac('sha256', key).update(text).digest()
  const proof = (addressHash: string) => mac(`unsubscribe\n${addressHash}`)

  const unsubscribeToken = (addressHash: string): string =>
    `${addressHash}.${proof(addressHash).toString('base64url')}`

  return {
    hashOf: (email: string): string => mac(`address\n${email.toLowerCase()}`).toString('base64url'),
    unsubscribeToken,
    /** Undefined if this service did not issue the token: a token has exactly one spelling. */
    readUnsubscribeToken(token: string): string | undefined {
      const { addressHash } = TOKEN.exec(token)?.groups ?? {}
      if (!addressHash) return undefined
      return timingSafeEqual(Buffer.from(unsubscribeToken(addressHash)), Buffer.from(token))
        ? addressHash
        : undefined
    },
  }
}
