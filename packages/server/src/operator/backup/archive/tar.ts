import { type ByteReader, createByteReader } from './byte-reader.ts'

/** A file to pack. `content` yields exactly `bytes` bytes. */
export type PackedFile = { name: string; bytes: number; content: AsyncIterable<Buffer> }

const BLOCK_BYTES = 512
/** What fits into the fields of a plain header; the rest is in an extended header before it. */
const NAME_BYTES_MAX = 100
const SIZE_MAX = 0o77777777777
const EXTENDED_BYTES_MAX = 64 * 1024
const NAME = /^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0\\]+$/

/** Packs files into a tar stream that `tar` can list and unpack. The caller reads one file to its end before the next. */
export async function* pack(files: AsyncIterable<PackedFile>): AsyncGenerator<Buffer> {
  for await (const { name, bytes, content } of files) {
    yield* headersOf(name, bytes)
    let packed = 0
    for await (const chunk of content) {
      packed += chunk.length
      yield chunk
    }
    if (packed !== bytes) throw new Error(`${name} changed while it was packed`)
    yield paddingOf(bytes)
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/**
 * The files of a tar stream, in their order. Content that the caller does not read is skipped. Throws if the stream is no archive of
 * plain files with safe names.
 */
export async function* unpack(chunks: AsyncIterable<Buffer>): AsyncGenerator<PackedFile> {
  const reader = createByteReader(chunks)
  try {
    yield* entriesOf(reader)
  } finally {
    await reader.end()
  }
}

async function* entriesOf(reader: ByteReader): AsyncGenerator<PackedFile> {
  let extended: { path?: string; size?: number } = {}
  for (;;) {
    const header = await reader.take(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) break
    requireHeader(header)
    const type = String.fromCharCode(header[156] ?? 0)
    const bytes = extended.size ?? Number.parseInt(textIn(header, 124, 12), 8)
    if (type === 'x') {
      if (bytes > EXTENDED_BYTES_MAX) throw notTar('an extended header is too large')
      extended = readExtended(await reader.take(bytes))
      await reader.take(paddingOf(bytes).length)
      continue
    }
    const name = extended.path ?? textIn(header, 0, NAME_BYTES_MAX)
    extended = {}
    if (type !== '0' || !Number.isSafeInteger(bytes) || !NAME.test(name))
      throw notTar(`unexpected entry ${name}`)
    const content = reader.stream(bytes)
    yield { name, bytes, content }
    // What the caller did not read.
    for await (const _ of content);
    await reader.take(paddingOf(bytes).length)
  }
  for await (const _ of reader.rest());
}

function* headersOf(name: string, bytes: number): Generator<Buffer> {
  const records = [
    ...(Buffer.byteLength(name) > NAME_BYTES_MAX ? [`path=${name}`] : []),
    ...(bytes > SIZE_MAX ? [`size=${bytes}`] : []),
  ]
  if (records.length > 0) {
    const text = Buffer.from(records.map(recordOf).join(''))
    yield headerOf('extended', text.length, 'x')
    yield text
    yield paddingOf(text.length)
  }
  yield headerOf(name, bytes, '0')
}

function headerOf(name: string, bytes: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0, NAME_BYTES_MAX, 'utf8')
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${Math.min(bytes, SIZE_MAX).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write(type, 156)
  header.write('ustar\u000000', 257)
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function sumOf(header: Buffer): number {
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte
  return sum
}

function requireHeader(header: Buffer) {
  if (Number.parseInt(textIn(header, 148, 8), 8) !== sumOf(header)) throw notTar('a header is damaged')
}

/** `<length of the record> <key>=<value>\n`; the length counts its own digits. */
function recordOf(record: string): string {
  const rest = Buffer.byteLength(record) + 2
  let length = rest + 1
  while (String(length).length + rest !== length) length = String(length).length + rest
  return `${length} ${record}\n`
}

function readExtended(text: Buffer): { path?: string; size?: number } {
  const values: { path?: string; size?: number } = {}
  for (const record of text.toString('utf8').split('\n')) {
    const [, key, value = ''] = /^\d+ (\w+)=(.*)$/s.exec(record) ?? []
    if (key === 'path') values.path = value
    if (key === 'size') values.size = Number(value)
  }
  return values
}

const paddingOf = (bytes: number) => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

const textIn = (header: Buffer, at: number, length: number) =>
  header.toString('utf8', at, at + length).replace(/\0.*$/s, '')

const notTar = (why: string) => new Error(`this is not a backup of svc: ${why}`)
