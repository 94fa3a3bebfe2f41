import { createCache } from '../../platform/memory/cache.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import type { Manifest } from './deployments/manifest.ts'
import { TOPIC } from './ports.ts'
import type { FunctionsRow, FunctionsStore } from './store.ts'

/** The functions of an environment with their live version. */
export type State = FunctionsRow & { live: LiveVersion | undefined }
type LiveVersion = {
  id: string
  version: number
  blobKey: string
  createdAt: string
  manifest: Manifest
}
export type States = ReturnType<typeof createStates>

/**
 * What every request needs to know of its environment. Other nodes learn of a change by the bus; without its message, within a second.
 */
export function createStates(store: FunctionsStore, bus: Pick<Messages, 'publish' | 'onGap'>) {
  async function read(environmentId: string): Promise<State | undefined> {
    const row = await store.find(environmentId)
    if (!row) return undefined
    const found =
      row.liveVersionId === null ? undefined : await store.version(environmentId, row.liveVersionId)
    if (!found) return { ...row, live: undefined }
    const { id, version, blobKey, createdAt } = found
    return { ...row, live: { id, version, blobKey, createdAt, manifest: manifestOf(found) } }
  }

  const cached = createCache({ read, ttlMs: 1_000, entriesMax: 10_000 })
  bus.onGap(cached.clear)

  return {
    /** May be a second old. */
    get: cached.get,
    read,
    drop: cached.drop,
    /** On every node, this one first. */
    async announce(environmentId: string) {
      cached.drop(environmentId)
      await bus.publish(TOPIC, environmentId)
    },
  }
}

/** Whether code may run. */
export const isRunnable = (state: State | undefined): state is State & { live: LiveVersion } =>
  state?.live !== undefined && state.enabledAt !== null && state.suspendedAt === null

export const manifestOf = ({ manifest }: { manifest: string }) => JSON.parse(manifest) as Manifest
