import { createHash } from 'node:crypto'

const PREFIX = 'svc-backup sha256 '
const LAST_LINE = new RegExp(`^${PREFIX}[0-9a-f]{64}\n$`)
/** `tar` ignores bytes after the end of an archive, so it can still list and unpack a backup. */
const LAST_LINE_BYTES = PREFIX.length + 64 + 1

/** Adds a line with the SHA-256 of all bytes before it. */
export async function* withChecksum(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
  yield Buffer.from(`${PREFIX}${hash.digest('hex')}\n`)
}

/** The bytes before that line. Throws at the end if they have changed since `withChecksum`. */
export async function* requireChecksum(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  /** The end of what was read: it may be the line. */
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const both = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const content = both.subarray(0, Math.max(0, both.length - LAST_LINE_BYTES))
    tail = Buffer.from(both.subarray(content.length))
    if (content.length === 0) continue
    hash.update(content)
    yield content
  }
  const line = tail.toString('latin1')
  if (!LAST_LINE.test(line))
    throw new Error('it is damaged or is not a backup of svc: its last line is not a checksum')
  if (line !== `${PREFIX}${hash.digest('hex')}\n`)
    throw new Error('it is damaged: its bytes do not match its checksum')
}
