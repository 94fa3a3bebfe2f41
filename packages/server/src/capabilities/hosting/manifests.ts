import type { DeployedFile } from '@svc/contract/hosting'

import { type Monotonic, monotonicMs } from '../../platform/clock.ts'
import type { BlobFile } from '../../platform/http/responses.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { BlobStore } from './blobs-store.ts'
import type { Compressor } from './compression.ts'
import { namesWithHash } from './hashed-names.ts'
import type { RetainedFile } from './retained-files.ts'

/** A file with everything that a response needs. */
export type HostedFile = BlobFile & {
  path: string
  /** For a file of a replaced version: it is served until this time. */
  until?: string
}
export type Manifest = ReadonlyMap<string, HostedFile>
export type Manifests = ReturnType<typeof createManifests>

export type ManifestDeps = {
  copies: Compressor
  /** The content type of a file by its extension, and whether compression makes it smaller. */
  contentTypes(): Awaitable<(path: string) => { type: string; isCompressible: boolean }>
  now?: Monotonic
}

const FOREVER = 'public, max-age=31536000, immutable'

/** About 100 MB of memory. */
const FILES_MAX = 200_000
const COMPRESSIBLE_BYTES_MIN = 1_024
/** Another node may be creating compressed copies: until all exist, the rows are read again after this time. */
const UNFINISHED_FRESH_MS = 30_000

/** Parses the stored files of a deployment. */
export const filesIn = (text: string | undefined) => JSON.parse(text ?? '[]') as DeployedFile[]

type Entry = { manifest: Promise<Manifest>; files: number; staleAt: number }
type ReadFiles = () => Promise<readonly (DeployedFile & Partial<RetainedFile>)[]>

/** The files of versions, by path. They never change under the same key, so they are read once and cached while there is space. */
export function createManifests(rows: BlobStore, { copies, contentTypes, now = monotonicMs }: ManifestDeps) {
  const entries = new Map<string, Entry>()

  async function load(projectId: string, read: ReadFiles, entry: Entry): Promise<Manifest> {
    const listed = await read()
    const contentTypeOf = await contentTypes()
    const blobs = await rows.stored(
      projectId,
      listed.map(({ sha256 }) => sha256),
    )
    const hashed = namesWithHash(listed.map(({ path }) => path))
    const manifest = new Map<string, HostedFile>()
    const unfinished = new Map<string, HostedFile>()
    for (const listedFile of listed) {
      const { path, sha256, size } = listedFile
      const blob = blobs.get(sha256)
      if (!blob) continue
      const { type, isCompressible } = contentTypeOf(path)
      const mayHaveCopies = isCompressible && size >= COMPRESSIBLE_BYTES_MIN
      const { key, brSize, gzSize } = mayHaveCopies ? blob : { key: blob.key, brSize: 0, gzSize: 0 }
      // The file at a path may change with every activation, unless its name contains its hash.
      const cacheControl = hashed.has(path) && !type.startsWith('text/html') ? FOREVER : 'no-cache'
      const file = { ...listedFile, key, type, cacheControl, brSize, gzSize }
      manifest.set(path, file)
      if (brSize === null) unfinished.set(key, file)
    }
    entry.files = manifest.size
    if (unfinished.size > 0) {
      entry.staleAt = now() + UNFINISHED_FRESH_MS
      copies.enqueue(unfinished.values())
    }
    evictOldest()
    return manifest
  }

  /** Evicts those that were read longest ago. */
  function evictOldest() {
    let files = 0
    for (const entry of entries.values()) files += entry.files
    for (const [oldest, entry] of entries) {
      if (files <= FILES_MAX || entries.size === 1) return
      entries.delete(oldest)
      files -= entry.files
    }
  }

  return {
    get(key: string, projectId: string, read: ReadFiles): Promise<Manifest> {
      const known = entries.get(key)
      if (known && now() < known.staleAt) return known.manifest
      const entry: Entry = { manifest: Promise.resolve(new Map()), files: 0, staleAt: Infinity }
      entry.manifest = load(projectId, read, entry)
      entries.delete(key)
      entries.set(key, entry)
      // Failed reads are not cached.
      entry.manifest.catch(() => entries.get(key) === entry && entries.delete(key))
      return entry.manifest
    },
  }
}
