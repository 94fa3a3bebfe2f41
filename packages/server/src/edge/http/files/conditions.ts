import Negotiator from 'negotiator'

export type Encoding = 'br' | 'gzip'
type Coding = Encoding | 'identity'

const PREFERRED: readonly Coding[] = ['br', 'gzip', 'identity']
const BROTLI_ONLY: readonly Coding[] = ['br', 'identity']
const GZIP_ONLY: readonly Coding[] = ['gzip', 'identity']
const HEADERS_CACHED_MAX = 200

const chosen = new Map<string, Coding>()

/**
 * The available encoding that the client prefers (RFC 9110, 12.5.3); undefined: no compression. Results are cached by the text of
 * the header: browsers send only a few different ones, and negotiating costs 3 µs.
 */
export function acceptedEncoding(
  header: string | undefined,
  hasBrotli: boolean,
  hasGzip: boolean,
): Encoding | undefined {
  if (header === undefined || header === '' || !(hasBrotli || hasGzip)) return undefined
  const isUsual = hasBrotli && hasGzip
  const known = isUsual ? chosen.get(header) : undefined
  if (known !== undefined) return known === 'identity' ? undefined : known

  const offered = isUsual ? PREFERRED : hasBrotli ? BROTLI_ONLY : GZIP_ONLY
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } })
  const [best = 'identity'] = negotiator.encodings(offered, { preferred: offered }) as Coding[]
  if (isUsual) {
    if (chosen.size >= HEADERS_CACHED_MAX) chosen.clear()
    chosen.set(header, best)
  }
  return best === 'identity' ? undefined : best
}

/** RFC 9110, 13.1.2: weakly compared. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

export type ByteRange = { start: number; end: number }

/**
 * The one range that is requested; `beyond` if no such byte exists. Undefined: respond with the whole file, also if several ranges
 * are requested or If-Range has the ETag of another version (RFC 9110, 14.2).
 */
export function requestedRange(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  size: number,
  etag: string,
): ByteRange | 'beyond' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const [, first, last] = /^bytes\s*=\s*(\d*)-(\d*)$/i.exec(range) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined

  if (first === '') {
    const count = Math.min(Number(last), size)
    return count === 0 ? 'beyond' : { start: size - count, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'beyond' : { start, end }
}
