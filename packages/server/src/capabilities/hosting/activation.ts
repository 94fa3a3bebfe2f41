import type { Actor } from '@svc/contract/common/schemas'

import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { changeIn } from '../../platform/ports/audit.ts'
import type { BlobStore } from './blobs-store.ts'
import { filesIn } from './manifests.ts'
import type { Audit } from './ports.ts'
import { retainedAfterActivation, keptIn } from './retained-files.ts'
import type { DeploymentSummary, HostingStore, Live, Transaction } from './store.ts'

type ActivationDeps = { rows: BlobStore; clock: Clock; audit: Audit }

const NOTHING: Live = { lastVersion: 0, deploymentId: null, version: null, activations: 0 }
/** The maximum that the history shows. */
const ACTIVATIONS_KEPT_MAX = 200
/** How long pages of a replaced version may still be open. */
const OPEN_PAGES_MS = DAY_MS

export const liveIn = async (from: Pick<HostingStore, 'live'>, environmentId: string): Promise<Live> =>
  (await from.live(environmentId)) ?? NOTHING

/** Makes a version the live one. The live version is stored in one row, so a reader sees either the old one or the new one. */
export function createActivation(store: HostingStore, { rows, clock, audit }: ActivationDeps) {
  /** Returns false if it is already live. */
  return async (
    transaction: Transaction,
    environment: Environment,
    actor: Actor,
    { id, version }: DeploymentSummary,
  ): Promise<boolean> => {
    const { id: environmentId, projectId } = environment
    const mine = store.in(transaction)
    const live = await liveIn(mine, environmentId)
    if (live.deploymentId === id) return false

    const now = timestamp(clock)
    const until = timestamp(clock, OPEN_PAGES_MS)
    const kept = retainedAfterActivation(keptIn(await mine.kept(environmentId), now), {
      last: filesIn(await mine.filesOf(environmentId, live.deploymentId ?? '')),
      next: filesIn(await mine.filesOf(environmentId, id)),
      until,
    })
    const activations = live.activations + 1
    await mine.setLive({ environmentId, deploymentId: id, version, activations, kept: JSON.stringify(kept) })
    if (kept.length > 0) await rows.in(transaction).scheduleSweep(projectId, until)
    const activation = { environmentId, number: activations, version, at: now }
    await mine.noteActivation({ ...activation, activatedBy: JSON.stringify(actor) }, ACTIVATIONS_KEPT_MAX)
    await mine.setActivated({ environmentId, id, activatedAt: now })
    const details = { version, previousVersion: live.version }
    await audit.record(transaction, changeIn(environment, actor, 'deployment.activate', id, details))
    return true
  }
}
