import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

const PREFIX = 'svc-backup sha256 '
const LAST_LINE = new RegExp(`^${PREFIX}[0-9a-f]{64}\n$`)
/** `tar` ignores bytes after the end of an archive, so it can still list and unpack a backup. */
const LAST_LINE_BYTES = PREFIX.length + 64 + 1
const CHUNK_BYTES = 1024 * 1024

/** Appends a line with the SHA-256 of all bytes before it. */
export async function appendChecksum(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  await file.write(`${PREFIX}${await sha256Of(file, size)}\n`, size)
}

/** Throws if the file has changed since `appendChecksum`. The position of the handle does not change. */
export async function requireChecksum(file: FileHandle, path: string): Promise<void> {
  const contentBytes = (await file.stat()).size - LAST_LINE_BYTES
  const lastLine = contentBytes > 0 ? await readText(file, contentBytes) : ''
  if (!LAST_LINE.test(lastLine))
    throw new Error(
      `${path} is damaged or is not a backup of svc: its last line is not a checksum. Nothing was restored.`,
    )
  if (lastLine !== `${PREFIX}${await sha256Of(file, contentBytes)}\n`)
    throw new Error(
      `${path} is damaged: its bytes do not match its checksum. Nothing was restored; use another copy.`,
    )
}

async function readText(file: FileHandle, from: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LAST_LINE_BYTES), 0, LAST_LINE_BYTES, from)
  return buffer.toString('latin1', 0, bytesRead)
}

async function sha256Of(file: FileHandle, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, bytes - at), at)
    if (bytesRead === 0) break
    hash.update(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
  return hash.digest('hex')
}
