import {
  acceptedEncoding,
  askedRange,
  type ByteRange,
  type Encoding,
  isKnown,
} from '../../platform/conditions.ts'
import { type AppAnswer, noSuchBytes } from './answers.ts'
import type { HotFiles } from './hot-files.ts'
import type { HostedFile } from './manifests.ts'
import type { Blobs } from './needs.ts'

/** What a visitor's browser says about the answer it wants. */
export type Wish = {
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  range: string | undefined
  ifRange: string | undefined
}

/** A file as it can be sent: as it is, or one of its compressed copies. */
type Representation = { key: string; size: number; etag: string; headers: string[] }
type Coding = Encoding | 'identity'

const FOREVER = 'public, max-age=31536000, immutable'
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']
const SUFFIX: Record<Encoding, 'br' | 'gz'> = { br: 'br', gzip: 'gz' }

/** One file to one visitor, with all that HTTP has to say about it. */
export function createFileAnswers(blobs: Pick<Blobs, 'open'>, hot: HotFiles) {
  const remembered = new WeakMap<HostedFile, Partial<Record<Coding, Representation>>>()

  function representation(file: HostedFile, coding: Coding): Representation {
    const known = remembered.get(file) ?? {}
    remembered.set(file, known)
    return (known[coding] ??= coding === 'identity' ? asItIs(file) : compressed(file, coding))
  }

  /** Small ones from memory; a larger one streams from the store, and nobody holds all of it. Undefined when it is not whole. */
  async function bodyOf({ key, size }: Representation, range?: ByteRange) {
    if (hot.isSmall(size)) {
      const content = hot.known(key) ?? (await hot.read(key))
      if (content?.length !== size) return undefined
      return range ? content.subarray(range.start, range.end + 1) : content
    }
    const blob = await blobs.open(key, range)
    if (blob?.size === size) return blob.stream
    blob?.stream.destroy()
    return undefined
  }

  /** Undefined when the bytes are no longer stored. */
  async function withBody(
    status: number,
    headers: string[],
    chosen: Representation,
    range?: ByteRange,
  ): Promise<AppAnswer | undefined> {
    const body = await bodyOf(chosen, range)
    return body && { status, headers, body }
  }

  return {
    async ok(file: HostedFile, wish: Wish, isHead: boolean): Promise<AppAnswer | undefined> {
      // A range is one of the file itself: whoever resumes a download has it as it is.
      const offered = wish.range === undefined ? ENCODINGS.filter((encoding) => hasCopy(file, encoding)) : []
      const coding = offered.length > 0 ? acceptedEncoding(wish.acceptEncoding, offered) : undefined
      const chosen = representation(file, coding ?? 'identity')
      const { etag, headers, size } = chosen

      if (isKnown(wish.ifNoneMatch, etag)) return { status: 304, headers }
      const range = isHead ? undefined : askedRange(wish, size, etag)
      if (range === 'beyond') return noSuchBytes(size)
      if (range) {
        const { start, end } = range
        const part = [
          'Content-Range',
          `bytes ${start}-${end}/${size}`,
          'Content-Length',
          String(end - start + 1),
        ]
        return withBody(206, [...headers, ...part], chosen, range)
      }
      const whole = [...headers, 'Content-Length', String(size)]
      return isHead ? { status: 200, headers: whole } : withBody(200, whole, chosen)
    },

    /** The app's own page for what is not there: always whole, and never the browser's business to keep. */
    async notFound(file: HostedFile, isHead: boolean): Promise<AppAnswer | undefined> {
      const chosen = representation(file, 'identity')
      const headers = [...chosen.headers, 'Content-Length', String(chosen.size)]
      return isHead ? { status: 404, headers } : withBody(404, headers, chosen)
    },
  }
}

const hasCopy = ({ brSize, gzSize }: HostedFile, encoding: Encoding) =>
  Boolean(encoding === 'br' ? brSize : gzSize)

function asItIs(file: HostedFile): Representation {
  const etag = `"${file.sha256}"`
  return { key: file.key, size: file.size, etag, headers: headersOf(file, etag) }
}

function compressed(file: HostedFile, encoding: Encoding): Representation {
  const suffix = SUFFIX[encoding]
  const etag = `"${file.sha256}-${suffix}"`
  const size = (encoding === 'br' ? file.brSize : file.gzSize) ?? 0
  const headers = [...headersOf(file, etag), 'Content-Encoding', encoding]
  return { key: `${file.key}.${suffix}`, size, etag, headers }
}

/** The bytes of an address may change with every activation, unless its name would change with them. */
const headersOf = ({ hasHash, type }: HostedFile, etag: string): string[] => [
  'Content-Type',
  type,
  'Cache-Control',
  hasHash && !type.startsWith('text/html') ? FOREVER : 'no-cache',
  'ETag',
  etag,
  'Vary',
  'Accept-Encoding',
  'Accept-Ranges',
  'bytes',
  'X-Content-Type-Options',
  'nosniff',
]
