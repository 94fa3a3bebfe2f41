import type { Readable } from 'node:stream'

/** Size and hash that a blob must have; otherwise `put` throws `invalid_request` with `details.reason`. */
export type Expected = {
  /** In bytes. */
  size?: number
  /** In lower-case hex. */
  sha256?: string
}

/** First and last byte, both inclusive, as in HTTP. */
export type Range = { start: number; end: number }

/**
 * Whole files, by keys that the service chooses. Methods throw `service_unavailable` when the disk or the S3 server fails. If the
 * sender of a body aborts, `put` rejects with the sender's error and stores nothing.
 */
export type Blobs = {
  /** Where the blobs are. */
  engine: 'files' | 's3'
  /** Resolves when the blob is durable; until then a reader sees the old blob or none, never a part. */
  put(key: string, body: Buffer | Readable, expected?: Expected): Promise<{ size: number; sha256: string }>
  /** Undefined if there is no such blob. `size` is that of the whole blob. The stream must be read to its end or destroyed. */
  open(key: string, range?: Range): Promise<{ size: number; stream: Readable } | undefined>
  /** The error for a blob that must be there and is not. */
  missing(what: string): Error
  /** Undefined if there is no such blob. */
  stat(key: string): Promise<{ size: number } | undefined>
  /** No error if there is no such blob. */
  remove(key: string): Promise<void>
  /** Every key that begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<string>
  /** Resolves if blobs can be stored; throws `service_unavailable` otherwise. */
  ping(): Promise<void>
  /** Ends connections; streams that are open continue. */
  close(): Promise<void>
}
