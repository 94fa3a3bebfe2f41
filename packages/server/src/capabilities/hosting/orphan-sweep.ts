import { LIMITS } from '@svc/contract/common/limits'
import type { DeployedFile } from '@svc/contract/hosting'

import { type Clock, timestamp } from '../../platform/clock.ts'
import type { BlobStore } from './blobs-store.ts'
import { filesIn } from './manifests.ts'
import type { Blobs } from './ports.ts'
import { keptIn } from './retained-files.ts'
import type { HostingStore } from './store.ts'

export type SweepDeps = { store: HostingStore; blobs: Pick<Blobs, 'remove'>; clock: Clock }

const ORPHAN_AFTER_MS = LIMITS.orphanBlobTtlMs

/**
 * Removes blobs that no deployment uses, a day after their upload (HST-04). Never blobs of a listed deployment, including one that
 * is still uploading, and never a blob whose upload is in progress. First the row is marked, then the bytes are removed, then the
 * row: a crash at any point leaves no inconsistency.
 */
export function createSweeps(rows: BlobStore, { store, blobs, clock }: SweepDeps) {
  async function markOrphans(projectId: string) {
    const before = timestamp(clock, -ORPHAN_AFTER_MS)
    const orphans = await rows.unchangedSince(projectId, before)
    // Nearly all of the work is done before the lock, so that other requests do not wait.
    const looked = await namedBy(store, projectId, new Set(), timestamp(clock))

    await store.change(projectId, async (transaction) => {
      const mine = rows.in(transaction)
      const { hashes, keptUntil } = await namedBy(
        store.in(transaction),
        projectId,
        looked.deployments,
        timestamp(clock),
      )
      for (const { key, sha256, state } of orphans) {
        const isNamed = state === 'stored' && (looked.hashes.has(sha256) || hashes.has(sha256))
        if (!isNamed) await mine.setRemoving(key)
      }
      const next = await mine.oldestSince(projectId, before)
      const nextAt = next === undefined ? [] : [new Date(Date.parse(next) + ORPHAN_AFTER_MS).toISOString()]
      const [sweepAt = null] = [...nextAt, ...keptUntil].toSorted()
      await mine.setSweep({ projectId, sweepAt })
    })
  }

  async function removeMarked() {
    for (let marked = await rows.removing(); marked.length > 0; marked = await rows.removing()) {
      for (const { key } of marked) {
        for (const copy of [key, `${key}.br`, `${key}.gz`]) await blobs.remove(copy)
        await rows.forget(key)
      }
    }
  }

  return {
    async sweep() {
      for (const { projectId } of await rows.dueForSweep(timestamp(clock))) await markOrphans(projectId)
      await removeMarked()
      await rows.deleteIdleProjectRows()
    },
  }
}

type Deployments = Pick<HostingStore, 'idsOfProject' | 'filesOf' | 'kept'>

/**
 * The hashes in all deployments of a project except the `known` ones, and in files that are kept for open pages, with the times until
 * which these are kept.
 */
async function namedBy(deployments: Deployments, projectId: string, known: ReadonlySet<string>, now: string) {
  const hashes = new Set<string>()
  const note = (files: readonly DeployedFile[]) => files.forEach(({ sha256 }) => hashes.add(sha256))
  const listed = await deployments.idsOfProject(projectId)
  for (const { environmentId, id } of listed.filter((deployment) => !known.has(deployment.id)))
    note(filesIn(await deployments.filesOf(environmentId, id)))
  const keptUntil = new Set<string>()
  for (const environmentId of new Set(listed.map((deployment) => deployment.environmentId))) {
    const kept = keptIn(await deployments.kept(environmentId), now)
    note(kept)
    for (const { until } of kept) keptUntil.add(until)
  }
  return { deployments: new Set(listed.map(({ id }) => id)), hashes, keptUntil }
}
