import type { BlobFile, FileResponse } from '../../../platform/http/responses.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import { acceptedEncoding, type ByteRange, type Encoding, matchesEtag, requestedRange } from './conditions.ts'
import { type BlobReader, createFileCache, type FileCacheLimits } from './file-cache.ts'
import { rawHeaders, type RawResponse, type RequestPreferences } from './raw-response.ts'

/**
 * One form in which a file can be sent: unchanged, or one of its compressed copies. `whole`: the headers for the complete file. `extended`:
 * the same with more headers, those of the last response that had any.
 */
type Variant = {
  key: string
  size: number
  etag: string
  headers: string[]
  whole: string[]
  extended?: { more: MoreHeaders; headers: string[] }
}
type MoreHeaders = Readonly<Record<string, string>>
type Variants = { identity?: Variant; br?: Variant; gzip?: Variant }

const SUFFIX: Record<Encoding, 'br' | 'gz'> = { br: 'br', gzip: 'gz' }

/** Files of the blob store: small ones through the cache, larger ones as a stream that is never completely in memory. */
export function createBlobResponses(blobs: BlobReader, limits: FileCacheLimits) {
  const cache = createFileCache(blobs, limits)
  const known = new WeakMap<BlobFile, Variants>()

  function variantOf(file: BlobFile, coding: Encoding | 'identity'): Variant {
    let variants = known.get(file)
    if (!variants) known.set(file, (variants = {}))
    return (variants[coding] ??= coding === 'identity' ? asItIs(file) : compressed(file, coding))
  }

  /** Undefined if the bytes are no longer stored, or not all of them. */
  async function withBody(answer: RawResponse, { key, size }: Variant, range?: ByteRange) {
    if (!cache.isSmall(size)) return fromStore(answer, key, size, range)
    const content = cache.find(key) ?? (await cache.read(key))
    if (content?.length !== size) return undefined
    answer.body = range ? content.subarray(range.start, range.end + 1) : content
    return answer
  }

  async function fromStore(answer: RawResponse, key: string, size: number, range?: ByteRange) {
    const blob = await blobs.open(key, range)
    if (blob?.size === size) return { ...answer, body: blob.stream }
    blob?.stream.destroy()
    return undefined
  }

  function withRange(variant: Variant, more: MoreHeaders | undefined, range: ByteRange) {
    const { start, end } = range
    const headers = [
      ...variant.headers,
      ...rawHeaders(more),
      'Content-Range',
      `bytes ${start}-${end}/${variant.size}`,
      'Content-Length',
      String(end - start + 1),
    ]
    return withBody({ status: 206, headers }, variant, range)
  }

  return (response: FileResponse, request: RequestPreferences): Awaitable<RawResponse | undefined> => {
    const { file, status = 200, headers: more } = response
    const isHead = request.method === 'HEAD'
    // Ranges are ranges of the original file: a client that resumes a download has part of that.
    const mayCompress = status === 200 && request.range === undefined
    const encoding = mayCompress
      ? acceptedEncoding(request.acceptEncoding, Boolean(file.brSize), Boolean(file.gzSize))
      : undefined
    const variant = variantOf(file, encoding ?? 'identity')

    if (status === 200) {
      if (matchesEtag(request.ifNoneMatch, variant.etag))
        return { status: 304, headers: [...variant.headers, ...rawHeaders(more)] }
      const isWhole = isHead || file.hasRanges === false
      const range = isWhole ? undefined : requestedRange(request, variant.size, variant.etag)
      if (range === 'beyond') return noSuchBytes(variant.size, more)
      if (range) return withRange(variant, more, range)
    }
    const answer: RawResponse = {
      status,
      headers: more ? extended(variant, more) : variant.whole,
      areShared: status === 200,
    }
    return isHead ? answer : withBody(answer, variant)
  }
}

/** The same list for the same object, so that a page with a cookie needs no list of its own for each visitor. */
function extended(variant: Variant, more: MoreHeaders): string[] {
  if (variant.extended?.more !== more)
    variant.extended = { more, headers: [...variant.whole, ...rawHeaders(more)] }
  return variant.extended.headers
}

const noSuchBytes = (size: number, more: MoreHeaders | undefined): RawResponse => ({
  status: 416,
  headers: [
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
    'Content-Range',
    `bytes */${size}`,
    'Content-Length',
    '0',
    ...rawHeaders(more),
  ],
})

function asItIs(file: BlobFile): Variant {
  const etag = `"${file.sha256}"`
  return { key: file.key, etag, ...sized(file.size, headersOf(file, etag)) }
}

function compressed(file: BlobFile, encoding: Encoding): Variant {
  const suffix = SUFFIX[encoding]
  const etag = `"${file.sha256}-${suffix}"`
  const size = (encoding === 'br' ? file.brSize : file.gzSize) ?? 0
  const headers = [...headersOf(file, etag), 'Content-Encoding', encoding]
  return { key: `${file.key}.${suffix}`, etag, ...sized(size, headers) }
}

const sized = (size: number, headers: string[]) => ({
  size,
  headers,
  whole: [...headers, 'Content-Length', String(size)],
})

const headersOf = ({ cacheControl, type, hasRanges }: BlobFile, etag: string): string[] => [
  'Content-Type',
  type,
  'Cache-Control',
  cacheControl,
  'ETag',
  etag,
  'Vary',
  'Accept-Encoding',
  'Accept-Ranges',
  hasRanges === false ? 'none' : 'bytes',
  'X-Content-Type-Options',
  'nosniff',
]
