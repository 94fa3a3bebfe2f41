import { FEATURES, type FeatureName } from '@svc/contract/features'
import { readPlatformInfo } from '@svc/contract/platform'

import type { Route } from '../../edge/http/routes.ts'

export type PlatformInfo = {
  oauthProviders: string[]
  version: string
  hostingDomain: string
  signUp: 'open' | 'first' | 'closed'
  billing: 'off' | 'test' | 'stripe'
  unavailable: ReadonlySet<string>
}

export function platformRoutes(route: Route, { unavailable, ...info }: PlatformInfo) {
  const names = Object.keys(FEATURES) as FeatureName[]
  const features = Object.fromEntries(names.map((name) => [name, !unavailable.has(name)]))
  route(readPlatformInfo, async () => ({ ...info, features }))
}
