import { hash, timingSafeEqual } from 'node:crypto'

/** Hash of stored tokens, codes and secret keys: they are long and random, so an unsalted hash suffices. */
export const sha256 = (text: string): string => hash('sha256', text)

/** Compares in a time that says nothing about the secret, not even its length. */
export const isSecret = (given: string | undefined, secret: string): boolean =>
  given !== undefined && timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'))
