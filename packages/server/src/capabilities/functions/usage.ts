import { type Clock, DAY_MS, HOUR_MS, millisecondsOf, MINUTE_MS } from '../../platform/clock.ts'
import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type {
  FunctionsEngine,
  FunctionsUsage,
  StoredResource,
} from '../../platform/ports/functions-engine.ts'
import type { Money } from './ports.ts'
import type { FunctionsStore } from './store.ts'

type UsageDeps = {
  money: Pick<Money, 'noteUsage'>
  engine: Pick<FunctionsEngine, 'storedBytes'>
  clock: Clock
}

const COMPONENTS = ['requests', 'cpuMs', 'rowsRead', 'rowsWritten', 'egressBytes'] as const
/** Longer than any job is repeated. */
const HOURS_KEPT = (2 * DAY_MS) / HOUR_MS

export type Usage = ReturnType<typeof createUsage>

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
    async meter(environmentId: string, running: { takeUsage(): Awaitable<FunctionsUsage> }) {
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

    /**
     * Each hour, on one node: the bytes of every resource, also of functions that do not run. May be repeated: an hour is charged once.
     * The row is written before the usage is noted, so a crash in between is in the developer's favour.
     */
    async chargeStorage(slotAtMs: number) {
      const hour = Math.floor(slotAtMs / HOUR_MS)
      const environments = await store.all()
      await runSequentially([
        ...environments.map(({ environmentId, dataId }) => async () => {
          const bytes = await measure(environmentId, dataId)
          if (bytes > 0 && (await store.insertStorageHour(environmentId, hour)))
            money.noteUsage(environmentId, 'functions.storageByteHours', bytes)
        }),
        () => store.removeStorageHours(hour - HOURS_KEPT),
      ])
    },
  }
}
