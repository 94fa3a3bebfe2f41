import { crc32 } from 'node:zlib'

import { KEY_CHECKSUM_LENGTH, keyChecksum } from '@svc/contract/common/key-text'

import { type Random, randomText } from '../../platform/random.ts'

const TOKEN_TEXT = /^agt_[A-Za-z0-9]{32}$/

/** `agt_` and 32 characters, of which the last six are a checksum: scanners of leaked secrets look for it. */
export function newTokenText(random: Random): string {
  const text = `agt_${randomText(random, 26)}`
  return text + keyChecksum(crc32(text))
}

/** Texts that cannot be a token are rejected without a database lookup. */
export const isTokenText = (text: string): boolean =>
  TOKEN_TEXT.test(text) &&
  keyChecksum(crc32(text.slice(0, -KEY_CHECKSUM_LENGTH))) === text.slice(-KEY_CHECKSUM_LENGTH)
