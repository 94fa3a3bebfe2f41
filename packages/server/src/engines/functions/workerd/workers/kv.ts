// Key-value namespaces: one SQLite file per id, in a Durable Object. Speaks the protocol of workerd's `kvNamespace` binding.
import { DurableObject } from 'cloudflare:workers'

import type { Context, Objects, ObjectState, Sql } from './runtime.ts'
import { endOfPrefix } from './sql-text.ts'

type Env = { NAMESPACE: Objects<Namespace>; IS_FULL: boolean }
type Entry = { metadata: string | null; expiresAt: number | null; size: number }
type Columns = Entry & { key: string; bytes: ArrayBuffer }

// A cell of a Durable Object's SQLite file has at most 2 MB.
const CHUNK_BYTES = 1_500_000
const VALUE_BYTES_MAX = 25 * 1024 * 1024
const METADATA_BYTES_MAX = 1_024
const KEY_BYTES_MAX = 512
const BULK_KEYS_MAX = 100
const LIST_KEYS_MAX = 1_000
const TTL_SECONDS_MIN = 60
const SWEEP_MS = 3_600_000
const SWEPT_AT_ONCE_MAX = 1_000
/** A put adds one entry, so that puts alone keep up with what expires. */
const SWEPT_BY_PUT_MAX = 10
const SWEEP_AGAIN_MS = 1_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const nowSeconds = () => Math.floor(Date.now() / 1000)
const refuse = (status: number, message: string): Response =>
  new Response(message, { status, statusText: message })

/** One key-value namespace: entries with their values in chunks. */
export class Namespace extends DurableObject<Env, Columns> {
  readonly sql: Sql<Columns>

  constructor(context: ObjectState<Columns>, env: Env) {
    super(context, env)
    this.sql = context.storage.sql
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, metadata TEXT, expiresAt INTEGER, size INTEGER) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS chunks (key TEXT, number INTEGER, bytes BLOB, PRIMARY KEY (key, number));
      CREATE INDEX IF NOT EXISTS entries_expiry ON entries (expiresAt) WHERE expiresAt IS NOT NULL`)
  }

  async fetch(request: Request) {
    const { pathname, searchParams } = new URL(request.url)
    // Read before any answer: the caller waits forever if the body is not read.
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    if (pathname === '/' && request.method === 'GET') return this.list(searchParams)
    if (pathname === '/bulk/get' && request.method === 'POST')
      return this.bulkGet(JSON.parse(decoder.decode(body)))

    const raw = pathname.slice(1)
    const key = searchParams.get('urlencoded')?.toLowerCase() === 'true' ? decodeURIComponent(raw) : raw
    if (!key || key === '.' || key === '..') return refuse(400, 'Invalid key')
    if (encoder.encode(key).length > KEY_BYTES_MAX)
      return refuse(414, `UTF-8 encoded length of key exceeds limit of ${KEY_BYTES_MAX}.`)

    switch (request.method) {
      case 'GET':
        return this.get(key)
      case 'PUT':
        return this.put(key, body ?? new Uint8Array(), searchParams, request.headers.get('CF-KV-Metadata'))
      case 'DELETE':
        this.ctx.storage.transactionSync(() => this.remove(key))
        return new Response()
      default:
        return refuse(405, 'Method Not Allowed')
    }
  }

  find(key: string): Entry | undefined {
    const found = this.sql.exec(
      'SELECT metadata, expiresAt, size FROM entries WHERE key = ? AND (expiresAt IS NULL OR expiresAt > ?)',
      key,
      Date.now() / 1000,
    )
    return found.toArray()[0]
  }

  bytesOf(key: string, size: number) {
    const chunks = [...this.sql.exec('SELECT bytes FROM chunks WHERE key = ? ORDER BY number', key)].map(
      ({ bytes }) => new Uint8Array(bytes),
    )
    if (chunks.length === 1) return chunks[0]
    const whole = new Uint8Array(size)
    let offset = 0
    for (const chunk of chunks) {
      whole.set(chunk, offset)
      offset += chunk.length
    }
    return whole
  }

  get(key: string) {
    const entry = this.find(key)
    if (!entry) return refuse(404, 'Not Found')
    const headers = new Headers()
    if (entry.expiresAt) headers.set('CF-Expiration', String(entry.expiresAt))
    if (entry.metadata) headers.set('CF-KV-Metadata', entry.metadata)
    return new Response(this.bytesOf(key, entry.size), { headers })
  }

  bulkGet({ keys, type, withMetadata }: { keys: string[]; type?: string; withMetadata?: boolean }) {
    if (keys.length > BULK_KEYS_MAX) return refuse(400, `You can request a maximum of ${BULK_KEYS_MAX} keys`)
    const answer: Record<string, unknown> = {}
    let bytes = 0
    for (const key of keys) {
      const entry = this.find(key)
      const text = entry ? decoder.decode(this.bytesOf(key, entry.size)) : undefined
      bytes += entry?.size ?? 0
      if (bytes > VALUE_BYTES_MAX) return refuse(413, 'Total size of request exceeds the limit of 25MB')
      const value = text === undefined ? null : type === 'json' ? JSON.parse(text) : text
      const metadata = entry?.metadata ? JSON.parse(entry.metadata) : null
      answer[key] = withMetadata ? (entry ? { value, metadata } : null) : value
    }
    return Response.json(answer)
  }

  async put(key: string, bytes: Uint8Array, search: URLSearchParams, metadata: string | null) {
    const isMore = this.sweep(SWEPT_BY_PUT_MAX)
    if (isMore) await this.scheduleSweep(SWEEP_AGAIN_MS)
    if (this.env.IS_FULL) return refuse(507, 'The storage of this environment is full.')
    const now = nowSeconds()
    const expiration = search.get('expiration')
    const ttl = search.get('expiration_ttl')
    const expiresAt = expiration ? Number(expiration) : ttl ? now + Number(ttl) : null
    if (expiresAt !== null && !(Number.isInteger(expiresAt) && expiresAt >= now + TTL_SECONDS_MIN))
      return refuse(400, `Invalid expiration: it must be at least ${TTL_SECONDS_MIN} seconds in the future.`)
    if (metadata && encoder.encode(metadata).length > METADATA_BYTES_MAX)
      return refuse(413, `Metadata length exceeds limit of ${METADATA_BYTES_MAX}.`)
    if (bytes.length > VALUE_BYTES_MAX)
      return refuse(413, `Value length of ${bytes.length} exceeds limit of ${VALUE_BYTES_MAX}.`)

    this.ctx.storage.transactionSync(() => {
      this.remove(key)
      this.sql.exec('INSERT INTO entries VALUES (?, ?, ?, ?)', key, metadata, expiresAt, bytes.length)
      for (let start = 0, number = 0; start < bytes.length || number === 0; start += CHUNK_BYTES, number++)
        this.sql.exec(
          'INSERT INTO chunks VALUES (?, ?, ?)',
          key,
          number,
          bytes.subarray(start, start + CHUNK_BYTES),
        )
    })
    if (expiresAt !== null) await this.scheduleSweep(SWEEP_MS)
    return new Response()
  }

  remove(key: string) {
    this.sql.exec('DELETE FROM entries WHERE key = ?', key)
    this.sql.exec('DELETE FROM chunks WHERE key = ?', key)
  }

  list(search: URLSearchParams) {
    const limit = Math.min(LIST_KEYS_MAX, Math.max(1, Number(search.get('key_count_limit') ?? LIST_KEYS_MAX)))
    const prefix = search.get('prefix') ?? ''
    const cursor = search.get('cursor')
    const after = cursor ? decoder.decode(Uint8Array.fromBase64(cursor)) : ''
    const end = endOfPrefix(prefix)
    const found = this.sql
      .exec(
        `SELECT key, metadata, expiresAt FROM entries
         WHERE key >= ? AND key > ? ${end === undefined ? '' : 'AND key < ?'} AND (expiresAt IS NULL OR expiresAt > ?)
         ORDER BY key LIMIT ?`,
        prefix,
        after,
        ...(end === undefined ? [] : [end]),
        Date.now() / 1000,
        limit + 1,
      )
      .toArray()
    const isComplete = found.length <= limit
    const entries = found.slice(0, limit)
    return Response.json({
      keys: entries.map(({ key, metadata, expiresAt }) => ({
        name: key,
        ...(expiresAt ? { expiration: expiresAt } : {}),
        ...(metadata ? { metadata } : {}),
      })),
      list_complete: isComplete,
      ...(isComplete ? {} : { cursor: encoder.encode(entries.at(-1)?.key).toBase64() }),
      cacheStatus: null,
    })
  }

  /** Removes expired entries; until then they are only hidden. True: there may be more. */
  sweep(max: number) {
    const expired = this.sql
      .exec('SELECT key FROM entries WHERE expiresAt <= ? LIMIT ?', Date.now() / 1000, max)
      .toArray()
    if (expired.length > 0)
      this.ctx.storage.transactionSync(() => {
        for (const { key } of expired) this.remove(key)
      })
    return expired.length === max
  }

  async scheduleSweep(waitMs: number) {
    const at = Date.now() + waitMs
    const current = await this.ctx.storage.getAlarm()
    if (current === null || current > at) await this.ctx.storage.setAlarm(at)
  }

  async alarm() {
    const isMore = this.sweep(SWEPT_AT_ONCE_MAX)
    const expiring = this.sql.exec('SELECT 1 FROM entries WHERE expiresAt IS NOT NULL LIMIT 1').toArray()
    if (expiring.length > 0) await this.scheduleSweep(isMore ? SWEEP_AGAIN_MS : SWEEP_MS)
  }
}

export const namespaces = {
  fetch: (request: Request, env: Env, { props }: Context<{ id: string }>): Promise<Response> =>
    env.NAMESPACE.get(env.NAMESPACE.idFromName(props.id)).fetch(request),
}
