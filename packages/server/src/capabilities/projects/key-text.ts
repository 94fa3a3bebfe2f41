import { crc32 } from 'node:zlib'

import { KEY_CHECKSUM_LENGTH, KEY_TEXT, keyChecksum } from '@svc/contract/common/key-text'
import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { KeyType } from '@svc/contract/developers/projects'

import { sha256 } from '../../platform/crypto.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { type Random, randomText } from '../../platform/random.ts'

export function newKeyText(random: Random, type: KeyType, environment: EnvironmentName): string {
  const prefix = `${type === 'secret' ? 'sk' : 'pk'}_${environment === 'production' ? 'prod' : 'dev'}_`
  const text = prefix + randomText(random, 26)
  return text + keyChecksum(crc32(text))
}

/** Texts that cannot be a key are rejected without a database lookup. */
export const isKeyText = (text: string): boolean =>
  KEY_TEXT.test(text) &&
  keyChecksum(crc32(text.slice(0, -KEY_CHECKSUM_LENGTH))) === text.slice(-KEY_CHECKSUM_LENGTH)

const HASHES_MAX = 10_000

/**
 * The hash by which a key is looked up; undefined if the text cannot be a key. Checking and hashing a key takes 10 % of a small
 * request, so hashes of publishable keys are cached. Secret keys are not, because they must not stay in memory as plain text.
 */
export function createKeyHashes() {
  const kept = new Map<string, string>()

  return (text: string): string | undefined => {
    const known = kept.get(text)
    if (known !== undefined || !isKeyText(text)) return known
    const hash = sha256(text)
    if (text.startsWith('sk_')) return hash
    setBounded(kept, text, hash, HASHES_MAX)
    return hash
  }
}
