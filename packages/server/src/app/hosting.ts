import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { PROVIDERS } from '@svc/contract/features'
import { readHosting } from '@svc/contract/hosting'
import { REALTIME_PATH } from '@svc/contract/realtime'

import {
  createBlobStore,
  createHosting,
  createHostingStore,
  hostingRoutes,
} from '../capabilities/hosting/index.ts'
import type { Developers } from './developers.ts'
import { ENVIRONMENT_REMOVED, type Ground, type Mouths } from './ground.ts'

export type Hosting = ReturnType<typeof buildHosting>

/** What browsers load from `/.svc/sdk.js`. */
const SDK_FOLDER = join(import.meta.dirname, '../../../sdk/built')

/** The games' own files, on addresses of their own. */
export function buildHosting(ground: Ground, { projects, appKeys, requireMayGoLive }: Developers) {
  const { db, blobs, bus, clock, random, ids, audit, background, log, admit, configOf } = ground
  const { baseUrl } = ground.settings

  const hosting = createHosting(createHostingStore(db), createBlobStore(db), {
    blobs,
    bus,
    clock,
    random,
    ids,
    audit,
    background,
    report: (failure) => log.warn(failure, 'a hosted file was not compressed'),
    urlOf: ground.originOf,
    requireMayGoLive,
    isOn: async (environmentId) => (await configOf(environmentId)).features.hosting,
    findEnvironment: projects.findBySlug,
    findProject: async (slug) => (await projects.findBySlug(slug, 'production'))?.projectId,
    admit: async (environment, address) => admit?.(readHosting, { environment }, address),
    apiUrl: baseUrl,
    realtimeUrl: `${baseUrl.replace(/^http/, 'ws')}${REALTIME_PATH}`,
    keyOf: appKeys.of,
    async offerOf(environmentId) {
      const { features, auth } = await configOf(environmentId)
      return { features, providers: PROVIDERS.filter((name) => auth.providers[name].enabled) }
    },
    sdkFile: (name) => readFile(join(SDK_FOLDER, name)),
    skewProtection: { isOn: ground.settings.skewProtection, isSecure: baseUrl.startsWith('https:') },
  })
  bus.subscribe(ENVIRONMENT_REMOVED, hosting.forgetEnvironment)

  return {
    ...hosting,
    mount: ({ route }: Mouths) => hostingRoutes(route, hosting.deployments, hosting.uploads),
    everyHour: hosting.sweep,
  }
}
