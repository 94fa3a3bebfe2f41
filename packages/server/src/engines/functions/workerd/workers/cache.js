// `caches`: responses in a SQLite file that begins empty with each process. Speaks the protocol of workerd's `cacheApiOutbound`.
import { DurableObject } from 'cloudflare:workers'

const CHUNK_BYTES = 1_500_000
const ENTRY_BYTES_MAX = 10 * 1024 * 1024
const ALL_BYTES_MAX = 64 * 1024 * 1024

const decoder = new TextDecoder()
const MISS = { status: 504, headers: { 'cf-cache-status': 'MISS' } }

export class Cache extends DurableObject {
  constructor(context, env) {
    super(context, env)
    this.sql = context.storage.sql
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS entries
        (number INTEGER PRIMARY KEY, key TEXT UNIQUE, status INTEGER, headers TEXT, size INTEGER, expiresAt INTEGER);
      CREATE TABLE IF NOT EXISTS chunks (entry INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY (entry, number))`)
  }

  async fetch(request) {
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    // A named cache sends its name in a header.
    const key = `${request.headers.get('cf-cache-namespace') ?? ''} ${request.cf?.cacheKey ?? request.url}`
    switch (request.method) {
      case 'GET':
        return this.match(key, request.headers)
      case 'PUT':
        return this.put(key, body)
      case 'PURGE':
        return new Response(null, { status: this.remove(key) ? 200 : 404 })
      default:
        return new Response(null, { status: 405 })
    }
  }

  match(key, conditions) {
    const entry = this.sql
      .exec('SELECT * FROM entries WHERE key = ? AND expiresAt > ?', key, Date.now())
      .toArray()[0]
    if (!entry) return new Response(null, MISS)
    const headers = new Headers(JSON.parse(entry.headers))
    headers.set('cf-cache-status', 'HIT')
    const etag = headers.get('etag')
    if (etag !== null && conditions.get('if-none-match') === etag)
      return new Response(null, { status: 304, headers })

    const bytes = new Uint8Array(entry.size)
    let offset = 0
    for (const { bytes: chunk } of this.sql.exec(
      'SELECT bytes FROM chunks WHERE entry = ? ORDER BY number',
      entry.number,
    )) {
      bytes.set(new Uint8Array(chunk), offset)
      offset += chunk.byteLength
    }
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(conditions.get('range') ?? '') ?? []
    if (first === undefined || entry.status !== 200)
      return new Response(bytes, { status: entry.status, headers })
    const end = Math.min(last ? Number(last) : entry.size - 1, entry.size - 1)
    if (Number(first) > end) return new Response(null, { status: 416, headers })
    headers.set('content-range', `bytes ${first}-${end}/${entry.size}`)
    return new Response(bytes.subarray(Number(first), end + 1), { status: 206, headers })
  }

  put(key, message) {
    const { status, headers, body } = responseOf(message)
    const seconds = secondsToKeep(status, headers)
    if (seconds <= 0 || body.length > ENTRY_BYTES_MAX) return new Response(null, { status: 413 })
    this.ctx.storage.transactionSync(() => {
      this.remove(key)
      this.makeRoom(body.length)
      const { number } = this.sql
        .exec(
          'INSERT INTO entries (key, status, headers, size, expiresAt) VALUES (?, ?, ?, ?, ?) RETURNING number',
          key,
          status,
          JSON.stringify([...headers]),
          body.length,
          Date.now() + seconds * 1000,
        )
        .one()
      for (let start = 0, chunk = 0; start < body.length; start += CHUNK_BYTES, chunk++)
        this.sql.exec(
          'INSERT INTO chunks VALUES (?, ?, ?)',
          number,
          chunk,
          body.subarray(start, start + CHUNK_BYTES),
        )
    })
    return new Response(null, { status: 204 })
  }

  /** The oldest entries go first. */
  makeRoom(bytes) {
    while (this.sql.exec('SELECT total(size) AS bytes FROM entries').one().bytes + bytes > ALL_BYTES_MAX) {
      const { key } = this.sql.exec('SELECT key FROM entries ORDER BY number LIMIT 1').one()
      this.remove(key)
    }
  }

  remove(key) {
    const entry = this.sql.exec('DELETE FROM entries WHERE key = ? RETURNING number', key).toArray()[0]
    if (entry) this.sql.exec('DELETE FROM chunks WHERE entry = ?', entry.number)
    return entry !== undefined
  }
}

/** Reads an HTTP response from its bytes. */
function responseOf(message) {
  let end = 0
  while (end < message.length && !(message[end] === 10 && message[end - 1] === 13 && message[end - 2] === 10))
    end++
  const [statusLine = '', ...lines] = decoder.decode(message.subarray(0, end - 3)).split('\r\n')
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const body = message.subarray(end + 1)
  const isChunked = headers.get('transfer-encoding')?.toLowerCase() === 'chunked'
  headers.delete('transfer-encoding')
  return { status: Number(statusLine.split(' ')[1]), headers, body: isChunked ? unchunked(body) : body }
}

function unchunked(bytes) {
  const parts = []
  let at = 0
  for (;;) {
    let end = at
    while (end < bytes.length && bytes[end] !== 10) end++
    const size = parseInt(decoder.decode(bytes.subarray(at, end)), 16)
    if (!(size > 0)) break
    parts.push(bytes.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 2
  }
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** By the headers that a shared cache obeys; 0 means that it may not be stored. */
function secondsToKeep(status, headers) {
  const control = (headers.get('cache-control') ?? '').toLowerCase()
  if (status === 206 || headers.get('vary') === '*' || headers.has('set-cookie')) return 0
  if (/no-store|no-cache|(^|[\s,])private/.test(control)) return 0
  const [, seconds] = /s-maxage="?(\d+)/.exec(control) ?? /max-age="?(\d+)/.exec(control) ?? []
  if (seconds !== undefined) return Number(seconds)
  const expires = Date.parse(headers.get('expires') ?? '')
  return Number.isNaN(expires) ? 0 : (expires - Date.now()) / 1000
}

export default {
  fetch: (request, env) => env.CACHE.get(env.CACHE.idFromName('cache')).fetch(request),
}
