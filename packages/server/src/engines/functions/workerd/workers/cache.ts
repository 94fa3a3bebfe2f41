// `caches`: responses in memory, empty when the process starts. Speaks the protocol of workerd's `cacheApiOutbound`.

type Answer = { status: number; headers: Headers; body: Uint8Array<ArrayBuffer> }

const ENTRY_BYTES_MAX = 10 * 1024 * 1024
const ALL_BYTES_MAX = 32 * 1024 * 1024
/** What an entry takes beside its body, at least. */
const BYTES_PER_ENTRY = 1_024

const decoder = new TextDecoder()
const MISS = { status: 504, headers: { 'cf-cache-status': 'MISS' } }

/** By key, the oldest first. */
const entries = new Map<string, Answer & { bytes: number; expiresAt: number }>()
let allBytes = 0

export const cache = {
  async fetch(request: Request) {
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    // A named cache sends its name in a header.
    const key = `${request.headers.get('cf-cache-namespace') ?? ''} ${request.cf?.cacheKey ?? request.url}`
    switch (request.method) {
      case 'GET':
        return match(key, request.headers)
      case 'PUT':
        return put(key, body ?? new Uint8Array())
      case 'PURGE':
        return new Response(null, { status: remove(key) ? 200 : 404 })
      default:
        return new Response(null, { status: 405 })
    }
  },
}

function match(key: string, conditions: Headers) {
  const entry = entries.get(key)
  if (!entry || entry.expiresAt <= Date.now()) return new Response(null, MISS)
  const { status, body } = entry
  const headers = new Headers(entry.headers)
  headers.set('cf-cache-status', 'HIT')
  const etag = headers.get('etag')
  if (etag !== null && conditions.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers })

  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(conditions.get('range') ?? '') ?? []
  if (first === undefined || status !== 200) return new Response(body, { status, headers })
  const end = Math.min(last ? Number(last) : body.length - 1, body.length - 1)
  if (Number(first) > end) return new Response(null, { status: 416, headers })
  headers.set('content-range', `bytes ${first}-${end}/${body.length}`)
  return new Response(body.subarray(Number(first), end + 1), { status: 206, headers })
}

function put(key: string, message: Uint8Array<ArrayBuffer>) {
  const { status, headers, body } = responseOf(message)
  const seconds = secondsToKeep(status, headers)
  if (seconds <= 0 || body.length > ENTRY_BYTES_MAX) return new Response(null, { status: 413 })
  remove(key)
  const bytes = BYTES_PER_ENTRY + 2 * key.length + message.length
  for (const oldest of entries.keys()) {
    if (allBytes + bytes <= ALL_BYTES_MAX) break
    remove(oldest)
  }
  // A copy, because the body is a part of the whole message.
  entries.set(key, { status, headers, body: body.slice(), bytes, expiresAt: Date.now() + seconds * 1000 })
  allBytes += bytes
  return new Response(null, { status: 204 })
}

function remove(key: string) {
  const entry = entries.get(key)
  if (!entry) return false
  allBytes -= entry.bytes
  return entries.delete(key)
}

/** Reads an HTTP response from its bytes. */
function responseOf(message: Uint8Array<ArrayBuffer>): Answer {
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

function unchunked(bytes: Uint8Array<ArrayBuffer>) {
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
function secondsToKeep(status: number, headers: Headers) {
  const control = (headers.get('cache-control') ?? '').toLowerCase()
  if (status === 206 || headers.get('vary') === '*' || headers.has('set-cookie')) return 0
  if (/no-store|no-cache|(^|[\s,])private/.test(control)) return 0
  const [, seconds] = /s-maxage="?(\d+)/.exec(control) ?? /max-age="?(\d+)/.exec(control) ?? []
  if (seconds !== undefined) return Number(seconds)
  const expires = Date.parse(headers.get('expires') ?? '')
  return Number.isNaN(expires) ? 0 : (expires - Date.now()) / 1000
}
