import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'

import { type FunctionResponse, RESPONSE_HEAD_BYTES_MAX } from '../../../platform/functions-engine.ts'

/** Responses that never have a body; workerd marks the length of every other one. */
const WITHOUT_BODY = new Set([204, 205, 304])
/** Whole numbers that a double can hold. */
const LENGTH = /^\d{1,15}$/
const CHUNK_LENGTH = /^[\da-f]{1,12}$/i
const STATUS = /^HTTP\/1\.1 (\d{3}) /
/** RFC 9110, 5.6.2 and 5.5. */
const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/**
 * A connection that still reads when it cannot write any more: workerd closes it when the code has answered and has left a part of the
 * body unread. By then the answer has arrived, but Node would discard it with the first write that fails.
 */
class HalfBrokenSocket extends Socket {
  /** Where there is no answer either, reading fails. */
  isBroken = false

  override _write(...[chunk, encoding, done]: Parameters<Socket['_write']>) {
    super._write(chunk, encoding, (error) => done(this.#withoutBroken(error)))
  }
  override _writev(...[chunks, done]: Parameters<NonNullable<Socket['_writev']>>) {
    super._writev?.(chunks, (error) => done(this.#withoutBroken(error)))
  }

  #withoutBroken(error: (Error & { code?: string }) | null | undefined) {
    if (error?.code !== 'EPIPE' && error?.code !== 'ECONNRESET') return error
    this.isBroken = true
    return null
  }
}

/** What a request waits for: `onConnect`, then one of the others. */
export type Exchange = {
  method: string
  /** Called when the request can be written; at once if the connection is open. */
  onConnect(): void
  onResponse(response: FunctionResponse): void
  /** There is no response. If it breaks later, its body fails. */
  onError(error: Error): void
}

/**
 * Connections to a socket of one process. Not those of `node:http`: its client needs twice the CPU time, and the code that it shares
 * with the server becomes slower for every other request of the service (decision 0041).
 */
export class Connections {
  readonly #path: string
  readonly #unusedMs: number
  readonly #all = new Set<Connection>()
  readonly #unused: Connection[] = []
  /** Connections belong to the process, not to the request that opens them (`platform/error-source.ts`). */
  readonly #asOpened = AsyncLocalStorage.snapshot()

  /** A connection that was not used for `unusedMs` is not used again: the process may be closing it. */
  constructor(path: string, unusedMs: number) {
    this.#path = path
    this.#unusedMs = unusedMs
  }

  /** An unused connection, or a new one. */
  take(): Connection {
    this.closeUnused()
    let connection = this.#unused.pop()
    while (connection && !connection.isOpen) connection = this.#unused.pop()
    return connection ?? this.#asOpened(() => this.#connect())
  }

  #connect(): Connection {
    const connection = new Connection(
      this.#path,
      () => this.#unused.push(connection),
      () => {
        this.#all.delete(connection)
        const index = this.#unused.indexOf(connection)
        if (index !== -1) this.#unused.splice(index, 1)
      },
    )
    this.#all.add(connection)
    return connection
  }

  closeUnused() {
    const since = performance.now() - this.#unusedMs
    for (const connection of this.#unused) {
      // The one that was used last is the last one.
      if (connection.unusedSince >= since) return
      connection.destroy()
    }
  }

  close() {
    for (const connection of this.#all) connection.destroy()
  }
}

/** One request at a time, HTTP/1.1 as workerd speaks it: no trailers, no extensions of chunks, no body without a length. */
export class Connection {
  /** By `performance.now()`. */
  unusedSince = 0
  readonly #socket: HalfBrokenSocket
  readonly #onUnused: () => void
  #isReused = false
  /** Undefined while it is unused: from the moment when the request was written and the response read. */
  #exchange: Exchange | undefined
  #isWritten = false
  #hasBegun = false
  #isRead = false
  #error: Error | undefined
  /** Of a body in progress. */
  #writer: Writable | undefined
  /** Of the response in progress. */
  #body: Readable | undefined
  #isChunked = false
  #isLastChunk = false
  #isKept = true
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0
  /** The beginning of a head or of a line. */
  #rest: Buffer | undefined

  constructor(path: string, onUnused: () => void, onClose: () => void) {
    this.#onUnused = onUnused
    this.#socket = new HalfBrokenSocket()
    this.#socket.connect({ path })
    this.#socket.on('data', (data: Buffer) => this.#read(data))
    this.#socket.on('error', (error) => (this.#error = error))
    this.#socket.on('close', () => {
      onClose()
      this.#writer?.destroy()
      this.#fail(this.#error ?? new Error('the process closed the connection'))
    })
  }

  /** Begins a request. */
  begin(exchange: Exchange) {
    this.#exchange = exchange
    this.#isWritten = false
    this.#hasBegun = false
    this.#isRead = false
    if (this.#socket.connecting) this.#socket.once('connect', exchange.onConnect)
    else exchange.onConnect()
  }

  /** It has carried a request before, and no byte of this response has come: if it is closed, the process has not seen the request. */
  get isStale(): boolean {
    return this.#isReused && !this.#hasBegun
  }

  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.isBroken
  }

  /** Ends a request whose response, or whose own body, is not complete. False: it is over, and the connection may have another. */
  cancel(exchange: Exchange): boolean {
    if (this.#exchange !== exchange) return false
    this.destroy()
    return true
  }

  /** Writes a whole request. */
  write(request: string, encoding: 'latin1' | 'utf8') {
    this.#socket.write(request, encoding)
    this.#finishWriting()
  }

  /** Writes a request, and its body as it arrives. */
  writeWith(head: string, body: Readable, isChunked: boolean) {
    const socket = this.#socket
    socket.write(head, 'latin1')
    this.#writer = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (!isChunked) return socket.write(chunk, done)
        // A chunk without bytes would be the last one.
        if (chunk.length === 0) return done()
        socket.cork()
        socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
        socket.write(chunk)
        socket.write('\r\n', 'latin1', done)
        return socket.uncork()
      },
      final(done) {
        if (isChunked) socket.write('0\r\n\r\n', 'latin1', done)
        else done()
      },
    })
    this.#writer.on('finish', () => this.#finishWriting())
    // The connection is closed, which ends the request.
    this.#writer.on('error', () => {})
    body.pipe(this.#writer)
  }

  destroy() {
    this.#socket.destroy()
  }

  #read(data: Buffer) {
    const bytes = this.#rest ? Buffer.concat([this.#rest, data]) : data
    this.#rest = undefined
    this.#hasBegun = true
    let at = 0
    while (at < bytes.length && !this.#socket.destroyed) {
      // Nothing was asked.
      if (!this.#exchange || this.#isRead) return this.destroy()
      if (this.#left > 0) {
        const part = bytes.subarray(at, at + this.#left)
        at += part.length
        this.#left -= part.length
        if (!this.#body?.push(part)) this.#socket.pause()
        if (this.#left === 0 && !this.#isChunked) this.#finishReading()
        continue
      }
      const mark = this.#body ? '\r\n' : '\r\n\r\n'
      const end = bytes.indexOf(mark, at, 'latin1')
      if ((end === -1 ? bytes.length : end) - at > RESPONSE_HEAD_BYTES_MAX) return this.#refuse('too large')
      if (end === -1) {
        this.#rest = bytes.subarray(at)
        return
      }
      const text = bytes.toString('latin1', at, end)
      at = end + mark.length
      if (this.#body) this.#readChunkLine(text)
      else this.#readHead(text, this.#exchange)
    }
  }

  #refuse(reason: string) {
    this.#socket.destroy(new Error(`the response is not valid: ${reason}`))
  }

  #readHead(text: string, { method, onResponse }: Exchange) {
    const head = parsedHead(text)
    if (!head) return this.#refuse('its head')
    const { status, headers } = head
    const hasBody = method !== 'HEAD' && !WITHOUT_BODY.has(status)
    this.#isKept = headers.connection !== 'close'
    this.#isChunked = hasBody && headers['transfer-encoding'] === 'chunked'
    this.#isLastChunk = false
    const length = headers['content-length'] ?? '0'
    if (!LENGTH.test(length)) return this.#refuse('its length')
    this.#left = hasBody ? Number(length) : 0
    const body = new Readable({
      read: () => void this.#socket.resume(),
      destroy: (error, done) => {
        if (this.#body === body) this.destroy()
        done(error)
      },
    })
    this.#body = body
    onResponse({ status, headers, body })
    if (this.#left === 0 && !this.#isChunked) this.#finishReading()
  }

  /** The size of the next chunk, or the empty line after a chunk. */
  #readChunkLine(text: string) {
    if (text === '') {
      if (this.#isLastChunk) this.#finishReading()
      return
    }
    if (!CHUNK_LENGTH.test(text)) return this.#refuse('a chunk')
    this.#left = Number.parseInt(text, 16)
    this.#isLastChunk = this.#left === 0
  }

  #finishReading() {
    const body = this.#body
    this.#isRead = true
    this.#body = undefined
    body?.push(null)
    this.#socket.resume()
    this.#release()
  }

  #finishWriting() {
    this.#isWritten = true
    this.#writer = undefined
    this.#release()
  }

  #release() {
    if (!this.#isRead || !this.#isWritten) return
    this.#exchange = undefined
    if (!this.#isKept || !this.isOpen) return this.destroy()
    this.#isReused = true
    this.unusedSince = performance.now()
    this.#onUnused()
  }

  #fail(error: Error) {
    if (this.#body) this.#body.destroy(error)
    else if (!this.#isRead) this.#exchange?.onError(error)
  }
}

/** Undefined: it cannot be passed on. The code may set any header value that workerd accepts, which is more than HTTP does. */
function parsedHead(text: string): { status: number; headers: IncomingHttpHeaders } | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const status = Number(STATUS.exec(first)?.[1])
  if (!(status >= 200)) return undefined
  const headers = Object.create(null) as IncomingHttpHeaders
  for (const line of lines) {
    const colon = line.indexOf(': ')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    const value = line.slice(colon + 2)
    if (!NAME.test(name) || NOT_IN_VALUE.test(value)) return undefined
    const before = headers[name]
    if (name === 'set-cookie') (headers[name] ??= []).push(value)
    else headers[name] = before === undefined ? value : `${String(before)}, ${value}`
  }
  return { status, headers }
}
