import { createHmac, timingSafeEqual } from 'node:crypto'

export type Addresses = ReturnType<typeof createAddresses>

const TOKEN = /^(?<addressHash>[\w-]{43})\.[\w-]{43}$/

/**
 * An address as its mails are counted: by a key that the database does not hold, so that the count outlives the address.
 * The token that ends a subscription is made of the same, so nothing is stored for it and it works for ever.
 */
export function createAddresses(key: Buffer) {
  const mac = (text: string) => createHmac('sha256', key).update(text).digest()
  const proof = (addressHash: string) => mac(`unsubscribe\n${addressHash}`)

  const unsubscribeToken = (addressHash: string): string =>
    `${addressHash}.${proof(addressHash).toString('base64url')}`

  return {
    hashOf: (email: string): string => mac(`address\n${email.toLowerCase()}`).toString('base64url'),
    unsubscribeToken,
    /** Undefined for what this service never gave out: a token has exactly one spelling. */
    readUnsubscribeToken(token: string): string | undefined {
      const { addressHash } = TOKEN.exec(token)?.groups ?? {}
      if (!addressHash) return undefined
      return timingSafeEqual(Buffer.from(unsubscribeToken(addressHash)), Buffer.from(token))
        ? addressHash
        : undefined
    },
  }
}
