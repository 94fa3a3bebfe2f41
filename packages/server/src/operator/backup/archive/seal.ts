import { type CipherGCMTypes, createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

import type { Random } from '../../../platform/random.ts'
import { keyIdOf, type SecretKeys } from '../../../platform/security/vault.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'

const CIPHER: CipherGCMTypes = 'aes-256-gcm'
const MAGIC = 'svc-backup sealed 1 '
const KEY_ID_LENGTH = 12
const SALT_BYTES = 32
const HEADER_BYTES = MAGIC.length + KEY_ID_LENGTH + 1 + SALT_BYTES
const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16

/**
 * Encrypts a backup with AES-256-GCM in pieces of 64 KiB, each with a tag. The nonce of a piece is its number, and whether it is the
 * last: pieces that are exchanged, removed or cut off are found. Every backup has a key of its own, derived with a random salt, so no
 * nonce is used twice with one key.
 */
export async function* seal(
  chunks: AsyncIterable<Buffer>,
  key: Buffer,
  random: Random,
): AsyncGenerator<Buffer> {
  const header = Buffer.concat([Buffer.from(`${MAGIC}${keyIdOf(key)}\n`), random.bytes(SALT_BYTES)])
  yield header
  const pieceKey = keyOf(key, header)
  for await (const { piece, number, isLast } of piecesOf(chunks, PIECE_BYTES)) {
    const cipher = createCipheriv(CIPHER, pieceKey, nonceOf(number, isLast), { authTagLength: TAG_BYTES })
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
}

/** Whether these first bytes are those of a sealed backup. */
export const isSealed = (first: Buffer): boolean => first.toString('latin1', 0, MAGIC.length) === MAGIC

/** Decrypts what `seal` has written. Throws one sentence if no key fits, and if a byte was changed, removed or added. */
export async function* unseal(
  chunks: AsyncIterable<Buffer>,
  keys: SecretKeys | undefined,
): AsyncGenerator<Buffer> {
  const reader = createByteReader(chunks)
  try {
    yield* unsealPieces(reader, keys)
  } finally {
    await reader.end()
  }
}

async function* unsealPieces(reader: ByteReader, keys: SecretKeys | undefined): AsyncGenerator<Buffer> {
  const header = await reader.take(HEADER_BYTES)
  const keyId = header.toString('latin1', MAGIC.length, MAGIC.length + KEY_ID_LENGTH)
  const key = keys && [keys.current, ...keys.previous].find((one) => keyIdOf(one) === keyId)
  if (!key)
    throw new Error(
      `it is sealed with the key ${keyId}: set SVC_BACKUP_KEY to that key${keys ? `; it has ${keyIdOf(keys.current)}` : ''}`,
    )
  const pieceKey = keyOf(key, header)
  for await (const { piece, number, isLast } of piecesOf(reader.rest(), PIECE_BYTES + TAG_BYTES))
    yield open(piece, pieceKey, nonceOf(number, isLast))
}

/** At least one piece; all but the last have this length. */
async function* piecesOf(chunks: AsyncIterable<Buffer>, bytes: number) {
  const reader = createByteReader(chunks)
  try {
    let piece = await reader.upTo(bytes)
    for (let number = 0; ; number++) {
      const next = piece.length < bytes ? undefined : await reader.upTo(bytes)
      const isLast = next === undefined || next.length === 0
      yield { piece, number, isLast }
      if (isLast) return
      piece = next
    }
  } finally {
    await reader.end()
  }
}

function open(box: Buffer, key: Buffer, nonce: Buffer): Buffer {
  try {
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAuthTag(box.subarray(-TAG_BYTES))
    return Buffer.concat([cipher.update(box.subarray(0, -TAG_BYTES)), cipher.final()])
  } catch (cause) {
    throw new Error('it is damaged: a sealed piece was changed, removed or cut off', { cause })
  }
}

const keyOf = (key: Buffer, header: Buffer) => Buffer.from(hkdfSync('sha256', key, header, 'svc backup', 32))

/** 11 bytes with the number, and one that is 1 for the last piece. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 3)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
