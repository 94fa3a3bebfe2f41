import { createCache } from '../../platform/cache.ts'
import { type Clock, timestamp, type Monotonic, monotonicMs } from '../../platform/clock.ts'
import { type Environment, hostLabel } from '../../platform/environment.ts'
import { lazy } from '../../platform/lazy.ts'
import { filesIn, type HostedFile, type Manifest, type Manifests } from './manifests.ts'
import { PAGE_VERSION_MS } from './page-versions.ts'
import { type Bus, TOPIC } from './ports.ts'
import { keptIn } from './retained-files.ts'
import type { Activated, HostingStore } from './store.ts'

export type LiveDeps = {
  manifests: Manifests
  bus: Bus
  clock: Clock
  findEnvironment(slug: string, name: Environment['name']): Promise<Environment | undefined>
  /** `features.hosting`. */
  isOn(environmentId: string): Promise<boolean>
  now?: Monotonic
}
export type LiveVersions = ReturnType<typeof createLiveVersions>

/** The app of an environment: the live version, or why nothing is served. */
export type App = { environment: Environment } & (LiveApp | { state: 'empty' | 'off' | 'suspended' })
export type State = App['state']
export type LiveApp = {
  state: 'live'
  version: number
  files: Manifest
  /** A file that pages of an earlier version may still request. */
  kept(path: string): Promise<HostedFile | undefined>
  /** The files of a version that was live a short time ago. */
  earlier(version: number): Promise<Manifest | undefined>
  /** When it was read from the database. */
  readAt: number
}

/** After a lost message the version is read again within this time. */
const FRESH_MS = 1_000
/** Another node may serve pages of a version that this node does not know yet; requests can cause a new read this often. */
const LOOK_AGAIN_MS = 50
const APPS_MAX = 10_000
/** DEV-11; other labels are not looked up in the database. */
const LABEL = /^[a-z0-9](?:-?[a-z0-9]){2,39}(?:--dev)?$/

/** The live version, needed for every request: a bus message invalidates it when it changes, and it is read again every second. */
export function createLiveVersions(store: HostingStore, deps: LiveDeps) {
  const { manifests, bus, clock, findEnvironment, isOn, now = monotonicMs } = deps

  async function read(label: string) {
    if (!LABEL.test(label)) return undefined
    const [slug = ''] = label.split('--')
    const environment = await findEnvironment(slug, label === slug ? 'production' : 'development')
    if (!environment) return undefined
    const { id, projectId } = environment
    const isSuspended = await store.isSuspended(projectId)
    const live = await store.live(id)
    const kept = async (path: string) => {
      // Cached until the next activation, which changes `activations`. That may be longer than some of the files are served.
      const files = await manifests.get(`${id} kept ${live?.activations}`, projectId, async () =>
        keptIn(await store.kept(id), timestamp(clock)),
      )
      const file = files.get(path)
      return file?.until !== undefined && file.until > timestamp(clock) ? file : undefined
    }
    const previous = lazy(async () => servedBefore(await store.activated(id), live?.deploymentId))
    return { environment, isSuspended, live, kept, previous, readAt: now() }
  }
  const known = createCache({ read, ttlMs: FRESH_MS, entriesMax: APPS_MAX, now })
  bus.subscribe(TOPIC, known.drop)
  bus.onGap(known.clear)

  async function find(label: string): Promise<App | undefined> {
    const found = await known.get(label)
    if (!found) return undefined
    const { environment, isSuspended, live, kept, previous, readAt } = found
    if (isSuspended) return { environment, state: 'suspended' }
    if (!(await isOn(environment.id))) return { environment, state: 'off' }
    if (!live?.deploymentId) return { environment, state: 'empty' }
    const manifestOf = (deploymentId: string) =>
      manifests.get(deploymentId, environment.projectId, async () =>
        filesIn(await store.filesOf(environment.id, deploymentId)),
      )
    const earlier = async (version: number) => {
      const served = (await previous()).get(version)
      if (served === undefined || served.until <= timestamp(clock)) return undefined
      const files = await manifestOf(served.id)
      return files.size > 0 ? files : undefined
    }
    const files = await manifestOf(live.deploymentId)
    return { environment, state: 'live', version: live.version ?? 0, files, kept, earlier, readAt }
  }

  /** The app in that version, if its pages may still be open; otherwise in the live version. */
  async function findVersion(label: string, version: number, mayLookAgain = true): Promise<App | undefined> {
    const app = await find(label)
    if (app?.state !== 'live' || app.version === version) return app
    const files = await app.earlier(version)
    if (files) return { ...app, version, files }
    if (!mayLookAgain || now() - app.readAt < LOOK_AGAIN_MS) return app
    known.drop(label)
    return findVersion(label, version, false)
  }

  return {
    find,
    findVersion,
    forget: known.drop,
    /** Evicts all apps, which is cheap: each is read again every second anyway. */
    evictEnvironment: (_environmentId: string) => known.clear(),
    isLive: async (environment: Environment) => (await find(hostLabel(environment)))?.state === 'live',
  }
}

/** The versions that were live before, and until when their pages may load files. */
function servedBefore(activated: readonly Activated[], liveId: string | null | undefined) {
  const replacedAt = ({ id, activatedAt }: Activated) => {
    const later = activated.filter((other) => other.id !== id && other.activatedAt >= activatedAt)
    return later.map((other) => other.activatedAt).toSorted()[0] ?? activatedAt
  }
  return new Map(
    activated
      .filter(({ id }) => id !== liveId)
      .map((deployment) => {
        const until = new Date(Date.parse(replacedAt(deployment)) + PAGE_VERSION_MS).toISOString()
        return [deployment.version, { id: deployment.id, until }]
      }),
  )
}
