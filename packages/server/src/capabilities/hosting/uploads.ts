import type { Readable } from 'node:stream'

import { LIMITS } from '@svc/contract/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { type Random, randomText } from '../../platform/random.ts'
import type { BlobStore } from './blobs-store.ts'
import type { Blobs } from './ports.ts'
import type { HostingStore } from './store.ts'

export type UploadDeps = { store: Pick<HostingStore, 'change'>; blobs: Blobs; clock: Clock; random: Random }
export type Uploads = ReturnType<typeof createUploads>

/** The bytes of files, kept per project and each once. */
export function createUploads(rows: BlobStore, { store, blobs, clock, random }: UploadDeps) {
  /** Of two uploads of the same bytes the first one counts. False when the project was deleted meanwhile. */
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

    /** What is not whole, or not what its address says, leaves nothing behind. */
    async put(projectId: string, sha256: string, bytes: Readable): Promise<{ sha256: string; size: number }> {
      const key = `${projectId}/${sha256}.${randomText(random, 12)}`
      // Known before it arrives: should we be killed in between, the sweeper knows when and where to look.
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
        // A store that failed may hold it all the same.
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
