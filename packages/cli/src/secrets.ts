import { crc32 } from 'node:zlib'

import { KEY_CHECKSUM_LENGTH, keyChecksum } from '@svc/contract/key-text'

/** What lies in a folder of an app by accident, or must never be public. */
const PRIVATE_NAMES =
  /^(?:\.env.*|.+\.env|\.git|\.hg|\.svn|\.svc|\.ssh|\.aws|\.npmrc|\.netrc|\.htpasswd|\.DS_Store|Thumbs\.db|node_modules|id_(?:rsa|ecdsa|ed25519)|.+\.(?:pem|p8|p12|pfx))$/i

export const isPrivateName = (name: string): boolean => PRIVATE_NAMES.test(name)

const SECRET =
  /kds_[\w-]{32}|sk_(?:dev|prod)_[A-Za-z0-9]{32}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\\n]+[A-Za-z0-9+/]{32}/g
/** Longer than any of them, so that none hides between two chunks. */
const SECRET_BYTES_MAX = 128

/** Looks through the chunks of one file; true as soon as a secret was in them. */
export function createSecretSearch() {
  let tail = ''
  let found = false
  return (chunk: Buffer): boolean => {
    if (found) return true
    const text = tail + chunk.toString('latin1')
    tail = text.slice(-SECRET_BYTES_MAX)
    found = (text.match(SECRET) ?? []).some((one) => !one.startsWith('sk_') || isKey(one))
    return found
  }
}

/** The last six characters of a key are a checksum (GEN-39): what only looks like one, in a text about keys, is none. */
const isKey = (text: string): boolean =>
  keyChecksum(crc32(text.slice(0, -KEY_CHECKSUM_LENGTH))) === text.slice(-KEY_CHECKSUM_LENGTH)
