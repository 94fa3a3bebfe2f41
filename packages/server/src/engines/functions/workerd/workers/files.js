// Files: speaks the protocol of workerd's `r2Bucket` binding. Names and metadata are in a Durable Object (files-bucket.js), bodies in
// the service's blob store, which a socket reaches.
import { WorkerEntrypoint } from 'cloudflare:workers'

import { Bucket, FILE_BYTES_MAX, removeBodies } from './files-bucket.js'
import { holds, rangeOf } from './files-conditions.js'

/** @import { Env, File, Details } from './files-bucket.js' */
/** @import { Condition, Range } from './files-conditions.js' */

/**
 * A request of workerd's binding; each method has some of the fields.
 * @typedef {object} Command
 * @property {string} method
 * @property {string} object
 * @property {string[]} [objects]
 * @property {Condition} [onlyIf]
 * @property {Range} [range]
 * @property {string} [rangeHeader]
 * @property {Details['http']} [httpFields]
 * @property {Details['custom']} [customFields]
 * @property {number} [limit]
 * @property {string} [prefix]
 * @property {string} [cursor]
 * @property {string} [delimiter]
 * @property {string} [startAfter]
 * @property {number[]} [include]
 * @property {string} uploadId
 * @property {number} partNumber
 * @property {{ part: number, etag: string }[]} parts
 * @property {string} [md5] in base64, as no other digest
 * @property {string} [sha1]
 * @property {string} [sha256]
 * @property {string} [sha384]
 * @property {string} [sha512]
 *
 * @typedef {Record<string, string | undefined>} Digests
 * @typedef {ReadableStream<Uint8Array<ArrayBuffer>>} Body
 * @typedef {{ offset: number, length: number }} ReadRange
 */

const KEY_BYTES_MAX = 1_024
const METADATA_BYTES_MAX = 2_048
const LIST_MAX = 1_000
const PARTS_MAX = 10_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

class FileError extends Error {
  /**
   * @param {number} status
   * @param {number} code
   * @param {string} message
   * @param {File} [file]
   */
  constructor(status, code, message, file) {
    super(message)
    this.status = status
    this.code = code
    this.file = file
  }
}
const noSuchFile = () => new FileError(404, 10007, 'The specified key does not exist.')
const noSuchUpload = () => new FileError(400, 10024, 'The specified multipart upload does not exist.')
const badPart = () => new FileError(400, 10025, 'One or more of the specified parts could not be found.')
const tooLarge = () =>
  new FileError(400, 100100, 'Your proposed upload exceeds the maximum allowed object size.')
const badName = () => new FileError(400, 10020, 'The specified object name is not valid.')
/** @type {(file: File | undefined) => FileError} */
const conditionFailed = (file) =>
  new FileError(412, 10031, 'At least one of the pre-conditions you specified did not hold.', file)

export { Bucket }

/** @extends {WorkerEntrypoint<Env, { id: string }>} */
export class Files extends WorkerEntrypoint {
  get bucket() {
    return this.env.BUCKET.get(this.env.BUCKET.idFromName(this.ctx.props.id))
  }

  /** @param {Request} request */
  async fetch(request) {
    try {
      if (request.method === 'GET')
        return await this.read(JSON.parse(request.headers.get('cf-r2-request') ?? ''))
      const { command, body, size } = await split(request)
      return await this.change(command, body, size)
    } catch (error) {
      await request.body?.cancel().catch(() => {})
      return refusal(error)
    }
  }

  /** @param {Command} command */
  read(command) {
    switch (command.method) {
      case 'head':
        return this.head(command)
      case 'get':
        return this.get(command)
      case 'list':
        return this.list(command)
      default:
        throw new Error(`unknown method ${command.method}`)
    }
  }

  /**
   * @param {Command} command
   * @param {Body} body
   * @param {number} size
   */
  change(command, body, size) {
    switch (command.method) {
      case 'put':
        return this.put(command, body, size)
      case 'delete':
        return this.delete(command)
      case 'createMultipartUpload':
        return this.createUpload(command)
      case 'uploadPart':
        return this.uploadPart(command, body, size)
      case 'completeMultipartUpload':
        return this.complete(command)
      case 'abortMultipartUpload':
        return this.abort(command)
      default:
        throw new Error(`unknown method ${command.method}`)
    }
  }

  /** @param {Command} command */
  async head({ object }) {
    const file = await this.bucket.find(checkedKey(object))
    if (!file) throw noSuchFile()
    return encode(describe(file, { offset: 0, length: file.size }))
  }

  /** @param {Command} command */
  async get({ object, onlyIf, range, rangeHeader }) {
    const file = await this.bucket.find(checkedKey(object))
    if (!file) throw noSuchFile()
    if (onlyIf && !holds(onlyIf, file)) throw conditionFailed(file)
    const found = rangeOf({ range, rangeHeader }, file.size)
    if (!found) throw new FileError(416, 10039, 'The requested range is not satisfiable')
    return encode(describe(file, found), found.length, (writable) => this.copy(file, found, writable))
  }

  /**
   * Copies the bytes of a range, from one part after the other.
   * @param {File} file
   * @param {ReadRange} range
   * @param {WritableStream<Uint8Array>} writable
   */
  async copy({ parts }, { offset, length }, writable) {
    let start = 0
    for (const { bodyId, size } of parts) {
      const [from, to] = [Math.max(offset, start) - start, Math.min(offset + length, start + size) - start]
      start += size
      if (from >= to) continue
      const response = await this.env.BODIES.fetch(`http://bodies/${bodyId}?start=${from}&end=${to - 1}`)
      if (!response.ok) throw new Error(`the body of a file cannot be read: ${response.status}`)
      await response.body?.pipeTo(writable, { preventClose: true })
    }
    await writable.close()
  }

  /**
   * @param {Command} command
   * @param {Body} body
   * @param {number} size
   */
  async put(command, body, size) {
    const key = checkedKey(command.object)
    const custom = command.customFields ?? []
    if (size > FILE_BYTES_MAX) throw tooLarge()
    checkMetadata(custom)

    const { bodyId, digests } = await this.store(body, size, command)
    const version = crypto.randomUUID().replaceAll('-', '')
    const file = {
      key,
      size,
      version,
      etag: digests.md5 ?? '',
      checksums: digests,
      uploaded: Date.now(),
      http: command.httpFields ?? {},
      custom,
      parts: [{ bodyId, size }],
    }
    const { failed, current, unused } = await this.bucket.put(file, command.onlyIf)
    if (failed) {
      await this.discard([bodyId])
      throw conditionFailed(current)
    }
    await this.discard(unused)
    return encode(describe(file))
  }

  /**
   * Uploads a body and checks the checksums that the code gave.
   * @param {Body} body
   * @param {number} size
   * @param {Partial<Command>} command
   */
  async store(body, size, command) {
    if (this.env.IS_FULL) throw new FileError(507, 10001, 'The storage of this environment is full.')
    const { bodyId, removable } = await this.bucket.reserve()
    const expected = expectedDigests(command)
    const algorithms = ['md5', ...Object.keys(expected).filter((name) => name !== 'md5')]
    const sinks = algorithms.map((name) => new crypto.DigestStream(DIGESTS[name] ?? name))
    const writers = sinks.map((sink) => sink.getWriter())
    const { readable, writable } = new FixedLengthStream(size)
    const upload = this.env.BODIES.fetch(`http://bodies/${bodyId}`, { method: 'PUT', body: readable })
    const out = writable.getWriter()
    for await (const chunk of body)
      await Promise.all([out.write(chunk), ...writers.map((one) => one.write(chunk))])
    await Promise.all([out.close(), ...writers.map((one) => one.close())])
    const response = await upload
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the body of a file cannot be stored: ${response.status}`)

    const found = await Promise.all(sinks.map(async (sink) => new Uint8Array(await sink.digest).toHex()))
    /** @type {Digests} */
    const digests = Object.fromEntries(algorithms.map((name, index) => [name, found[index]]))
    const wrong = Object.keys(expected).find((name) => expected[name] !== digests[name])
    await this.discard(wrong ? [...removable, bodyId] : removable)
    if (wrong)
      throw new FileError(
        400,
        10037,
        `The ${DIGESTS[wrong]} checksum you specified did not match what we received.`,
      )
    return { bodyId, digests }
  }

  /** @param {readonly string[]} bodyIds */
  async discard(bodyIds) {
    if (bodyIds.length === 0) return
    await this.bucket.removed(await removeBodies(this.env, bodyIds))
  }

  /** @param {Command} command */
  async delete({ object, objects }) {
    const keys = (objects ?? [object]).map(checkedKey)
    if (keys.length > LIST_MAX)
      throw new FileError(400, 10029, `At most ${LIST_MAX} keys can be deleted together.`)
    await this.discard((await this.bucket.remove(keys)).unused)
    return new Response()
  }

  /** @param {Command} command */
  async list({ limit = LIST_MAX, prefix, cursor, delimiter, startAfter, include = [] }) {
    if (!(limit >= 1 && limit <= LIST_MAX))
      throw new FileError(400, 10022, 'MaxKeys params must be positive integer <= 1000.')
    const after = cursor ? decoder.decode(Uint8Array.fromBase64(cursor)) : startAfter
    const { files, prefixes, isTruncated, last } = await this.bucket.list({ prefix, after, limit, delimiter })
    return encode({
      objects: files.map((file) =>
        describe({
          ...file,
          http: include.includes(0) ? file.http : {},
          custom: include.includes(1) ? file.custom : [],
        }),
      ),
      truncated: isTruncated,
      ...(isTruncated ? { cursor: encoder.encode(last).toBase64() } : {}),
      delimitedPrefixes: prefixes,
    })
  }

  /** @param {Command} command */
  async createUpload({ object, httpFields = {}, customFields = [] }) {
    checkMetadata(customFields)
    const details = { uploaded: Date.now(), http: httpFields, custom: customFields }
    return encode({ uploadId: await this.bucket.createUpload(checkedKey(object), details) })
  }

  /**
   * @param {Command} command
   * @param {Body} body
   * @param {number} size
   */
  async uploadPart({ object, uploadId, partNumber }, body, size) {
    if (size > FILE_BYTES_MAX) throw tooLarge()
    if (!(partNumber >= 1 && partNumber <= PARTS_MAX)) throw badPart()
    const { bodyId, digests } = await this.store(body, size, {})
    const { failed, unused } = await this.bucket.putPart(uploadId, checkedKey(object), partNumber, {
      etag: digests.md5 ?? '',
      bodyId,
      size,
    })
    await this.discard(failed ? [...unused, bodyId] : unused)
    if (failed) throw noSuchUpload()
    return encode({ etag: digests.md5 })
  }

  /** @param {Command} command */
  async complete({ object, uploadId, parts }) {
    const version = crypto.randomUUID().replaceAll('-', '')
    const { error, file, unused } = await this.bucket.complete(uploadId, checkedKey(object), parts, version)
    if (error === 'upload') throw noSuchUpload()
    if (error === 'size') throw tooLarge()
    if (error || !file) throw badPart()
    await this.discard(unused)
    return encode(describe(file))
  }

  /** @param {Command} command */
  async abort({ object, uploadId }) {
    await this.discard((await this.bucket.abort(uploadId, checkedKey(object))).unused)
    return new Response()
  }
}

/** @type {Record<string, string>} */
const DIGESTS = { md5: 'MD5', sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' }

/** @type {(command: Partial<Command>) => Digests} */
const expectedDigests = ({ md5, sha1, sha256, sha384, sha512 }) =>
  Object.fromEntries(
    Object.entries({ md5: md5 && Uint8Array.fromBase64(md5).toHex(), sha1, sha256, sha384, sha512 }).filter(
      ([, value]) => value,
    ),
  )

/** @param {Details['custom']} custom */
function checkMetadata(custom) {
  const bytes = custom.reduce((sum, { k, v }) => sum + encoder.encode(k + v).length, 0)
  if (bytes > METADATA_BYTES_MAX)
    throw new FileError(400, 10012, 'Your metadata headers exceed the maximum allowed metadata size.')
}

/** @param {string | undefined} key */
function checkedKey(key) {
  if (!key || encoder.encode(key).length > KEY_BYTES_MAX) throw badName()
  return key
}

/**
 * The request's JSON, which its body begins with, and the rest.
 * @param {Request} request
 * @returns {Promise<{ command: Command, body: Body, size: number }>}
 */
async function split(request) {
  const commandBytes = Number(request.headers.get('cf-r2-metadata-size'))
  const length = Number(request.headers.get('content-length'))
  if (!request.body) throw new Error('a command has no body')
  const reader = request.body.getReader({ mode: 'byob' })
  const { value } = await reader.readAtLeast(commandBytes, new Uint8Array(commandBytes))
  reader.releaseLock()
  return { command: JSON.parse(decoder.decode(value)), body: request.body, size: length - commandBytes }
}

/**
 * A file as workerd's binding reads it.
 * @type {(file: File, range?: ReadRange) => object}
 */
const describe = ({ key, version, size, etag, uploaded, http, custom, checksums }, range) => ({
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

/**
 * JSON, followed by the bytes of the file, if there are any.
 * @param {object} description
 * @param {number} [bodyBytes]
 * @param {(writable: WritableStream<Uint8Array>) => Promise<void>} [copyBody]
 */
function encode(description, bodyBytes = 0, copyBody) {
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

/** @param {Error} error */
function refusal(error) {
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
