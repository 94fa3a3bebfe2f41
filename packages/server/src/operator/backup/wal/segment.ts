import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** One range of bytes of the log. */
export type Segment = {
  generation: string
  number: number
  run: number
  salts: string
  /** Where the range begins in the log of this run. */
  offset: number
  /** The commits of the range happened after `from`, and until `to`. */
  from: string
  to: string
  /** All commits until then are in it, or in segments before it. Commits between this and `to` may be in it. */
  completeUntil: string
  /** Whether it ends with a commit: the database can be restored to its end. */
  isPoint: boolean
  bytes: Buffer
}

type Head = Omit<Segment, 'bytes'> & { svcSegment: 1; bytes: number; sha256: string; compression: 'zstd' }

const NEW_LINE = 0x0a
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** One line of JSON, then the bytes, compressed. */
export function encodeSegment({ bytes, ...segment }: Segment): Buffer {
  const head: Head = {
    svcSegment: 1,
    ...segment,
    bytes: bytes.length,
    sha256: sha256Of(bytes),
    compression: 'zstd',
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), zstdCompressSync(bytes, FAST)])
}

/** Throws if something of it is missing or was changed. */
export async function decodeSegment(name: string, content: AsyncIterable<Uint8Array>): Promise<Segment> {
  const stored = await buffer(content)
  try {
    const lineEnd = stored.indexOf(NEW_LINE)
    const {
      svcSegment,
      sha256,
      compression,
      bytes: length,
      ...segment
    } = parseHead(stored.toString('utf8', 0, lineEnd))
    if (svcSegment !== 1 || compression !== 'zstd') throw new Error('it was written by a newer version')
    const bytes = zstdDecompressSync(stored.subarray(lineEnd + 1), { maxOutputLength: length + 1 })
    if (bytes.length !== length || sha256Of(bytes) !== sha256)
      throw new Error('its bytes do not match its hash')
    return { ...segment, bytes }
  } catch (error) {
    throw new Error(`${name} is damaged: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

const parseHead = (line: string) => JSON.parse(line) as Head

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
