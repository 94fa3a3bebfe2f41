import { join } from 'node:path'

import type { Blobs } from './blobs.ts'
import { openFiles } from './files.ts'
import type { S3Credentials } from './s3.ts'

/** Where blobs are stored. */
export type BlobSettings = {
  dataDir: string
  /** `s3://bucket/prefix?endpoint=…&region=…`; without it, files in the data folder. */
  url?: string | undefined
  credentials?: S3Credentials | undefined
  /** Several nodes use the database. */
  hasOtherNodes?: boolean
}

/** Throws if `url` is set without credentials. */
export async function openBlobs({ dataDir, url, credentials, hasOtherNodes }: BlobSettings): Promise<Blobs> {
  const folder = join(dataDir, 'blobs')
  if (url === undefined) return openFiles(folder, { hasOtherNodes })
  if (!credentials) throw new Error('S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  return (await import('./s3.ts')).openS3(url, credentials, folder)
}
