import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { SecretKeys } from '../../../platform/security/vault.ts'
import { createByteReader } from './byte-reader.ts'
import { requireChecksum } from './checksum.ts'
import { differenceIn, type FileFacts, MANIFEST, type Manifest, readManifest } from './manifest.ts'
import { isSealed, unseal } from './seal.ts'
import { type PackedFile, unpack } from './tar.ts'

const FIRST_BYTES = 64
/** About two million files. */
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024

type Reading = {
  keys: SecretKeys | undefined
  /** Where to write a file; undefined if it is only compared. */
  pathOf?: (name: string) => string | undefined
}

/**
 * Reads a backup to its end and compares every byte with checksum and manifest. Throws one sentence if it is damaged, newer than this
 * program, or sealed with another key.
 */
export async function readArchive(
  bytes: AsyncIterable<Buffer>,
  { keys, pathOf }: Reading,
): Promise<Manifest & { isSealed: boolean }> {
  const files = new Map<string, FileFacts>()
  let manifestText = ''
  const reader = createByteReader(bytes)
  try {
    const first = await reader.upTo(FIRST_BYTES)
    const all = joined(first, reader.rest())
    const plain = isSealed(first) ? unseal(all, keys) : all
    for await (const file of unpack(requireChecksum(plain))) {
      if (file.name === MANIFEST) manifestText = await textOf(file)
      else files.set(file.name, await take(file, pathOf?.(file.name)))
    }
    const manifest = readManifest(manifestText)
    const difference = differenceIn(manifest, files)
    if (difference !== undefined) throw new Error(`it is damaged: ${difference}`)
    return { ...manifest, isSealed: isSealed(first) }
  } finally {
    await reader.end()
  }
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

async function textOf({ bytes, content }: PackedFile): Promise<string> {
  if (bytes > MANIFEST_BYTES_MAX) throw new Error('it is not a backup of svc: its manifest is too large')
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8')
}

async function take({ bytes, content }: PackedFile, path: string | undefined): Promise<FileFacts> {
  const hash = createHash('sha256')
  if (path === undefined) {
    for await (const chunk of content) hash.update(chunk)
    return { bytes, sha256: hash.digest('hex') }
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'wx', 0o600)
  for await (const chunk of content) {
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}
