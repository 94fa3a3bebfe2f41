import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Environment, hostLabel } from '../../platform/environment.ts'
import type { Ids, Random } from '../../platform/random.ts'
import type { BlobStore } from './blobs-store.ts'
import { type BuiltInFileDeps, createBuiltInFiles } from './built-in-files.ts'
import { createCompressor } from './compression.ts'
import { createDeployments } from './deployments.ts'
import { createLiveVersions } from './live-versions.ts'
import { createManifests, type Manifest, type ManifestDeps } from './manifests.ts'
import { NOT_FOUND } from './messages.ts'
import { createSweeps } from './orphan-sweep.ts'
import { createPageVersions } from './page-versions.ts'
import type { Audit, Blobs, Bus } from './ports.ts'
import { createServing, refusalOf } from './serving.ts'
import type { HostingStore } from './store.ts'
import { createSuspensions } from './suspensions.ts'
import { createUploads } from './uploads.ts'

export type HostingDeps = BuiltInFileDeps & {
  blobs: Blobs
  bus: Bus
  clock: Clock
  random: Random
  ids: Ids
  audit: Audit
  background: Background
  report(failure: object): void
  urlOf(environment: Environment): string
  requireMayGoLive(environment: Environment): Promise<void>
  isOn(environmentId: string): Promise<boolean>
  findEnvironment(slug: string, name: Environment['name']): Promise<Environment | undefined>
  findProject(slug: string): Promise<string | undefined>
  enforceRateLimit(environment: Environment, address: string): Promise<void>
  contentTypes: ManifestDeps['contentTypes']
  skewProtection: { isOn: boolean; isSecure: boolean }
}
export type Hosting = ReturnType<typeof createHosting>

/** Connects the parts of hosting: those that change the live version, and those that serve it. */
export function createHosting(store: HostingStore, rows: BlobStore, deps: HostingDeps) {
  const copies = createCompressor(rows, deps)
  const manifests = createManifests(rows, { copies, contentTypes: deps.contentTypes })
  const live = createLiveVersions(store, { ...deps, manifests })

  return {
    uploads: createUploads(rows, { ...deps, store }),
    deployments: createDeployments(store, { ...deps, rows }),
    /** For the edge, which answers on the hosts of apps. */
    apps: {
      find: live.find,
      forget: live.forget,
      enforceRateLimit: deps.enforceRateLimit,
      serve: createServing({
        live,
        pageVersions: createPageVersions(deps.skewProtection),
        enforceRateLimit: deps.enforceRateLimit,
      }),
    },
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
    isLive: live.isLive,
    /** Called on every node when the environment was deleted, so that its app is not served any more. */
    evictEnvironment: live.evictEnvironment,
    suspend: createSuspensions(store, deps),
    sweep: createSweeps(rows, { ...deps, store }).sweep,
    stop: copies.stop,
  }
}
