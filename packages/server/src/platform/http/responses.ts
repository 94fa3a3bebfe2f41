import type { Readable } from 'node:stream'

/** A response of a capability that is not JSON of the API; the edge adds what HTTP requires. */
export type Content = PageResponse | FileResponse | ProxiedResponse

/**
 * Bytes in memory, or a stream of them. Text and buffers are compressed and get an ETag; a buffer that is returned again is compressed
 * once. A stream is sent as it is. An empty text is a response without a body.
 */
export type PageResponse = {
  status?: number
  /** `text/html` if absent. */
  type?: string
  headers?: Record<string, string>
  body: string | Buffer | Readable
}

/** A file of the blob store. With status 404: always whole, to every client. */
export type FileResponse = {
  file: BlobFile
  status?: 404
  headers?: Record<string, string>
  /** What to respond with if the bytes are no longer stored. */
  ifMissing?: () => Promise<Content>
}

/** The response of a program behind the service: sent as it is. Headers are name, value, name, value …. */
export type ProxiedResponse = {
  proxied: true
  status: number
  headers: readonly string[]
  body: Buffer | Readable
}

/** A size of 0 or null: there is no compressed copy. The copies have the key of the file with `.br` and `.gz`. */
export type BlobFile = {
  key: string
  sha256: string
  size: number
  type: string
  cacheControl: string
  brSize: number | null
  gzSize: number | null
  /** False: always sent whole. */
  hasRanges?: false
}
