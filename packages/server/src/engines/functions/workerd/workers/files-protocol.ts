// The protocol of workerd's `r2Bucket` binding: its commands, its answers, its errors.

import type { File, Details } from './files-bucket.ts'
import type { Condition, Range } from './files-conditions.ts'

/** A request of workerd's binding; each method has some of the fields. */
export type Command = {
  method: string
  object: string
  objects?: string[]
  onlyIf?: Condition
  range?: Range
  rangeHeader?: string
  httpFields?: Details['http']
  customFields?: Details['custom']
  limit?: number
  prefix?: string
  cursor?: string
  delimiter?: string
  startAfter?: string
  include?: number[]
  uploadId: string
  partNumber: number
  parts: { part: number; etag: string }[]
  /** In base64, as no other digest. */
  md5?: string
  sha1?: string
  sha256?: string
  sha384?: string
  sha512?: string
}
export type Digests = Record<string, string | undefined>
export type Body = ReadableStream<Uint8Array<ArrayBuffer>>
export type ReadRange = { offset: number; length: number }

const KEY_BYTES_MAX = 1_024
const METADATA_BYTES_MAX = 2_048

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** An error with the status and the code that R2 has for it. `file` is what a condition did not hold for. */
export class FileError extends Error {
  readonly status: number
  readonly code: number
  readonly file: File | undefined

  constructor(status: number, code: number, message: string, file?: File) {
    super(message)
    this.status = status
    this.code = code
    this.file = file
  }
}
export const noSuchFile = () => new FileError(404, 10007, 'The specified key does not exist.')
export const noSuchUpload = () => new FileError(400, 10024, 'The specified multipart upload does not exist.')
export const badPart = () =>
  new FileError(400, 10025, 'One or more of the specified parts could not be found.')
export const tooLarge = () =>
  new FileError(400, 100100, 'Your proposed upload exceeds the maximum allowed object size.')
const badName = () => new FileError(400, 10020, 'The specified object name is not valid.')
export const conditionFailed = (file: File | undefined): FileError =>
  new FileError(412, 10031, 'At least one of the pre-conditions you specified did not hold.', file)

export const DIGESTS: Record<string, string> = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
}

export const expectedDigests = ({ md5, sha1, sha256, sha384, sha512 }: Partial<Command>): Digests =>
  Object.fromEntries(
    Object.entries({ md5: md5 && Uint8Array.fromBase64(md5).toHex(), sha1, sha256, sha384, sha512 }).filter(
      ([, value]) => value,
    ),
  )

export function checkMetadata(custom: Details['custom']) {
  const bytes = custom.reduce((sum, { k, v }) => sum + encoder.encode(k + v).length, 0)
  if (bytes > METADATA_BYTES_MAX)
    throw new FileError(400, 10012, 'Your metadata headers exceed the maximum allowed metadata size.')
}

export function checkedKey(key: string | undefined) {
  if (!key || encoder.encode(key).length > KEY_BYTES_MAX) throw badName()
  return key
}

/**
 * The command of a request, and the bytes of a file if there are any. A read has its command in a header; otherwise it is JSON with which
 * the body begins.
 */
export async function split(request: Request): Promise<{ command: Command; body: Body; size: number }> {
  if (request.method === 'GET') {
    const command = JSON.parse(request.headers.get('cf-r2-request') ?? '')
    return { command, body: request.body as Body, size: 0 }
  }
  const commandBytes = Number(request.headers.get('cf-r2-metadata-size'))
  const length = Number(request.headers.get('content-length'))
  if (!request.body) throw new Error('a command has no body')
  const reader = request.body.getReader({ mode: 'byob' })
  const { value } = await reader.readAtLeast(commandBytes, new Uint8Array(commandBytes))
  reader.releaseLock()
  return { command: JSON.parse(decoder.decode(value)), body: request.body, size: length - commandBytes }
}

/** A file as workerd's binding reads it. */
export const describe = (
  { key, version, size, etag, uploaded, http, custom, checksums }: File,
  range?: ReadRange,
): object => ({
  name: key,
  version,
  size,
  etag,
  uploaded,
  httpFields: http,
  customFields: custom,
  range,
  checksums: {
    0: checksums.md5,
    1: checksums.sha1,
    2: checksums.sha256,
    3: checksums.sha384,
    4: checksums.sha512,
  },
})

/** JSON, followed by the bytes of the file, if there are any. */
export function encode(
  description: object,
  bodyBytes = 0,
  copyBody?: (writable: WritableStream<Uint8Array>) => Promise<void>,
) {
  const json = encoder.encode(JSON.stringify(description))
  const headers = { 'cf-r2-metadata-size': String(json.length), 'content-type': 'application/json' }
  if (bodyBytes === 0) return new Response(json, { headers })
  const { readable, writable } = new FixedLengthStream(json.length + bodyBytes)
  const copy = async () => {
    const writer = writable.getWriter()
    await writer.write(json)
    writer.releaseLock()
    await copyBody?.(writable)
  }
  copy().catch((error) => writable.abort(error))
  return new Response(readable, { headers })
}

export function refusal(error: Error) {
  const {
    status = 500,
    code = 10001,
    message,
    file,
  } = error instanceof FileError ? error : { message: String(error?.message ?? error) }
  const headers = { 'cf-r2-error': JSON.stringify({ version: 1, v4code: code, message }) }
  if (!file) return new Response(null, { status, headers })
  const json = encoder.encode(JSON.stringify(describe(file, { offset: 0, length: file.size })))
  return new Response(json, { status, headers: { ...headers, 'cf-r2-metadata-size': String(json.length) } })
}
