import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { Blobs, Expected, Range } from './blobs.ts'
import { isKey, requireExpected, requireKey, requirePrefix, requireRange, unavailable } from './checks.ts'
import { type S3Call, type S3Credentials, type S3Limits, createS3Calls, textOf } from './s3-calls.ts'
import { type Spool, openSpool } from './spool.ts'

export type { S3Credentials } from './s3-calls.ts'

/** S3 lists the sizes, too; a folder would have to ask for each. */
type S3 = Blobs & { listSizes(prefix: string): AsyncIterable<{ key: string; size: number }> }

const LIMITS: S3Limits = { silenceMs: 10_000, callMs: 20_000, transferMs: 15 * 60_000 }
const LIST_BYTES_MAX = 4 * 1_048_576
const LIST_PAGE_KEYS = 1_000

/** A blob is the object of its key below the prefix of the URL. Without a folder, only buffers can be stored. */
export async function openS3(
  url: string,
  credentials: S3Credentials,
  folder: string | undefined,
  limits = LIMITS,
): Promise<S3> {
  const { bucketUrl, prefix, region } = readS3Url(url)
  const calls = createS3Calls(credentials, region, limits)
  const spool = folder === undefined ? undefined : await openSpool(folder)
  const { callMs, transferMs } = limits

  const objectUrl = (key: string) => new URL(`${bucketUrl}/${prefix}${requireKey(key)}`)
  const send = (method: S3Call['method'], key: string, rest: Partial<S3Call> = {}) =>
    calls.send({ method, url: objectUrl(key), timeoutMs: callMs, ...rest })

  async function listPage(keyPrefix: string, marker: string, keysMax: number): Promise<string> {
    const page = new URL(bucketUrl)
    page.search = String(
      new URLSearchParams({ prefix: prefix + keyPrefix, marker, 'max-keys': String(keysMax) }),
    )
    return textOf(required(await calls.send({ method: 'GET', url: page, timeoutMs: callMs })), LIST_BYTES_MAX)
  }

  async function* objectsOf(keyPrefix: string): AsyncGenerator<{ key: string; size: number }> {
    let marker = ''
    for (let more = true; more;) {
      const page = await listPage(keyPrefix, marker, LIST_PAGE_KEYS)
      const objects = Array.from(page.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, xml = '']) => ({
        key: unescaped(/<Key>([^<]*)</.exec(xml)?.[1] ?? ''),
        size: Number(/<Size>(\d+)</.exec(xml)?.[1] ?? 0),
      }))
      for (const { key: whole, size } of objects) {
        const key = whole.slice(prefix.length)
        // A shared bucket may contain keys of other programs.
        if (isKey(key)) yield { key, size }
      }
      more = objects.length > 0 && page.includes('<IsTruncated>true<')
      marker = objects.at(-1)?.key ?? marker
    }
  }

  async function* keysOf(keyPrefix: string): AsyncGenerator<string> {
    for await (const { key } of objectsOf(keyPrefix)) yield key
  }

  return {
    engine: 's3',

    async put(key: string, body: Buffer | Readable, expected: Expected = {}) {
      requireKey(key)
      await using content = await whole(spool, body, expected)
      required(await send('PUT', key, { body: content, timeoutMs: transferMs })).resume()
      return { size: content.size, sha256: content.sha256 }
    },

    async open(key: string, range?: Range) {
      const headers = { ...(range && { range: `bytes=${range.start}-${range.end}` }) }
      const stream = await send('GET', key, { headers, timeoutMs: transferMs })
      if (!stream) return undefined
      const size = Number(stream.headers['content-range']?.split('/')[1] ?? stream.headers['content-length'])
      if (range && stream.statusCode !== 206) {
        stream.destroy()
        requireRange(range, stream.statusCode === 200 ? size : 0)
        throw new Error('S3 answered without the range it was asked for')
      }
      return { size, stream }
    },

    missing: (what: string) => new Error(`${what} is not in the blob store, or not all of it`),

    async stat(key: string) {
      const answer = await send('HEAD', key)
      answer?.resume()
      return answer && { size: Number(answer.headers['content-length']) }
    },

    async remove(key: string) {
      const answer = await send('DELETE', key)
      answer?.resume()
    },

    list: (keyPrefix: string) => keysOf(requirePrefix(keyPrefix)),
    listSizes: (keyPrefix: string) => objectsOf(requirePrefix(keyPrefix)),

    async ping() {
      await Promise.all([listPage('', '', 1), spool?.requireWritable()])
    },

    async close() {
      spool?.close()
      calls.close()
    },
  }
}

/** A bucket and a new object cannot be missing: a server that answers 404 here is not S3. */
function required<T>(answer: T | undefined): T {
  if (answer === undefined) throw unavailable(new Error('S3 answered 404'))
  return answer
}

const ESCAPES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (xml: string) => xml.replace(/&(\w+);/g, (escape, name: string) => ESCAPES[name] ?? escape)

/**
 * S3 requires size and hash before the first byte, and a retry needs the body again, so a stream is first written to a file. A
 * sender that stalls or aborts then never occupies an S3 connection.
 */
async function whole(spool: Spool | undefined, body: Buffer | Readable, expected: Expected) {
  if (Buffer.isBuffer(body)) {
    const content = { size: body.length, sha256: createHash('sha256').update(body).digest('hex') }
    requireExpected(content, expected)
    return { ...content, read: () => Readable.from([body]), async [Symbol.asyncDispose]() {} }
  }
  if (!spool) throw new Error('a stream needs a folder')
  const { path, size, sha256 } = await spool.take(body, expected)
  return {
    size,
    sha256,
    read: () => createReadStream(path),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}

/** `s3://bucket/prefix?endpoint=…&region=…`; throws with one sentence for the operator. */
export function readS3Url(text: string): { bucketUrl: string; prefix: string; region: string } {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || !url.hostname)
    throw new Error('must be s3://bucket/prefix?endpoint=…&region=…')
  const path = url.pathname.replace(/^\/|\/$/g, '')
  if (path !== '' && !isKey(path))
    throw new Error('the prefix may contain only A-Z a-z 0-9 _ . - and slashes')

  const region = url.searchParams.get('region') ?? 'us-east-1'
  const prefix = path === '' ? '' : `${path}/`
  const endpoint = url.searchParams.get('endpoint')
  // AWS requires the bucket in the host name; other servers accept it in the path.
  const aws = `https://${url.hostname}.s3.${region}.amazonaws.com`
  if (endpoint === null) return { bucketUrl: aws, prefix, region }
  if (!/^https?:/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new Error('endpoint must be an http(s) URL')
  return { bucketUrl: `${endpoint.replace(/\/$/, '')}/${url.hostname}`, prefix, region }
}
