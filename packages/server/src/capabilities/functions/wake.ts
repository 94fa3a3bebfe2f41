import type { FunctionsEngine } from '../../platform/functions-engine.ts'
import type { Owned } from './owned.ts'
import { manifestOf } from './states.ts'
import type { FunctionsStore } from './store.ts'

export type WakeDeps = { owned: Pick<Owned, 'locate'>; engine: Pick<FunctionsEngine, 'nextWakeAt'> }

/**
 * Alarms and delayed messages of functions that no node owns, after a restart for example: some node claims them, and the engine starts
 * the process when the time has come.
 */
export function createWaking(store: FunctionsStore, { owned, engine }: WakeDeps) {
  return async () => {
    for (const { environmentId, dataId, manifest } of await store.runnable()) {
      const mayWake = manifestOf({ manifest }).bindings.some(
        ({ type }) => type === 'durable_object' || type === 'queue',
      )
      if (mayWake && (await engine.nextWakeAt(dataId)) !== null) await owned.locate(environmentId)
    }
  }
}
