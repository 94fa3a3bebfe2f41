import { type Clock, HOUR_MS, timestamp } from '../../platform/clock.ts'
import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { FunctionsEngine } from '../../platform/ports/functions-engine.ts'
import type { Blobs } from './ports.ts'
import type { FunctionsStore, RemovalRow } from './store.ts'

type Removal = Pick<RemovalRow, 'dataId' | 'blobPrefix'>
type SweepDeps = {
  blobs: Pick<Blobs, 'remove'>
  engine: Pick<FunctionsEngine, 'purge'>
  clock: Clock
}
export type Sweeps = ReturnType<typeof createSweeps>

/**
 * Removes folders and code that are no longer referenced. A row is written before the removal, so that an interrupted removal is finished
 * later; code that is being stored has such a row until its version exists.
 */
export function createSweeps(store: FunctionsStore, { blobs, engine, clock }: SweepDeps) {
  async function removeBytes({ dataId, blobPrefix }: Removal) {
    if (dataId !== '') await engine.purge(dataId)
    if (blobPrefix !== '') await blobs.remove(blobPrefix)
  }

  async function removeNow(removals: readonly Removal[]) {
    await runSequentially(
      removals.map((removal) => async () => {
        await removeBytes(removal)
        await store.forgetRemoval(removal)
      }),
    )
  }

  return {
    removeNow,

    /** Called for a deleted project. The rows stay: a process on another node may write until it learns of it. */
    async removeEnvironment(environmentId: string) {
      const removals = (await store.removals(timestamp(clock))).filter(
        ({ dataId, blobPrefix }) =>
          dataId.startsWith(environmentId) || blobPrefix.startsWith(`functions/${environmentId}/`),
      )
      await runSequentially(removals.map((removal) => () => removeBytes(removal)))
    },

    sweep: async () => removeNow(await store.removals(timestamp(clock, -HOUR_MS))),
  }
}
