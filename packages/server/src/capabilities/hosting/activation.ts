import type { Actor } from '@svc/contract/common-schemas'

import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { BlobStore } from './blobs-store.ts'
import { filesIn } from './manifests.ts'
import type { Audit } from './ports.ts'
import { retainedAfterActivation, keptIn } from './retained-files.ts'
import type { DeploymentSummary, HostingStore, Live, Transaction } from './store.ts'

export type ActivationDeps = { rows: BlobStore; clock: Clock; audit: Audit }

const NOTHING: Live = { lastVersion: 0, deploymentId: null, version: null, activations: 0 }
/** As many as the history shows at most. */
const ACTIVATIONS_KEPT_MAX = 200
/** For how long pages of a version that was replaced are thought to be open. */
const OPEN_PAGES_MS = DAY_MS

export const liveIn = async (from: Pick<HostingStore, 'live'>, environmentId: string): Promise<Live> =>
  (await from.live(environmentId)) ?? NOTHING

/** Makes a version the live one. One row says which it is, so a reader sees the old one or the new one. */
export function createActivation(store: HostingStore, { rows, clock, audit }: ActivationDeps) {
  /** False when it is live already. */
  return async (
    transaction: Transaction,
    { id: environmentId, projectId, name: env }: Environment,
    actor: Actor,
    { id, version }: DeploymentSummary,
  ): Promise<boolean> => {
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
    await audit.record(transaction, {
      projectId,
      env,
      actor,
      action: 'deployment.activate',
      target: id,
      details: { version, previousVersion: live.version },
    })
    return true
  }
}
