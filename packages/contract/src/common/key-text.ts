/** GEN-39: `sk_prod_` and 32 characters, of which the last six are a checksum: scanners of leaked secrets look for it. */
export const KEY_TEXT = /^(?:pk|sk)_(?:dev|prod)_[A-Za-z0-9]{32}$/

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The number of characters of the checksum at the end of a key. */
export const KEY_CHECKSUM_LENGTH = 6

/** Computed from the CRC-32 of all characters before it. */
export function keyChecksum(crc32: number): string {
  let rest = crc32
  let digits = ''
  for (let i = 0; i < KEY_CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
