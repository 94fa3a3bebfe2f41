import { crc32 } from 'node:zlib'

import type { KeyType } from '@svc/contract/projects'
import type { EnvironmentName } from '@svc/contract/shapes'

import { sha256 } from '../../platform/crypto.ts'
import { type Random, randomText } from '../../platform/random.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TEXT = /^(?:pk|sk)_(?:dev|prod)_[A-Za-z0-9]{32}$/

/** GEN-39: `sk_prod_` and 32 characters, of which the last six are a checksum: scanners of leaked secrets look for it. */
export function newKeyText(random: Random, type: KeyType, environment: EnvironmentName): string {
  const prefix = `${type === 'secret' ? 'sk' : 'pk'}_${environment === 'production' ? 'prod' : 'dev'}_`
  const text = prefix + randomText(random, 26)
  return text + checksum(text)
}

/** What cannot be a key is refused without asking the database. */
export const isKeyText = (text: string): boolean =>
  TEXT.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)

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
    if (kept.size >= HASHES_MAX) kept.delete(kept.keys().next().value ?? '')
    kept.set(text, hash)
    return hash
  }
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
