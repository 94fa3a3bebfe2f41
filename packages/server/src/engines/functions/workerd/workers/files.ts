// Files: speaks the protocol of workerd's `r2Bucket` binding. Names and metadata are in a Durable Object (files-bucket.ts), bodies in
// the service's blob store, which a socket reaches.
import { WorkerEntrypoint } from 'cloudflare:workers'

import { Bucket, type Env, type File, FILE_BYTES_MAX, removeBodies } from './files-bucket.ts'
import { holds, rangeOf } from './files-conditions.ts'
import {
  badPart,
  type Body,
  checkedKey,
  checkMetadata,
  type Command,
  conditionFailed,
  describe,
  DIGESTS,
  type Digests,
  encode,
  expectedDigests,
  FileError,
  noSuchFile,
  noSuchUpload,
  type ReadRange,
  refusal,
  split,
  tooLarge,
} from './files-protocol.ts'

const LIST_MAX = 1_000
const PARTS_MAX = 10_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

type Operation = (files: Files, command: Command, body: Body, size: number) => Promise<Response>

/** Commands in the header of a request. */
const READS = new Map<string, Operation>([
  ['head', (files, command) => files.head(command)],
  ['get', (files, command) => files.get(command)],
  ['list', (files, command) => files.list(command)],
])

/** Commands in the body of a request; the bytes of a file follow. */
const CHANGES = new Map<string, Operation>([
  ['put', (files, command, body, size) => files.put(command, body, size)],
  ['delete', (files, command) => files.delete(command)],
  ['createMultipartUpload', (files, command) => files.createUpload(command)],
  ['uploadPart', (files, command, body, size) => files.uploadPart(command, body, size)],
  ['completeMultipartUpload', (files, command) => files.complete(command)],
  ['abortMultipartUpload', (files, command) => files.abort(command)],
])

export { Bucket }

/** What bindings of the code call: the commands of R2 for one bucket. */
export class Files extends WorkerEntrypoint<Env, { id: string }> {
  get bucket() {
    return this.env.BUCKET.get(this.env.BUCKET.idFromName(this.ctx.props.id))
  }

  async fetch(request: Request) {
    try {
      const { command, body, size } = await split(request)
      const operation = (request.method === 'GET' ? READS : CHANGES).get(command.method)
      if (!operation) throw new Error(`unknown method ${command.method}`)
      return await operation(this, command, body, size)
    } catch (error) {
      await request.body?.cancel().catch(() => {})
      return refusal(error)
    }
  }

  async head({ object }: Command) {
    const file = await this.bucket.find(checkedKey(object))
    if (!file) throw noSuchFile()
    return encode(describe(file, { offset: 0, length: file.size }))
  }

  async get({ object, onlyIf, range, rangeHeader }: Command) {
    const file = await this.bucket.find(checkedKey(object))
    if (!file) throw noSuchFile()
    if (onlyIf && !holds(onlyIf, file)) throw conditionFailed(file)
    const found = rangeOf({ range, rangeHeader }, file.size)
    if (!found) throw new FileError(416, 10039, 'The requested range is not satisfiable')
    return encode(describe(file, found), found.length, (writable) => this.copy(file, found, writable))
  }

  /** Copies the bytes of a range, from one part after the other. */
  async copy({ parts }: File, { offset, length }: ReadRange, writable: WritableStream<Uint8Array>) {
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

  async put(command: Command, body: Body, size: number) {
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

  /** Uploads a body and checks the checksums that the code gave. */
  async store(body: Body, size: number, command: Partial<Command>) {
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
    const digests: Digests = Object.fromEntries(algorithms.map((name, index) => [name, found[index]]))
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

  async discard(bodyIds: readonly string[]) {
    if (bodyIds.length === 0) return
    await this.bucket.removed(await removeBodies(this.env, bodyIds))
  }

  async delete({ object, objects }: Command) {
    const keys = (objects ?? [object]).map(checkedKey)
    if (keys.length > LIST_MAX)
      throw new FileError(400, 10029, `At most ${LIST_MAX} keys can be deleted together.`)
    await this.discard((await this.bucket.remove(keys)).unused)
    return new Response()
  }

  async list({ limit = LIST_MAX, prefix, cursor, delimiter, startAfter, include = [] }: Command) {
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

  async createUpload({ object, httpFields = {}, customFields = [] }: Command) {
    checkMetadata(customFields)
    const details = { uploaded: Date.now(), http: httpFields, custom: customFields }
    return encode({ uploadId: await this.bucket.createUpload(checkedKey(object), details) })
  }

  async uploadPart({ object, uploadId, partNumber }: Command, body: Body, size: number) {
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

  async complete({ object, uploadId, parts }: Command) {
    const version = crypto.randomUUID().replaceAll('-', '')
    const { error, file, unused } = await this.bucket.complete(uploadId, checkedKey(object), parts, version)
    if (error === 'upload') throw noSuchUpload()
    if (error === 'size') throw tooLarge()
    if (error || !file) throw badPart()
    await this.discard(unused)
    return encode(describe(file))
  }

  async abort({ object, uploadId }: Command) {
    await this.discard((await this.bucket.abort(uploadId, checkedKey(object))).unused)
    return new Response()
  }
}
