import { createCache, type Monotonic, monotonicMs } from '../../platform/cache.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { type Environment, hostLabel } from '../../platform/environment.ts'
import { keptIn } from './kept-files.ts'
import { filesIn, type HostedFile, type Manifest, type Manifests } from './manifests.ts'
import { type Bus, TOPIC } from './needs.ts'
import type { HostingStore } from './store.ts'

export type LiveNeeds = {
  manifests: Manifests
  bus: Bus
  clock: Clock
  findEnvironment(slug: string, name: Environment['name']): Promise<Environment | undefined>
  /** `features.hosting`. */
  isOn(environmentId: string): Promise<boolean>
  now?: Monotonic
}
export type LiveVersions = ReturnType<typeof createLiveVersions>

/** The app of an environment: what is served, or why nothing is. */
export type App = { environment: Environment } & (LiveApp | { state: 'empty' | 'off' | 'suspended' })
export type LiveApp = {
  state: 'live'
  version: number
  files: Manifest
  /** What pages of an earlier version still ask for. */
  kept(path: string): Promise<HostedFile | undefined>
}

/** A lost message heals within this time. */
const FRESH_MS = 1_000
const APPS_MAX = 10_000
/** DEV-11; nothing else is asked of the database. */
const LABEL = /^[a-z0-9](?:-?[a-z0-9]){2,39}(?:--dev)?$/

/** Which version is live, asked at every visit: dropped by a message when it changes, and read again within a second. */
export function createLiveVersions(store: HostingStore, needs: LiveNeeds) {
  const { manifests, bus, clock, findEnvironment, isOn, now = monotonicMs } = needs

  async function read(label: string) {
    if (!LABEL.test(label)) return undefined
    const [slug = ''] = label.split('--')
    const environment = await findEnvironment(slug, label === slug ? 'production' : 'development')
    if (!environment) return undefined
    const { id, projectId } = environment
    const isSuspended = await store.isSuspended(projectId)
    const live = await store.live(id)
    const kept = async (path: string) => {
      // Remembered until another is activated, which `activations` tells: longer than some of them are served.
      const files = await manifests.get(`${id} kept ${live?.activations}`, projectId, async () =>
        keptIn(await store.kept(id), timestamp(clock)),
      )
      const file = files.get(path)
      return file?.until !== undefined && file.until > timestamp(clock) ? file : undefined
    }
    return { environment, isSuspended, live, kept }
  }
  const known = createCache({ read, freshMs: FRESH_MS, entriesMax: APPS_MAX, now })
  bus.subscribe(TOPIC, known.drop)
  bus.onGap(known.clear)

  async function find(label: string): Promise<App | undefined> {
    const found = await known.get(label)
    if (!found) return undefined
    const { environment, isSuspended, live, kept } = found
    if (isSuspended) return { environment, state: 'suspended' }
    if (!(await isOn(environment.id))) return { environment, state: 'off' }
    if (!live?.deploymentId) return { environment, state: 'empty' }
    const { deploymentId, version } = live
    const files = await manifests.get(deploymentId, environment.projectId, async () =>
      filesIn(await store.filesOf(environment.id, deploymentId)),
    )
    return { environment, state: 'live', version: version ?? 0, files, kept }
  }

  return {
    find,
    forget: known.drop,
    isLive: async (environment: Environment) => (await find(hostLabel(environment)))?.state === 'live',
  }
}
