import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'

import { RESPONSE_HEAD_BYTES_MAX } from '../../../../../platform/ports/functions-engine.ts'
import { type ClientRequest, parsedHead, type ResponseEvents } from './messages.ts'

/** Responses that never have a body; workerd marks the length of every other one. */
const WITHOUT_BODY = new Set([204, 205, 304])
/** Whole numbers that a double can represent. */
const LENGTH = /^\d{1,15}$/
const CHUNK_LENGTH = /^[\da-f]{1,12}$/i

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

type StreamedBody = Exclude<ClientRequest['body'], string | null>

/** One request at a time, HTTP/1.1 as workerd speaks it: no trailers, no extensions of chunks, no body without a length. */
export class Connection {
  /** By `performance.now()`. */
  unusedSince = 0
  readonly #socket: HalfBrokenSocket
  readonly #onUnused: () => void
  #isReused = false
  /** Undefined while it is unused: from the moment when the request was written and the response read. */
  #events: ResponseEvents | undefined
  #method = ''
  #isWritten = false
  #hasBegun = false
  #isRead = false
  #error: Error | undefined
  /** Writes the body of the request in progress. */
  #writer: Writable | undefined
  /** Belongs to the response in progress, as the next five fields. */
  #body: Readable | undefined
  #isChunked = false
  /** The line that comes next: the size of a chunk, or the empty line after one. */
  #chunkLine: 'size' | 'end' | 'last end' = 'size'
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

  /** Sends a request. The connection must be new or unused. */
  begin({ method, body }: ClientRequest, head: string, events: ResponseEvents) {
    this.#events = events
    this.#method = method
    this.#isWritten = false
    this.#hasBegun = false
    this.#isRead = false
    const write = () => {
      events.onSent?.()
      if (body === null || typeof body === 'string') this.#writeWhole(head, body)
      else this.#writeStream(head, body)
    }
    if (this.#socket.connecting) this.#socket.once('connect', write)
    else write()
  }

  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.isBroken
  }

  /** Ends the request of these events. False: it is complete. */
  cancel(events: ResponseEvents): boolean {
    if (this.#events !== events) return false
    this.destroy()
    return true
  }

  destroy() {
    this.#socket.destroy()
  }

  #writeWhole(head: string, body: string | null) {
    if (body) this.#socket.cork()
    this.#socket.write(head, 'latin1')
    if (body) {
      this.#socket.write(body, 'utf8')
      this.#socket.uncork()
    }
    this.#finishWriting()
  }

  /** Writes a request, and its body as it arrives. */
  #writeStream(head: string, { stream, isChunked }: StreamedBody) {
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
    stream.pipe(this.#writer)
  }

  #read(data: Buffer) {
    const bytes = this.#rest ? Buffer.concat([this.#rest, data]) : data
    this.#rest = undefined
    this.#hasBegun = true
    let at = 0
    while (at < bytes.length && !this.#socket.destroyed) {
      // There is no request, or its response is complete.
      if (!this.#events || this.#isRead) return this.destroy()
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
      else at = this.#readHead(text, bytes, at, this.#events)
    }
  }

  #refuse(reason: string) {
    this.#socket.destroy(new Error(`the response is not valid: ${reason}`))
  }

  /** Returns up to where it has read: `at`, or the end if the whole response has arrived. */
  #readHead(text: string, bytes: Buffer, at: number, events: ResponseEvents): number {
    const head = parsedHead(text)
    if (!head) {
      this.#refuse('its head')
      return at
    }
    const { status, headers } = head
    const hasBody = this.#method !== 'HEAD' && !WITHOUT_BODY.has(status)
    this.#isKept = headers.connection !== 'close'
    const length = headers['content-length'] ?? '0'
    const coding = headers['transfer-encoding']
    const isCoded = coding !== undefined
    if (!LENGTH.test(length) || (isCoded && (coding !== 'chunked' || 'content-length' in headers))) {
      this.#refuse('its length')
      return at
    }
    this.#isChunked = hasBody && isCoded
    const left = hasBody ? Number(length) : 0
    const end = at + left
    if (!this.#isChunked && bytes.length >= end) {
      // The next request may begin in `onResponse`: what follows must not look like its response.
      if (bytes.length > end) this.#isKept = false
      this.#finishReading()
      events.onResponse({ status, headers, body: bytes.subarray(at, end) })
      return bytes.length
    }
    this.#chunkLine = 'size'
    this.#left = left
    const body = new Readable({
      read: () => void this.#socket.resume(),
      destroy: (error, done) => {
        if (this.#body === body) this.destroy()
        done(error)
      },
    })
    this.#body = body
    events.onResponse({ status, headers, body })
    return at
  }

  #readChunkLine(text: string) {
    if (this.#chunkLine === 'size') {
      if (!CHUNK_LENGTH.test(text)) return this.#refuse('a chunk')
      this.#left = Number.parseInt(text, 16)
      this.#chunkLine = this.#left === 0 ? 'last end' : 'end'
      return
    }
    if (text !== '') return this.#refuse('a chunk')
    if (this.#chunkLine === 'last end') this.#finishReading()
    this.#chunkLine = 'size'
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
    this.#events = undefined
    if (!this.#isKept || !this.isOpen) return this.destroy()
    this.#isReused = true
    this.unusedSince = performance.now()
    this.#onUnused()
  }

  #fail(error: Error) {
    if (this.#body) this.#body.destroy(error)
    else if (!this.#isRead) this.#events?.onError(error, this.#isReused && !this.#hasBegun)
  }
}
