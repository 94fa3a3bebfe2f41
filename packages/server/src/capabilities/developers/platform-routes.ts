import { FEATURES, type FeatureName } from '@svc/contract/common/features'
import { readPlatformInfo } from '@svc/contract/platform'

import type { Route } from '../../edge/http/routes.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'

type PlatformInfo = {
  oauthProviders: string[]
  version: string
  hostingDomain: string
  signUp: 'open' | 'first' | 'closed'
  mail: 'sent' | 'kept'
  billing: 'off' | 'test' | 'stripe'
}

type PlatformDeps = {
  clock: Clock
  unavailable: ReadonlySet<string>
  /** Whether there is no developer account yet. */
  isNew(): Promise<boolean>
  /** Undefined if other machines may reach the service. */
  readLocal: (() => Promise<{ account: string | null; operatorSocket: string | null }>) | undefined
}

export function platformRoutes(
  route: Route,
  info: PlatformInfo,
  { clock, unavailable, isNew, readLocal }: PlatformDeps,
) {
  const names = Object.keys(FEATURES) as FeatureName[]
  const features = Object.fromEntries(names.map((name) => [name, !unavailable.has(name)]))
  route(readPlatformInfo, async () => ({
    ...info,
    setup: await isNew(),
    features,
    now: timestamp(clock),
    ...(readLocal && { local: await readLocal() }),
  }))
}
