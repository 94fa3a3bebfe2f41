import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { PageResponse } from '../../../platform/http/responses.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import { setBounded } from '../../../platform/memory/bounded-map.ts'
import { lazy } from '../../../platform/memory/lazy.ts'
import { acceptedEncoding, type Encoding, matchesEtag } from './conditions.ts'
import { isCompressible } from './content-types.ts'
import { rawHeaders, type RawResponse, type RequestPreferences } from './raw-response.ts'

/** One form in which a file in memory is sent: unchanged, or compressed. */
type Variant = { body: Buffer; etag: string; encoding?: Encoding }
type MemoryFile = (encoding: Encoding | undefined) => Awaitable<Variant>

const HTML = 'text/html; charset=utf-8'
/** Smaller bodies are not compressed. */
const COMPRESSED_BYTES_MIN = 1_024
const TEXTS_CACHED_MAX = 1_000
const SUFFIX: Record<Encoding, string> = { br: 'br', gzip: 'gz' }

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  // The best quality would take a second for the OpenAPI document, and save 10 %.
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
}

/** Compressed once per encoding, at the first request that accepts it. */
function memoryFile(body: Buffer): MemoryFile {
  const sha256 = hash('sha256', body)
  const compressed = (encoding: Encoding) =>
    lazy(async (): Promise<Variant> => {
      const etag = `"${sha256}-${SUFFIX[encoding]}"`
      return { body: await compress[encoding](body), etag, encoding }
    })
  const made = { br: compressed('br'), gzip: compressed('gzip') }
  const asItIs: Variant = { body, etag: `"${sha256}"` }
  return (encoding) => (encoding ? made[encoding]() : asItIs)
}

const byBuffer = new WeakMap<Buffer, MemoryFile>()
/** For pages that are rendered for each request but rarely differ; the oldest is evicted. */
const byText = new Map<string, MemoryFile>()

function fileOf(body: string | Buffer, isStored: boolean): MemoryFile {
  if (typeof body !== 'string') {
    const known = byBuffer.get(body) ?? memoryFile(body)
    byBuffer.set(body, known)
    return known
  }
  const known = byText.get(body)
  if (known || !isStored) return known ?? memoryFile(Buffer.from(body))
  const file = memoryFile(Buffer.from(body))
  setBounded(byText, body, file, TEXTS_CACHED_MAX)
  return file
}

/**
 * Compressed if the client accepts it; 304 if the client has it (RFC 9110, 13.1.2). Text with `no-store` is not cached here,
 * either.
 */
export async function fromMemory(
  { status = 200, type = HTML, headers = {}, body }: PageResponse,
  { method, acceptEncoding, ifNoneMatch }: Omit<RequestPreferences, 'range' | 'ifRange'>,
): Promise<RawResponse> {
  const common = ['X-Content-Type-Options', 'nosniff', ...rawHeaders(headers)]
  if (body instanceof Readable) return { status, headers: [...common, 'Content-Type', type], body }
  if (body.length === 0)
    return { status, headers: status === 204 ? common : [...common, 'Content-Length', '0'] }

  const cacheControl = headers['Cache-Control']
  const file = fileOf(body, cacheControl !== undefined && cacheControl !== 'no-store')
  const mayCompress = body.length >= COMPRESSED_BYTES_MIN && isCompressible(type)
  const variant = await file(mayCompress ? acceptedEncoding(acceptEncoding, true, true) : undefined)
  common.push('Vary', 'Accept-Encoding')
  if (status === 200 && method !== 'POST') {
    common.push('ETag', variant.etag)
    if (matchesEtag(ifNoneMatch, variant.etag)) return { status: 304, headers: common }
  }
  if (variant.encoding) common.push('Content-Encoding', variant.encoding)
  common.push('Content-Type', type, 'Content-Length', String(variant.body.length))
  return { status, headers: common, body: variant.body }
}
