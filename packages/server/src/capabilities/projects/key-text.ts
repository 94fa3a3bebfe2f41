import { crc32 } from 'node:zlib'

import type { EnvironmentName } from '@svc/contract/common-schemas'
import { KEY_CHECKSUM_LENGTH, KEY_TEXT, keyChecksum } from '@svc/contract/key-text'
import type { KeyType } from '@svc/contract/projects'

import { setBounded } from '../../platform/bounded-map.ts'
import { sha256 } from '../../platform/crypto.ts'
import { type Random, randomText } from '../../platform/random.ts'

export function newKeyText(random: Random, type: KeyType, environment: EnvironmentName): string {
  const prefix = `${type === 'secret' ? 'sk' : 'pk'}_${environment === 'production' ? 'prod' : 'dev'}_`
  const text = prefix + randomText(random, 26)
  return text + keyChecksum(crc32(text))
}

/** What cannot be a key is refused without asking the database. */
export const isKeyText = (text: string): boolean =>
  KEY_TEXT.test(text) &&
  keyChecksum(crc32(text.slice(0, -KEY_CHECKSUM_LENGTH))) === text.slice(-KEY_CHECKSUM_LENGTH)

const HASHES_MAX = 10_000

/**
 * The hash that a key is looked up by; nothing for what cannot be a key. To check and hash a key costs a tenth of a small request,
 * so that of a publishable one is kept. Secret keys are not: they shall not stay in memory in the clear.
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
