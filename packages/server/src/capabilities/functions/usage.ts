import { type Clock, millisecondsOf, MINUTE_MS } from '../../platform/clock.ts'
import type { FunctionsEngine, Running, StoredResource } from '../../platform/functions-engine.ts'
import type { Money } from './ports.ts'
import type { FunctionsStore } from './store.ts'

export type UsageDeps = {
  money: Pick<Money, 'noteUsage'>
  engine: Pick<FunctionsEngine, 'storedBytes'>
  clock: Clock
}
export type Usage = ReturnType<typeof createUsage>

const COMPONENTS = ['requests', 'cpuMs', 'rowsRead', 'rowsWritten', 'egressBytes'] as const

/** What functions use: for the bill, and per minute for charts. */
export function createUsage(store: FunctionsStore, { money, engine, clock }: UsageDeps) {
  /** Returns the bytes of all resources together. */
  async function measure(environmentId: string, dataId: string): Promise<number> {
    const resources = await store.resources(environmentId)
    if (resources.length === 0) return 0
    const sizes = await engine.storedBytes(dataId, resources as StoredResource[])
    for (const [index, { type, id, bytes: before }] of resources.entries()) {
      const bytes = sizes[index] ?? 0
      if (bytes !== before) await store.setResourceBytes({ environmentId, type, id, bytes })
    }
    return sizes.reduce((total, bytes) => total + bytes, 0)
  }

  return {
    measure,

    /** Each minute, and before a process ends. */
    async meter(environmentId: string, running: Running) {
      const usage = await running.takeUsage()
      for (const component of COMPONENTS)
        if (usage[component] > 0)
          money.noteUsage(environmentId, `functions.${component}`, Math.ceil(usage[component]))
      const { requests, errors } = usage
      const cpuMs = Math.ceil(usage.cpuMs)
      if (requests + errors + cpuMs === 0) return
      const minute = Math.floor(millisecondsOf(clock) / MINUTE_MS)
      await store.addMinute({ environmentId, minute, requests, errors, cpuMs })
    },

    /** Each hour, on one node: the bytes of every resource, also of functions that do not run. */
    async chargeStorage() {
      for (const { environmentId, dataId } of await store.all()) {
        const bytes = await measure(environmentId, dataId)
        if (bytes > 0) money.noteUsage(environmentId, 'functions.storageByteHours', bytes)
      }
    },
  }
}
