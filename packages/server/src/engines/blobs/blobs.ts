import type { Readable } from 'node:stream'

/** What a blob must turn out to be; it is refused with `invalid_request` and `details.reason` otherwise. */
export type Expected = { size?: number; sha256?: string }

/** First and last byte, both included, as in HTTP. */
export type Range = { start: number; end: number }

/**
 * Whole files under keys of our own making. `service_unavailable` when the disk or the S3 server fails.
 * A body whose sender gives up rejects with the sender's error and leaves nothing behind.
 */
export type Blobs = {
  engine: 'files' | 's3'
  /** Answered when durable; until then a reader sees the old blob or none, never a part. */
  put(key: string, body: Buffer | Readable, expected?: Expected): Promise<{ size: number; sha256: string }>
  /** `size` is that of the whole blob. The stream must be read to its end or destroyed. */
  open(key: string, range?: Range): Promise<{ size: number; stream: Readable } | undefined>
  stat(key: string): Promise<{ size: number } | undefined>
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>
  /** Every key that begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<string>
  /** Answers when blobs can arrive; throws `service_unavailable` otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}
