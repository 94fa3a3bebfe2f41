import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { Awaitable } from './awaitable.ts'
import { setBounded } from './bounded-map.ts'
import { acceptedEncoding, type Encoding } from './conditions.ts'
import { lazy } from './lazy.ts'

/** A file as it is sent: as it is, or compressed. */
export type Representation = { body: Buffer; etag: string; encoding?: Encoding }
/** The representation for a client that sends this Accept-Encoding. */
export type CompressedFile = (acceptEncoding: string | undefined) => Awaitable<Representation>

/** A smaller file is not worth it. */
const COMPRESSED_BYTES_MIN = 1_024
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']
const SUFFIX: Record<Encoding, string> = { br: 'br', gzip: 'gz' }

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  // The best quality would take a second for the OpenAPI document, and save a tenth.
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
}

/** A file of the service itself, which stays in memory: compressed once, for the first client that takes it so. */
export function compressedFile(content: string | Buffer): CompressedFile {
  const body = Buffer.from(content)
  const sha256 = hash('sha256', body)
  const compressed = (encoding: Encoding) =>
    lazy(async (): Promise<Representation> => {
      const etag = `"${sha256}-${SUFFIX[encoding]}"`
      return { body: await compress[encoding](body), etag, encoding }
    })
  const made = { br: compressed('br'), gzip: compressed('gzip') }
  const asItIs: Representation = { body, etag: `"${sha256}"` }

  return (acceptEncoding) => {
    const isSmall = body.length < COMPRESSED_BYTES_MIN
    const encoding = isSmall ? undefined : acceptedEncoding(acceptEncoding, ENCODINGS)
    return encoding ? made[encoding]() : asItIs
  }
}

/** Compressed files by their content, for pages that are written anew for each request but seldom differ; the oldest is dropped. */
export function createFileMemory(entriesMax: number): (content: string) => CompressedFile {
  const files = new Map<string, CompressedFile>()

  return (content) => {
    const known = files.get(content)
    if (known) return known
    const file = compressedFile(content)
    setBounded(files, content, file, entriesMax)
    return file
  }
}
