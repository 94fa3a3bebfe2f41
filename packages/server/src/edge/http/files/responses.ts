import type { Content } from '../../../platform/http/responses.ts'
import { createBlobResponses } from './blobs.ts'
import type { BlobReader, FileCacheLimits } from './file-cache.ts'
import { fromMemory } from './memory.ts'
import type { RawResponse, RequestPreferences } from './raw-response.ts'

/** Undefined if the bytes are no longer stored. */
export type Respond = (content: Content, request: RequestPreferences) => Promise<RawResponse | undefined>

const CACHE: FileCacheLimits = { bytesMax: 64 * 1024 * 1024, fileBytesMax: 1024 * 1024 }

/** A response from memory or from the blob store, with status and headers. */
export function createResponses(blobs: BlobReader, limits = CACHE): Respond {
  const fromBlobs = createBlobResponses(blobs, limits)
  const respond: Respond = async (content, request) => {
    if ('proxied' in content) return content
    if (!('file' in content)) return fromMemory(content, request)
    const response = await fromBlobs(content, request)
    return response || !content.ifMissing ? response : respond(await content.ifMissing(), request)
  }
  return respond
}
