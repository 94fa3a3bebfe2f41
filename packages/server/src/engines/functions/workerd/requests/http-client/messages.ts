import type { IncomingHttpHeaders } from 'node:http'
import { validateHeaderValue } from 'node:http'
import type { Readable } from 'node:stream'

import type { FunctionResponse } from '../../../../../platform/ports/functions-engine.ts'

/** A request without the headers that mark the end of its body: the client writes them. */
export type ClientRequest = {
  method: string
  path: string
  /** Name, value, name, value …. With a stream: `content-length`, if the length is known. */
  headers: readonly string[]
  /** A stream without a known length is sent in chunks. */
  body: { stream: Readable; isChunked: boolean } | string | null
}

/** What happens to a request: `onSent`, then one of the others; or only `onError`. */
export type ResponseEvents = {
  /** The request is being written: immediately if a connection is open. */
  onSent?(): void
  onResponse(response: FunctionResponse): void
  /**
   * There is no response. If it breaks later, its body fails. `isStale`: the process has closed a connection that was not in use, so it
   * has not seen the request.
   */
  onError(error: Error, isStale: boolean): void
}

const NOT_IN_PATH = /[^\x21-\xff]/
const STATUS = /^HTTP\/1\.1 (\d{3}) [^\r\n]*$/
/** RFC 9110, 5.6.2 and 5.5. */
const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Throws where Node's own client would: a line break would begin another header, or another request. */
export function requestHead({ method, path, headers, body }: ClientRequest): string {
  if (NOT_IN_PATH.test(path)) throw new TypeError('the path has characters that must be escaped')
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let index = 0; index < headers.length; index += 2) {
    const [name = '', value = ''] = [headers[index], headers[index + 1]]
    validateHeaderValue(name, value)
    head += `${name}: ${value}\r\n`
  }
  if (typeof body === 'string') head += `content-length: ${Buffer.byteLength(body)}\r\n`
  else if (body?.isChunked) head += 'transfer-encoding: chunked\r\n'
  return `${head}\r\n`
}

/** Undefined: it cannot be passed on. The code may set any header value that workerd accepts, which is more than HTTP does. */
export function parsedHead(text: string): { status: number; headers: IncomingHttpHeaders } | undefined {
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
