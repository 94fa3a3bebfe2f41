import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Ids, Random } from '../../platform/random.ts'
import type { BlobStore } from './blobs-store.ts'
import { type BuiltInFileNeeds, createBuiltInFiles } from './built-in-files.ts'
import { createCompressor } from './compression.ts'
import { createDeployments } from './deployments.ts'
import { createLiveVersions } from './live-versions.ts'
import { createManifests, type ManifestNeeds } from './manifests.ts'
import { createSweeps } from './orphan-sweep.ts'
import { createPageVersions } from './page-versions.ts'
import type { Audit, Blobs, Bus } from './ports.ts'
import { createServing } from './serving.ts'
import type { HostingStore } from './store.ts'
import { createSuspensions } from './suspensions.ts'
import { createUploads } from './uploads.ts'

export type HostingNeeds = BuiltInFileNeeds & {
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
  admit(environment: Environment, address: string): Promise<void>
  contentTypes: ManifestNeeds['contentTypes']
  skewProtection: { isOn: boolean; isSecure: boolean }
}
export type Hosting = ReturnType<typeof createHosting>

/** The parts of hosting, put together: those that change what is live, and those that serve it. */
export function createHosting(store: HostingStore, rows: BlobStore, needs: HostingNeeds) {
  const copies = createCompressor(rows, needs)
  const manifests = createManifests(rows, { copies, contentTypes: needs.contentTypes })
  const live = createLiveVersions(store, { ...needs, manifests })

  return {
    uploads: createUploads(rows, { ...needs, store }),
    deployments: createDeployments(store, { ...needs, rows }),
    /** What the edge asks for the hosts of apps. */
    apps: {
      find: live.find,
      forget: live.forget,
      admit: needs.admit,
      serve: createServing({
        live,
        pageVersions: createPageVersions(needs.skewProtection),
        admit: needs.admit,
      }),
    },
    builtInFiles: createBuiltInFiles(needs),
    isLive: live.isLive,
    /** Called on every node when the environment is gone, so that its app is not served any more. */
    forgetEnvironment: live.forgetEnvironment,
    suspend: createSuspensions(store, needs),
    sweep: createSweeps(rows, { ...needs, store }).sweep,
    stop: copies.stop,
  }
}
