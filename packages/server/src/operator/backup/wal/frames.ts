/**
 * SQLite's write-ahead log: a header of 32 bytes, then frames of 24 bytes and a page each. All numbers are big-endian.
 * https://www.sqlite.org/fileformat2.html#walformat
 */
export const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

export type LogHeader = {
  pageBytes: number
  /** Every restart of the log changes them; each frame carries a copy. */
  salts: string
}

/** Undefined if these are not the first bytes of a log. */
export function readHeader(bytes: Buffer): LogHeader | undefined {
  if (bytes.length < HEADER_BYTES || (bytes.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return undefined
  return { pageBytes: bytes.readUInt32BE(8), salts: bytes.toString('hex', 16, 24) }
}

export const frameBytes = (pageBytes: number): number => FRAME_HEADER_BYTES + pageBytes

/** Where the log ends after so many frames. */
export const endOf = (frames: number, pageBytes: number): number =>
  HEADER_BYTES + frames * frameBytes(pageBytes)

/** Whether all these whole frames are of this log; the last one may have to end a transaction. */
export function areFramesOf({ pageBytes, salts }: LogHeader, frames: Buffer): boolean {
  for (let at = 0; at < frames.length; at += frameBytes(pageBytes))
    if (frames.toString('hex', at + 8, at + 16) !== salts) return false
  return frames.length % frameBytes(pageBytes) === 0
}

/** Whether the last of these whole frames ends a transaction: SQLite ignores frames after the last that does. */
export const endsTransaction = (frames: Buffer, pageBytes: number): boolean =>
  frames.length >= frameBytes(pageBytes) &&
  frames.readUInt32BE(frames.length - frameBytes(pageBytes) + 4) !== 0

/**
 * Where the last transaction ends whose frames all have the right checksum: what SQLite finds when it opens the file. 0 if these are not
 * the bytes of a log.
 */
export function committedEnd(log: Buffer): number {
  const header = readHeader(log)
  if (!header) return 0
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1
  let sum = addChecksum([0, 0], log.subarray(0, 24), isBigEndian)
  if (!matches(sum, log, 24)) return 0
  let end = HEADER_BYTES
  const step = frameBytes(header.pageBytes)
  for (let at = HEADER_BYTES; at + step <= log.length; at += step) {
    if (log.toString('hex', at + 8, at + 16) !== header.salts) break
    sum = addChecksum(sum, log.subarray(at, at + 8), isBigEndian)
    sum = addChecksum(sum, log.subarray(at + FRAME_HEADER_BYTES, at + step), isBigEndian)
    if (!matches(sum, log, at + 16)) break
    if (log.readUInt32BE(at + 4) !== 0) end = at + step
  }
  return end
}

type Checksum = readonly [number, number]

const matches = ([one, two]: Checksum, log: Buffer, at: number) =>
  log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === two

function addChecksum([one, two]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isBigEndian) + two) >>> 0
    two = (two + view.getUint32(at + 4, !isBigEndian) + one) >>> 0
  }
  return [one, two]
}
