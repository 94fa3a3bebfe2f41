import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Ids, Random } from '../../platform/random.ts'
import type { BlobStore } from './blobs-store.ts'
import { createCopies } from './copies.ts'
import { createDeployments } from './deployments.ts'
import { createFileAnswers } from './file-answers.ts'
import { createHotFiles } from './hot-files.ts'
import { createLiveVersions } from './live-versions.ts'
import { createManifests } from './manifests.ts'
import type { Audit, Blobs, Bus } from './needs.ts'
import { createOwnFiles, type OwnFileNeeds } from './own-files.ts'
import { createPageVersions } from './page-versions.ts'
import { createServing } from './serving.ts'
import type { HostingStore } from './store.ts'
import { createSuspensions } from './suspensions.ts'
import { createSweeps } from './sweeps.ts'
import { createUploads } from './uploads.ts'

export type HostingNeeds = OwnFileNeeds & {
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
  skewProtection: { isOn: boolean; isSecure: boolean }
}
export type Hosting = ReturnType<typeof createHosting>

const HOT_FILES = { bytesMax: 64 * 1024 * 1024, fileBytesMax: 1024 * 1024 }

/** The parts of hosting, put together: those that change what is live, and those that serve it. */
export function createHosting(store: HostingStore, rows: BlobStore, needs: HostingNeeds) {
  const { blobs } = needs
  const copies = createCopies(rows, needs)
  const live = createLiveVersions(store, { ...needs, manifests: createManifests(rows, { copies }) })

  return {
    uploads: createUploads(rows, { ...needs, store }),
    deployments: createDeployments(store, { ...needs, rows }),
    serve: createServing({
      live,
      files: createFileAnswers(blobs, createHotFiles(blobs, HOT_FILES)),
      ownFiles: createOwnFiles(needs),
      pageVersions: createPageVersions(needs.skewProtection),
      admit: needs.admit,
    }),
    isLive: live.isLive,
    /** Called on every node when the environment is gone, so that its app is not served any more. */
    forgetEnvironment: live.forgetEnvironment,
    suspend: createSuspensions(store, needs),
    sweep: createSweeps(rows, { ...needs, store }).sweep,
    stop: copies.stop,
  }
}
