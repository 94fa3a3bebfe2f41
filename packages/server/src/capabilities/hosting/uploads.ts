import type { Readable } from 'node:stream'

import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { type Random, randomText } from '../../platform/random.ts'
import type { BlobStore } from './blobs-store.ts'
import type { Blobs } from './ports.ts'
import type { HostingStore } from './store.ts'

type UploadDeps = { store: Pick<HostingStore, 'change'>; blobs: Blobs; clock: Clock; random: Random }
export type Uploads = ReturnType<typeof createUploads>

/** Stores the bytes of files, each once per project. */
export function createUploads(rows: BlobStore, { store, blobs, clock, random }: UploadDeps) {
  /** The first of two uploads of the same bytes is kept. False if the project was deleted in the meantime. */
  const keep = (projectId: string, sha256: string, key: string, size: number): Promise<boolean> =>
    store.change(projectId, async (transaction) => {
      const mine = rows.in(transaction)
      const known = await mine.stored(projectId, [sha256])
      const changed =
        known.size > 0 ? await mine.setRemoving(key) : await mine.setStored(key, size, timestamp(clock))
      return changed === 1
    })

  return {
    bodyLimit: { bytesMax: LIMITS.blobBytesMax, refusal: tooLarge },

    /** If the upload is incomplete or has another hash than its URL, nothing is stored. */
    async put(projectId: string, sha256: string, bytes: Readable): Promise<{ sha256: string; size: number }> {
      const key = `${projectId}/${sha256}.${randomText(random, 12)}`
      // Recorded before the upload: if the process is killed, the sweeper finds the partial upload.
      await rows.scheduleSweep(projectId, timestamp(clock, LIMITS.orphanBlobTtlMs))
      await rows.insert({
        key,
        projectId,
        sha256,
        size: 0,
        state: 'arriving',
        changedAt: timestamp(clock),
        brSize: null,
        gzSize: null,
      })
      const { size } = await blobs.put(key, bytes, { sha256 }).catch(async (error: unknown) => {
        // A store that reported an error may still have stored it.
        await (isUnavailable(error) ? rows.setRemoving(key) : rows.forget(key))
        throw asHashMismatch(error)
      })
      if (await keep(projectId, sha256, key, size)) return { sha256, size }
      await blobs.remove(key)
      throw new ApiError('not_found')
    },
  }
}

const tooLarge = (size: number | undefined) =>
  new ApiError('blob_too_large', { limit: LIMITS.blobBytesMax, ...(size !== undefined && { size }) })

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'service_unavailable'

function asHashMismatch(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.details?.['reason'] !== 'hash_mismatch') return error
  return new ApiError('hash_mismatch', { expected: error.details['expected'] })
}
