import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { FunctionsEngine } from '../../platform/ports/functions-engine.ts'
import type { Owners } from './owners/owners.ts'
import { manifestOf } from './states.ts'
import type { FunctionsStore } from './store.ts'

type WakeDeps = { owners: Pick<Owners, 'locate'>; engine: Pick<FunctionsEngine, 'nextWakeAt'> }

/**
 * Alarms and delayed messages of functions that no node owns, after a restart for example: some node claims them, and the engine starts
 * the process when the time has come.
 */
export function createWaking(store: FunctionsStore, { owners, engine }: WakeDeps) {
  async function wake(row: { environmentId: string; dataId: string; manifest: string }) {
    const mayWake = manifestOf(row).bindings.some(({ type }) => type === 'durable_object' || type === 'queue')
    if (mayWake && (await engine.nextWakeAt(row.dataId)) !== null) await owners.locate(row.environmentId)
  }

  return async () => runSequentially((await store.runnable()).map((row) => () => wake(row)))
}
