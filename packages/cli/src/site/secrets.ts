import { crc32 } from 'node:zlib'

import { KEY_CHECKSUM_LENGTH, keyChecksum } from '@svc/contract/common/key-text'

/** Names of files that must never be public, or that are in an app folder by accident. */
const PRIVATE_NAMES =
  /^(?:\.env.*|.+\.env|\.git|\.hg|\.svn|\.svc|\.ssh|\.aws|\.npmrc|\.netrc|\.htpasswd|\.DS_Store|Thumbs\.db|node_modules|id_(?:rsa|ecdsa|ed25519)|.+\.(?:pem|p8|p12|pfx))$/i

/** Whether a file or folder of this name is never deployed. */
export const isPrivateName = (name: string): boolean => PRIVATE_NAMES.test(name)

const SECRET =
  /kds_[\w-]{32}|sk_(?:dev|prod)_[A-Za-z0-9]{32}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\\n]+[A-Za-z0-9+/]{32}/g
/** Longer than any secret, so that one across two chunks is found. */
const SECRET_BYTES_MAX = 128

/** Searches the chunks of one file; returns true once a secret was found. */
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

/** Checks the last six characters of a key, a checksum (GEN-39): examples in documentation are not keys. */
const isKey = (text: string): boolean =>
  keyChecksum(crc32(text.slice(0, -KEY_CHECKSUM_LENGTH))) === text.slice(-KEY_CHECKSUM_LENGTH)
