import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Environment, hostLabel } from '../../platform/environment.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { createAppAddresses } from './app-address.ts'
import type { BlobStore } from './blobs-store.ts'
import { type BuiltInFileDeps, createBuiltInFiles } from './built-in-files.ts'
import { createCompressor } from './compression.ts'
import { createDeployments } from './deployments.ts'
import { createLiveVersions, type LiveDeps } from './live-versions.ts'
import { createManifests, type Manifest, type ManifestDeps } from './manifests.ts'
import { NOT_FOUND } from './messages.ts'
import { createSweeps } from './orphan-sweep.ts'
import { createPageVersions } from './page-versions.ts'
import type { Audit, Blobs, Bus } from './ports.ts'
import { createServing, refusalOf } from './serving.ts'
import type { HostingStore } from './store.ts'
import { createSuspensions } from './suspensions.ts'
import { createUploads } from './uploads.ts'

type HostingDeps = BuiltInFileDeps & {
  blobs: Blobs
  bus: Bus
  clock: Clock
  random: Random
  ids: Ids
  audit: Audit
  background: Background
  report(failure: object): void
  requireMayGoLive(environment: Environment): Promise<void>
  findApp: LiveDeps['findApp']
  configOf: LiveDeps['configOf']
  findProject(slug: string): Promise<string | undefined>
  enforceRateLimit(environment: Pick<Environment, 'id' | 'name'>, address: string): Promise<void>
  contentTypes: ManifestDeps['contentTypes']
  skewProtection: { isOn: boolean; isSecure: boolean }
}
export type Hosting = ReturnType<typeof createHosting>

/** Hosts that belong to no app share one rate limit. */
const NO_APP = { id: 'nowhere', name: 'production' } as const

/** Connects the parts of hosting: those that change the live version, and those that serve it. */
export function createHosting(store: HostingStore, rows: BlobStore, deps: HostingDeps) {
  const copies = createCompressor(rows, deps)
  const manifests = createManifests(rows, { copies, contentTypes: deps.contentTypes })
  const live = createLiveVersions(store, { ...deps, manifests })
  const enforceRateLimit = (environment: Environment | undefined, address: string) =>
    deps.enforceRateLimit(environment ?? NO_APP, address)

  return {
    uploads: createUploads(rows, { ...deps, store }),
    deployments: createDeployments(store, { ...deps, rows }),
    /** For the edge, which answers on the hosts of apps. */
    apps: {
      find: live.find,
      forget: live.forget,
      /** The limit per address that public calls have; `environment` is undefined if the host belongs to no app. */
      enforceRateLimit,
      serve: createServing({
        live,
        pageVersions: createPageVersions(deps.skewProtection),
        enforceRateLimit,
      }),
    },
    ...createAppAddresses({ find: live.find, originOf: deps.urlOf }),
    builtInFiles: createBuiltInFiles(deps),
    /** For other pages of the service on the hosts of apps. */
    refusalOf,
    notFound: NOT_FOUND,
    /** The files of the live version, by path; undefined while nothing is live. */
    async liveFiles(environment: Environment): Promise<Manifest | undefined> {
      const app = await live.find(hostLabel(environment))
      return app?.state === 'live' ? app.files : undefined
    },
    /** The blob of a deployed file, of any version. */
    findBlob: async (projectId: string, sha256: string) =>
      (await rows.stored(projectId, [sha256])).get(sha256),
    /** Called on every node when a project was renamed or deleted, so that its app is not served as before. */
    evictApps: live.evictAll,
    suspend: createSuspensions(store, deps),
    sweep: createSweeps(rows, { ...deps, store }).sweep,
    stop: copies.stop,
  }
}
