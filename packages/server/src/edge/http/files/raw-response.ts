import type { Readable } from 'node:stream'

/** The request headers that decide how a response is sent. */
export type RequestPreferences = {
  method: string
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  range: string | undefined
  ifRange: string | undefined
}

/**
 * Ready to be written. Headers are name, value, name, value … and may be shared with other responses. `areShared`: all responses with this
 * list have this status and a body of this length.
 */
export type RawResponse = {
  status: number
  headers: readonly string[]
  areShared?: boolean
  body?: Buffer | Readable
}

const NONE: readonly string[] = []

/** Headers as `RawResponse` has them. */
export function rawHeaders(headers: Readonly<Record<string, string>> | undefined): readonly string[] {
  if (headers === undefined) return NONE
  const list: string[] = []
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}
