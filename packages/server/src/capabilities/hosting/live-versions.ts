import type { Config } from '@svc/contract/config/defaults'

import { type Clock, timestamp, type Monotonic, monotonicMs } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { lazy } from '../../platform/memory/lazy.ts'
import { filesIn, type HostedFile, type Manifest, type Manifests } from './manifests.ts'
import { PAGE_VERSION_MS } from './page-versions.ts'
import { type Bus, TOPIC } from './ports.ts'
import { keptIn } from './retained-files.ts'
import type { Activated, HostingStore } from './store.ts'

export type LiveDeps = {
  manifests: Manifests
  bus: Bus
  clock: Clock
  /** `name` of the result: the name of the project. */
  findApp(
    slug: string,
    name: Environment['name'],
  ): Promise<{ environment: Environment; name: string } | undefined>
  configOf(environmentId: string): Promise<Config>
  now?: Monotonic
}
export type LiveVersions = ReturnType<typeof createLiveVersions>

/** The app of an environment: its current config, and the live version or why nothing is served. */
export type App = { environment: Environment; name: string; config: Config } & (
  | LiveApp
  | { state: 'empty' | 'off' | 'suspended' }
)
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
const READ_AGAIN_MS = 50
const APPS_MAX = 10_000
/** DEV-11; other labels are not looked up in the database. */
const LABEL = /^[a-z0-9](?:-?[a-z0-9]){2,39}(?:--dev)?$/

/** The live version, needed for every request: a bus message invalidates it when it changes, and it is read again every second. */
export function createLiveVersions(store: HostingStore, deps: LiveDeps) {
  const { manifests, bus, clock, findApp, configOf, now = monotonicMs } = deps

  async function read(label: string) {
    if (!LABEL.test(label)) return undefined
    const [slug = ''] = label.split('--')
    const app = await findApp(slug, label === slug ? 'production' : 'development')
    if (!app) return undefined
    const { id, projectId } = app.environment
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
    return { ...app, isSuspended, live, kept, previous, readAt: now() }
  }
  const known = createCache({ read, ttlMs: FRESH_MS, entriesMax: APPS_MAX, now })
  bus.subscribe(TOPIC, known.drop)
  bus.onGap(known.clear)

  async function find(label: string): Promise<App | undefined> {
    const found = await known.get(label)
    if (!found) return undefined
    const { environment, name, isSuspended, live, kept, previous, readAt } = found
    const app = { environment, name, config: await configOf(environment.id) }
    if (isSuspended) return { ...app, state: 'suspended' }
    if (!app.config.features.hosting) return { ...app, state: 'off' }
    if (!live?.deploymentId) return { ...app, state: 'empty' }
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
    return { ...app, state: 'live', version: live.version ?? 0, files, kept, earlier, readAt }
  }

  /** The app in that version, if its pages may still be open; otherwise in the live version. */
  async function findVersion(label: string, version: number, mayReadAgain = true): Promise<App | undefined> {
    const app = await find(label)
    if (app?.state !== 'live' || app.version === version) return app
    const files = await app.earlier(version)
    if (files) return { ...app, version, files }
    if (!mayReadAgain || now() - app.readAt < READ_AGAIN_MS) return app
    known.drop(label)
    return findVersion(label, version, false)
  }

  return {
    find,
    findVersion,
    forget: known.drop,
    /** Cheap, because each app is read again every second anyway. */
    evictAll: known.clear,
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
