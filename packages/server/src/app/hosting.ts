import { PROVIDERS } from '@svc/contract/common/features'
import { readHosting } from '@svc/contract/hosting'

import {
  createBlobStore,
  createHosting,
  createHostingStore,
  hostingRoutes,
} from '../capabilities/hosting/index.ts'
import { openBuiltFolder } from '../edge/http/files/built-folder.ts'
import { loadContentTypes } from '../edge/http/files/content-types.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { OWN_FILES } from '../platform/own-files.ts'
import type { Developers } from './developers.ts'
import { ENVIRONMENT_REMOVED, type Foundation, type Mounts, PROJECT_RENAMED } from './foundation.ts'

export type Hosting = ReturnType<typeof buildHosting>

/** Loads the builder only when a page loads the SDK in a checkout. */
const buildSdk = async () => (await import('@svc/sdk/build')).upToDateFolder()

/** Hosted apps, on their own host names. */
export function buildHosting(foundation: Foundation, { projects, appKeys }: Developers) {
  const { tools, db, blobs, bus, log, enforceRateLimit, configOf } = foundation
  const { baseUrl } = foundation.settings
  // Pages load it from `/.svc/sdk.js`, and the parts that it needs from beside it.
  const sdk = openBuiltFolder(OWN_FILES.sdk, buildSdk)

  const hosting = createHosting(createHostingStore(db), createBlobStore(db), {
    ...tools,
    blobs,
    report: (failure) => log.warn(failure, 'a hosted file was not compressed'),
    urlOf: foundation.originOf,
    requireMayGoLive: foundation.owners.requireMayGoLive,
    configOf,
    findApp: projects.findApp,
    findProject: projects.idOf,
    enforceRateLimit: async (environment, address) =>
      enforceRateLimit?.(readHosting, { kind: 'visitor', environment }, address),
    keyOf: appKeys.of,
    async offerOf(environmentId) {
      const { features, auth } = await configOf(environmentId)
      return { features, providers: PROVIDERS.filter((name) => auth.providers[name].enabled) }
    },
    async sdkFile(name) {
      const folder = await (name === 'sdk.js' ? sdk.upToDate() : sdk.latest())
      const file = await folder(name)
      if (!file) throw new Error(`The SDK has no file ${name}.`)
      return file
    },
    contentTypes: loadContentTypes,
    skewProtection: { isOn: foundation.settings.skewProtection, isSecure: baseUrl.startsWith('https:') },
  })
  for (const topic of [ENVIRONMENT_REMOVED, PROJECT_RENAMED]) bus.subscribe(topic, hosting.evictApps)
  foundation.events.on('environment.removing', hosting.deployments.removeEnvironment)
  foundation.events.on('environment.purged', hosting.sweep)

  return {
    ...hosting,
    mount({ route, host }: Mounts) {
      hostingRoutes(route, hosting.deployments, hosting.uploads)
      host({ path: '.svc/' }, { respond: hosting.builtInFiles })
    },
    jobs: [hourlyRemoval('hosting.sweep', hosting.sweep)],
  }
}
