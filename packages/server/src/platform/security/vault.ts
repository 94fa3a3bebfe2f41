import { type CipherGCMTypes, createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Random } from '../random.ts'

/** `current` encrypts; all keys decrypt, so that a key can be replaced while the service runs. */
export type SecretKeys = { current: Buffer; previous: readonly Buffer[] }

/** Encrypts and decrypts stored secrets. */
export type Vault = ReturnType<typeof createVault>

const CIPHER: CipherGCMTypes = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts stored secrets, so that a stolen disk or backup does not reveal them. The id of the record is authenticated: a value
 * encrypted for one record cannot be decrypted as another.
 */
export function createVault({ current, previous }: SecretKeys, random: Random) {
  const sealingKeyId = keyIdOf(current)
  const keys = new Map([...previous, current].map((key) => [keyIdOf(key), key]))

  return {
    seal(recordId: string, plaintext: string): string {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, current, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(recordId))
      const box = Buffer.concat([
        nonce,
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${sealingKeyId}.${box.toString('base64url')}`
    },

    open(recordId: string, sealed: string): string {
      const [keyId = '', text = ''] = sealed.split('.')
      const key = keys.get(keyId)
      if (!key) throw new Error(`${recordId} was encrypted with another secret key (${keyId})`)

      const box = Buffer.from(text, 'base64url')
      if (box.length < NONCE_BYTES + TAG_BYTES)
        throw new Error(`the stored value of ${recordId} is truncated`)
      const cipher = createDecipheriv(CIPHER, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(recordId))
      cipher.setAuthTag(box.subarray(-TAG_BYTES))
      try {
        return cipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
      } catch (cause) {
        throw new Error(`the stored value of ${recordId} was changed, or belongs to another record`, {
          cause,
        })
      }
    },

    isCurrent: (sealed: string): boolean => sealed.startsWith(`${sealingKeyId}.`),
  }
}

/** Identifies a key without revealing it. */
export const keyIdOf = (key: Buffer): string =>
  createHmac('sha256', key).update('key id').digest('hex').slice(0, 12)

/** For messages about an invalid key. */
export const SECRET_KEY_SHAPE =
  '32 bytes in base64 or hex (openssl rand -base64 32), or several, comma-separated'

/** The first key encrypts, all keys decrypt. Returns undefined if `text` is not of this shape. */
export function parseSecretKeys(text: string): SecretKeys | undefined {
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .map(parseKey)
  const [current, ...previous] = keys.filter((key) => key !== undefined)
  if (!current || previous.length + 1 < keys.length) return undefined
  return { current, previous }
}

function parseKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  return undefined
}

type KeySource = { fromEnvironment: string | undefined; dataDir: string }
const keyFileIn = (dataDir: string) => join(dataDir, 'secret.key')

/** SVC_SECRET_KEY, or the key file in the data folder; undefined before the first start. */
export async function readSecretKeys({
  fromEnvironment,
  dataDir,
}: KeySource): Promise<SecretKeys | undefined> {
  const path = keyFileIn(dataDir)
  const text = fromEnvironment || (await readKeyFile(path))
  if (text === undefined) return undefined
  const keys = parseSecretKeys(text)
  if (!keys) throw new Error(`${fromEnvironment ? 'SVC_SECRET_KEY' : path} must contain ${SECRET_KEY_SHAPE}.`)
  return keys
}

/** Creates the key file of the first start. */
export async function createSecretKeys(dataDir: string, random: Random): Promise<SecretKeys> {
  await createKeyFile(dataDir, random)
  const keys = await readSecretKeys({ fromEnvironment: undefined, dataDir })
  if (!keys) throw new Error(`${keyFileIn(dataDir)} was removed while the service started. Start it again.`)
  return keys
}

async function readKeyFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(refuseAllButMissing)
  if (!found) return undefined
  if (found.mode & 0o077)
    throw new Error(`Other users of this machine can read ${path}. Run: chmod 600 ${path}`)
  return readFile(path, 'utf8')
}

/** It is written to a temporary file, synced, then hard-linked: a partial key file would make the database unreadable. */
async function createKeyFile(dataDir: string, random: Random) {
  const path = keyFileIn(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${random.bytes(6).toString('hex')}`
  try {
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(`${random.bytes(KEY_BYTES).toString('base64')}\n`)
    await file.sync()
    // If two processes start together, the first creates the file, and the second reads its key.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await using folder = await open(dataDir)
  await folder.sync()
}

function refuseAllButMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
